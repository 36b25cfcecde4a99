//! The calls of draft sockets. Where libzmq has no draft functions each fails with ENOTSUP and says so.

use super::error::{Error, Result};
use super::{endpoint, slow, Message, Socket};
use crate::sys::{self, Errno};
use std::ffi::CString;

/// What a failure says where libzmq has no draft functions.
pub(super) fn needs_draft(what: &str) -> String {
    let (major, minor, patch) = sys::version();
    format!("{what} needs the draft API, which this libzmq {major}.{minor}.{patch} lacks")
}

/// Says what ENOTSUP is about: the library, or the type of the socket.
fn named(call: &str, wanted: &str) -> impl FnOnce(Errno) -> Error {
    let about = if sys::has(c"draft") {
        format!("{call} is for {wanted}")
    } else {
        needs_draft(call)
    };
    move |errno| match errno.0 {
        libc::ENOTSUP => Error::new(errno.0, about),
        _ => errno.into(),
    }
}

/// The longest group that libzmq keeps within the message.
pub(super) const GROUP_SAFE: usize = 14;

fn group_name(name: &[u8]) -> Result<CString> {
    CString::new(name).map_err(|_| Error::new(libc::EINVAL, "a group's name holds no NUL byte"))
}

/// Takes a group that is not safe to copy off a message that is for another pattern, where it means nothing: to
/// several peers of a PUB goes one count of it too few. ENOMEM leaves the message as it was.
pub(super) fn shed_group(part: &mut sys::Message) -> std::result::Result<(), Errno> {
    if part
        .group()
        .is_ok_and(|group| group.as_bytes().len() > GROUP_SAFE)
    {
        let mut bare = sys::Message::with_size(part.len())?;
        bare.bytes_mut().copy_from_slice(part.bytes());
        *part = bare;
    }
    Ok(())
}

impl Socket {
    /// `zmq_join`: EINVAL where it has joined already or the name has more than 255 bytes.
    pub fn join(&mut self, group: &[u8]) -> Result<()> {
        if group.len() > GROUP_SAFE {
            slow::set(slow::GROUPS, true);
        }
        self.group_call(group, "join", sys::Socket::join)
    }

    /// `zmq_leave`: EINVAL where it has not joined.
    pub fn leave(&mut self, group: &[u8]) -> Result<()> {
        self.group_call(group, "leave", sys::Socket::leave)
    }

    fn group_call(
        &self,
        group: &[u8],
        name: &str,
        call: fn(&sys::Socket, &std::ffi::CStr) -> std::result::Result<(), Errno>,
    ) -> Result<()> {
        call(&self.handle, &group_name(group)?).map_err(|errno| match errno.0 {
            libc::ENOTSUP => named(name, "DISH sockets")(errno),
            _ => Error::new(errno.0, format!("group {}", group.escape_ascii())),
        })
    }

    /// `zmq_connect_peer`: the routing id of the new connection.
    pub fn connect_peer(&mut self, to: &[u8]) -> Result<u32> {
        let text = endpoint::check(to)?;
        self.handle
            .connect_peer(&text)
            .map_err(|errno| match errno.0 {
                libc::ENOTSUP => named("connect_peer", "PEER sockets")(errno),
                libc::EFAULT => {
                    Error::new(errno.0, "connect_peer can't do with the option immediate")
                }
                _ => endpoint::explain(errno, to),
            })
    }

    /// `zmq_socket_get_peer_state`: POLLIN and POLLOUT bits of one peer.
    pub fn peer_state(&self, routing_id: &[u8]) -> Result<i32> {
        self.handle
            .peer_state(routing_id)
            .map_err(|errno| match errno.0 {
                libc::ENOTSUP => named("get_peer_state", "ROUTER sockets")(errno),
                _ => Error::new(errno.0, format!("routing id {}", routing_id.escape_ascii())),
            })
    }
}

impl Message {
    /// `zmq_msg_routing_id`: None where none is set.
    pub fn routing_id(&mut self) -> Result<Option<u32>> {
        let id = self
            .inner
            .routing_id()
            .map_err(named("routing_id", "messages"))?;
        Ok((id != 0).then_some(id))
    }

    /// `zmq_msg_set_routing_id`; EINVAL for 0.
    pub fn set_routing_id(&mut self, id: u32) -> Result<()> {
        self.inner
            .set_routing_id(id)
            .map_err(|errno| match errno.0 {
                libc::ENOTSUP => named("routing_id", "messages")(errno),
                _ => Error::new(errno.0, format!("routing id {id}")),
            })
    }

    /// `zmq_msg_group`: empty where none is set.
    pub fn group(&mut self) -> Result<CString> {
        self.inner.group().map_err(named("group", "messages"))
    }

    /// `zmq_msg_set_group`; EINVAL beyond 14 bytes: libzmq (4.3.5) shares a longer name between the copies that go to
    /// several peers without counting them, and frees it more than once.
    pub fn set_group(&mut self, group: &[u8]) -> Result<()> {
        if group.len() > GROUP_SAFE {
            let hint = format!("a message's group has at most {GROUP_SAFE} bytes");
            return Err(Error::new(libc::EINVAL, hint));
        }
        let group = group_name(group)?;
        // A longer one, of a message received, would stay whatever is set.
        if self.group()?.as_bytes().len() > GROUP_SAFE {
            self.rebuild(self.inner.len(), false)?;
        }
        Ok(self.inner.set_group(&group)?)
    }
}
