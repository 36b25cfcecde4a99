//! Messages of many parts: sent whole or not at all, received whole.
//!
//! What guarantees it when sending: all parts are made (so that memory is there) before the first is sent, and only
//! the first may wait. libzmq counts whole messages against the high-water mark and chooses the peer with the first
//! part, so later parts find room (`pipe_t::check_write`, `lb_t`, `router_t`, `dist_t`). What can still stop them:
//! a signal, after which they go on at once; the context's end, which drops what was not whole; and the peer going
//! away, after which libzmq has taken the parts back (`pipe_t::rollback`) and PUSH, DEALER and REQ wait for the end
//! of the lost message, which it gets.
//!
//! When receiving: libzmq hands a message over once its last part is there. All are taken here before Lua sees the
//! first, and stay until Lua has them all.

use super::{guard, Error, Result, Socket};
use crate::sys::{self, Errno, Failed, DONTWAIT, SNDMORE};
use std::collections::VecDeque;

/// `Socket::undelivered`: nothing.
pub(super) const NOTHING: i32 = 0;
/// The message in `Socket::inbox`.
pub(super) const INBOX: i32 = 1;
/// The parts in `Parts::waiting`, and before them `Socket::inbox` if `Parts::inbox` says so.
pub(super) const PARTS: i32 = 2;

/// Parts of a socket's messages on their way.
#[derive(Default)]
pub(super) struct Parts {
    /// To be sent.
    pub(super) outgoing: Vec<sys::Message>,
    /// Received, and not yet handed over.
    waiting: VecDeque<sys::Message>,
    /// Whether the first of the undelivered parts is in the inbox. Written by LuaJIT, as `Socket::undelivered` is.
    inbox: i32,
}

/// How many parts a socket keeps room for between calls.
const KEEP_ROOM: usize = 64;

impl Socket {
    /// Begins a message of `count` parts; forgets those that an earlier call gathered. EINVAL where this socket can't
    /// keep so many together.
    pub fn gather(&mut self, count: usize) -> Result<()> {
        self.parts.outgoing.clear();
        guard::check_parts(self, count)
    }

    /// Adds a copy of `bytes` to the parts for `send_gathered`; ENOMEM.
    pub fn add_part(&mut self, bytes: &[u8]) -> Result<()> {
        self.add_room(bytes.len())?.copy_from_slice(bytes);
        Ok(())
    }

    /// Adds a part of `size` bytes, for its pieces to be written into; ENOMEM.
    pub fn add_room(&mut self, size: usize) -> Result<&mut [u8]> {
        let parts = &mut self.parts.outgoing;
        let at = parts.len();
        let about = || Error::new(libc::ENOMEM, format!("part {} of {size} bytes", at + 1));
        parts.try_reserve(1).map_err(|_| about())?;
        parts.push(sys::Message::with_size(size).map_err(|_| about())?);
        Ok(parts[at].bytes_mut())
    }

    /// Sends the gathered parts as one message, all or none of it. With SNDMORE the message goes on after them. Blocks
    /// as the option sndtimeo says, unless DONTWAIT. A failure tells the part (from 1) that met it; after EINTR the
    /// call may be repeated, since nothing was sent.
    pub fn send_gathered(&mut self, flags: i32) -> std::result::Result<(), (usize, Errno)> {
        let count = self.parts.outgoing.len();
        let mut outgoing = std::mem::take(&mut self.parts.outgoing);
        if let Some(at) = guard::too_long(self, &outgoing) {
            return Err((at + 1, Errno(libc::EMSGSIZE)));
        }
        let mut result = Ok(());
        for (at, part) in outgoing.iter_mut().enumerate() {
            let more = if at + 1 < count {
                SNDMORE
            } else {
                flags & SNDMORE
            };
            let wait = if at == 0 { flags & DONTWAIT } else { DONTWAIT };
            let answer = self.patiently(at > 0, |socket| socket.send_part(part, more | wait));
            if let Err(errno) = answer {
                if at > 0 && more != 0 && guard::awaits_end(self.kind) {
                    // Swallowed, as the rest of the lost message; what it answers changes nothing.
                    let _ = self.handle.send(&[], DONTWAIT);
                }
                result = Err((at + 1, errno));
                break;
            }
        }
        if result != Err((1, Errno(libc::EINTR))) {
            outgoing.clear();
            outgoing.shrink_to(KEEP_ROOM);
        }
        self.parts.outgoing = outgoing;
        result
    }

    /// Receives a whole message; its parts wait in the socket, for `waiting`, until `parts_delivered`. Those that are
    /// there already come again. Blocks as the option rcvtimeo says, unless DONTWAIT. After a failure the parts that
    /// came before it (if the context ended meanwhile) wait in the same way, but once only.
    pub fn recv_parts(&mut self, flags: i32) -> std::result::Result<(), Errno> {
        if self.undelivered == PARTS {
            self.unite();
            return Ok(());
        }
        self.parts.waiting.clear();
        let mut flags = flags & DONTWAIT;
        loop {
            let mut part = sys::Message::new();
            let later = !self.parts.waiting.is_empty();
            self.patiently(later, |socket| socket.recv_part(&mut part, flags).map(drop))?;
            let more = part.more();
            self.parts.waiting.push_back(part);
            if !more {
                (self.undelivered, self.parts.inbox) = (PARTS, 0);
                return Ok(());
            }
            flags = DONTWAIT;
        }
    }

    /// A call on one part; on a later one of its message a signal is no reason to stop.
    fn patiently(
        &mut self,
        later: bool,
        mut call: impl FnMut(&mut Socket) -> std::result::Result<(), Failed>,
    ) -> std::result::Result<(), Errno> {
        loop {
            match call(self).map_err(Errno::from) {
                Err(Errno(libc::EINTR)) if later => {}
                answer => return answer,
            }
        }
    }

    /// The parts that `recv_parts` left here.
    pub fn waiting(&self) -> impl ExactSizeIterator<Item = &sys::Message> {
        self.parts.waiting.iter()
    }

    /// The waiting parts are in the user's hands.
    pub fn parts_delivered(&mut self) {
        self.undelivered = NOTHING;
        self.parts.waiting.clear();
        self.parts.waiting.shrink_to(KEEP_ROOM);
    }

    /// Lets go of what is undelivered: it is more than Lua can hold.
    pub fn discard(&mut self) {
        self.inbox = sys::Message::new();
        self.parts_delivered();
    }

    /// Whether parts wait behind the one last received.
    #[inline(always)]
    pub(super) fn parts_wait(&self) -> bool {
        self.undelivered == PARTS && !self.parts.waiting.is_empty()
    }

    /// Puts the undelivered message into the inbox, for `recv`, and tells where to write 0 once it was delivered.
    pub(super) fn again(&mut self) -> *mut i32 {
        if self.undelivered == PARTS {
            if self.parts.inbox == 0 {
                self.inbox = self.parts.waiting.pop_front().unwrap_or_default();
                self.parts.inbox = 1;
            }
            if !self.parts.waiting.is_empty() {
                return &mut self.parts.inbox;
            }
            // The last of them is like any other message.
            self.undelivered = INBOX;
        }
        &mut self.undelivered
    }

    /// The undelivered message, for `recv_message`.
    pub(super) fn take_undelivered(
        &mut self,
        to: &mut sys::Message,
    ) -> std::result::Result<(), Errno> {
        self.again();
        self.taken();
        to.take(&mut self.inbox)
    }

    /// The undelivered message in the inbox is in the user's hands.
    #[inline(always)]
    pub(super) fn taken(&mut self) {
        match self.undelivered {
            PARTS => self.parts.inbox = 0,
            _ => self.undelivered = NOTHING,
        }
    }

    /// Whether something received waits here that nobody got yet: the next receive returns it.
    #[inline]
    pub fn holds_message(&self) -> bool {
        self.undelivered != NOTHING
    }

    /// Puts a part that was received from here back, for the next receive.
    pub(super) fn put_back(&mut self, part: sys::Message) {
        if self.undelivered == PARTS {
            self.unite();
            self.parts.waiting.push_front(part);
        } else {
            (self.inbox, self.undelivered) = (part, INBOX);
        }
    }

    /// To be called before a peer is let go: takes the message that was received in part, or that poll told of, so that
    /// it still comes. libzmq drops its end, and aborts when it misses that.
    pub(super) fn take_begun(&mut self) {
        let more = |socket: &Socket| socket.handle.get_int(sys::RCVMORE) == Ok(1);
        let ready = |socket: &Socket| {
            let events = socket.handle.get_int(sys::EVENTS);
            events.is_ok_and(|events| events & i32::from(sys::POLLIN) != 0)
        };
        if !more(self) && (self.holds_message() || !ready(self)) {
            return;
        }
        if self.undelivered != PARTS {
            self.parts.waiting.clear();
            self.parts.inbox = self.undelivered; // whether the inbox is the part before them
        }
        loop {
            let mut part = sys::Message::new();
            let receive =
                |socket: &mut Socket| socket.handle.recv_message(&mut part, DONTWAIT).map(drop);
            if self.patiently(true, receive).is_err() {
                break;
            }
            let last = !part.more();
            self.parts.waiting.push_back(part);
            self.undelivered = PARTS;
            if last {
                break;
            }
        }
    }

    /// Puts an undelivered inbox back in front of the parts behind it.
    fn unite(&mut self) {
        if std::mem::take(&mut self.parts.inbox) != 0 {
            self.parts
                .waiting
                .push_front(std::mem::take(&mut self.inbox));
        }
    }
}
