//! What is changed in libzmq because it ends the process, breaks its memory, hangs, or loses a message. Must not know
//! how a row is applied.
//!
//! * *A deadlock.* Of two thread-safe sockets (SERVER, RADIO and the like) joined over inproc each told the other
//!   something under its own lock, by taking the other's. The mailbox's own lock is enough for that.
//! * *A peer that is gone.* Between a pipe's last word to its peer and the peer's own, a high-water mark that was set,
//!   or statistics that were asked for, were sent to a pipe that may be freed: an abort, or worse.
//! * *A DISH's peer that is no RADIO.* Over inproc nothing looks whether two sockets fit, and what tells of a group that
//!   was joined ended the process of whoever asked for its bytes: it has none.
//! * *Conflate.* Its pipe holds one part, which said that more would follow: an abort when none was there. Each is a
//!   message now. And one that came while the one before it was being read was not shown to the reader before the next
//!   came, and then leaked: the last of all was lost.
//! * *A message cut short.* When a peer is disconnected in the middle of a message that is being read, or that poll has
//!   looked at, the rest is dropped, and the next receive ended the process.
//! * *A peer that closes while its endpoint is bound.* A socket that binds an inproc endpoint looked at one that had
//!   connected before, and wrote to their pipe, when that one's end was no longer held up; and it ended the process
//!   where it has `hello_msg` or `xpub_welcome_msg`, or the one that closes `conflate`.
//! * *What copies share.* A long group was counted once for all copies of a message, and what an XPUB had read of a
//!   message said that its bytes were counted: freed twice.
//! * *A subscriber that goes* before an XPUB with `xpub_manual` has read of it was looked up where it had been.
//! * *A ZAP handler that goes* while a peer waits for its answer ended the process.

use super::Row;

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    // What a peer told first, where `conflate` keeps only the last: the end of a peer that has closed already.
    ("ctx.cpp", "        const bool ok = pending_connection_.bind_pipe->read (&msg);
        zmq_assert (ok);
        const int rc = msg.close ();
        errno_assert (rc == 0);
", "        if (pending_connection_.bind_pipe->read (&msg))
            msg.close ();
"),

    // What a peer is told first goes ahead of what hands the pipe over: then its socket may be freed.
    ("ctx.cpp", "    if (side_ == bind_side) {
        command_t cmd;
", "    if (pending_connection_.endpoint.options.recv_routing_id
        && pending_connection_.endpoint.socket->check_tag ())
        send_routing_id (pending_connection_.bind_pipe, bind_options_);
#ifdef ZMQ_BUILD_DRAFT_API
    if (bind_options_.can_send_hello_msg
        && bind_options_.hello_msg.size () > 0)
        send_hello_msg (pending_connection_.bind_pipe, bind_options_);
#endif

    if (side_ == bind_side) {
        command_t cmd;
"),
    ("ctx.cpp", "    // When a ctx is terminated all pending inproc connection will be
    // connected, but the socket will already be closed and the pipe will be
    // in waiting_for_delimiter state, which means no more writes can be done
    // and the routing id write fails and causes an assert. Check if the socket
    // is open before sending.
    if (pending_connection_.endpoint.options.recv_routing_id
        && pending_connection_.endpoint.socket->check_tag ()) {
        send_routing_id (pending_connection_.bind_pipe, bind_options_);
    }

#ifdef ZMQ_BUILD_DRAFT_API
    //  If set, send the hello msg of the bind socket to the pending connection.
    if (bind_options_.can_send_hello_msg
        && bind_options_.hello_msg.size () > 0) {
        send_hello_msg (pending_connection_.bind_pipe, bind_options_);
    }
#endif
}
", "}
"),

    // What a peer is to be told first, when it has closed already: libzmq aborts.
    ("xpub.cpp", "        const bool ok = pipe_->write (&copy);
        zmq_assert (ok);
        pipe_->flush ();
", "        if (pipe_->write (&copy))
            pipe_->flush ();
        else
            copy.close ();
"),
    ("pipe.cpp", "    const bool written = pipe_->write (&id);
    zmq_assert (written);
    pipe_->flush ();
", "    if (pipe_->write (&id))
        pipe_->flush ();
    else
        id.close ();
"),
    ("pipe.cpp", "    const bool written = pipe_->write (&hello);
    zmq_assert (written);
    pipe_->flush ();
", "    if (pipe_->write (&hello))
        pipe_->flush ();
    else
        hello.close ();
"),

    // The messages that tell of groups, which over inproc reach any socket.
    ("msg.cpp", "            return _u.cmsg.data;
", "            return _u.cmsg.data;
        case type_join:
        case type_leave:
            return _u.vsm.data;
"),
    ("msg.cpp", "            return _u.cmsg.size;
", "            return _u.cmsg.size;
        case type_join:
        case type_leave:
            return 0;
"),

    // A message whose peer was let go in the middle of it.
    ("fq.cpp", "        zmq_assert (!_more);
", "        _more = false;
"),

    // A long group is one more thing that copies of a message share.
    ("msg.cpp", "    if (!refs_)
        return;
", "    if (!refs_)
        return;

    if (_u.base.group.type == group_type_long)
        _u.base.group.lgroup.content->refcnt.add (refs_);
"),
    ("msg.cpp", "    if (!refs_)
        return true;
", "    if (!refs_)
        return true;

    if (_u.base.group.type == group_type_long) {
        if (!_u.base.group.lgroup.content->refcnt.sub (refs_)) {
            _u.base.group.lgroup.content->refcnt.~atomic_counter_t ();
            free (_u.base.group.lgroup.content);
        }
        _u.base.group.type = group_type_short;
    }
"),

    // What an XPUB keeps of a message is a copy, which shares nothing.
    ("xpub.cpp", "            _pending_flags.push_back (msg.flags ());
", "            _pending_flags.push_back (msg.flags () & msg_t::more);
"),

    // An XPUB with `xpub_manual` remembers whose subscription comes next; they may go before.
    ("xpub.cpp", "void zmq::xpub_t::xpipe_terminated (pipe_t *pipe_)
{
", "void zmq::xpub_t::xpipe_terminated (pipe_t *pipe_)
{
    for (std::deque<pipe_t *>::iterator it = _pending_pipes.begin ();
         it != _pending_pipes.end (); ++it)
        if (*it == pipe_)
            *it = NULL;

"),

    // The one who decides on a peer is gone: the handshake ends by its own limit.
    ("session_base.cpp", "    if (_zap_pipe == NULL || !_zap_pipe->write (msg_)) {
        errno = ENOTCONN;
        return -1;
    }

    if ((msg_->flags () & msg_t::more) == 0)
        _zap_pipe->flush ();
", "    if (_zap_pipe == NULL || !_zap_pipe->write (msg_))
        msg_->close ();
    else if ((msg_->flags () & msg_t::more) == 0)
        _zap_pipe->flush ();
"),

    // The one message that a pipe with `conflate` holds.
    ("dbuffer.hpp", "        *_back = value_;
", "        *_back = value_;
        _back->reset_flags (msg_t::more);
"),
    ("dbuffer.hpp", "        if (_sync.try_lock ()) {
            _front->move (*_back);
            _has_msg = true;

            _sync.unlock ();
        }
", "        scoped_lock_t lock (_sync);
        _front->move (*_back);
        _has_msg = true;
"),

    // Once a pipe has acknowledged its end, its peer may be freed.
    ("pipe.cpp", "    send_pipe_hwm (_peer, inhwm_, outhwm_);
", "    if (_state != term_ack_sent && _state != term_req_sent2)
        send_pipe_hwm (_peer, inhwm_, outhwm_);
"),
    ("pipe.cpp", "    endpoint_uri_pair_t *ep =
      new (std::nothrow) endpoint_uri_pair_t (_endpoint_pair);
    send_pipe_peer_stats", "    if (_state == term_ack_sent || _state == term_req_sent2)
        return;
    endpoint_uri_pair_t *ep =
      new (std::nothrow) endpoint_uri_pair_t (_endpoint_pair);
    send_pipe_peer_stats"),

    // The mailbox of a thread-safe socket has a lock of its own, under which no other is taken.
    ("mailbox_safe.hpp", "    mutex_t *const _sync;\n", "    mutex_t *const _sync;
    mutex_t _own;\n"),
    ("mailbox_safe.cpp", "    _sync->lock ();
    _sync->unlock ();
}
", "    _own.lock ();
    _own.unlock ();
}
"),
    ("mailbox_safe.cpp", "    _signalers.push_back (signaler_);\n", "    scoped_lock_t locker (_own);
    _signalers.push_back (signaler_);\n"),
    ("mailbox_safe.cpp", "    // TODO: make a copy of array and signal outside the lock\n", "    scoped_lock_t locker (_own);\n"),
    ("mailbox_safe.cpp", "    _signalers.clear ();\n", "    scoped_lock_t locker (_own);
    _signalers.clear ();\n"),
    ("mailbox_safe.cpp", "    _sync->lock ();
    _cpipe.write (cmd_, false);
", "    scoped_lock_t locker (_own);
    _cpipe.write (cmd_, false);
"),
    ("mailbox_safe.cpp", "            (*it)->send ();
        }
    }

    _sync->unlock ();
", "            (*it)->send ();
        }
    }
"),
    ("mailbox_safe.cpp", "        const int rc = _cond_var.wait (_sync, timeout_);
        if (rc == -1) {
", "        _sync->unlock ();
        _own.lock ();
        const int rc =
          _cpipe.still_empty () ? _cond_var.wait (&_own, timeout_) : 0;
        const int err = errno;
        _own.unlock ();
        _sync->lock ();
        if (rc == -1) {
            errno = err;
"),
];
