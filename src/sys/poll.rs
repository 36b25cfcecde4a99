//! `zmq_poll`.

use super::{check, Errno, Socket};
use std::marker::PhantomData;
use std::os::raw::{c_int, c_long, c_short};

/// One thing to wait for: a socket or a plain descriptor.
#[repr(transparent)]
pub struct PollItem<'s>(zmq_sys::zmq_pollitem_t, PhantomData<&'s Socket>);

impl<'s> PollItem<'s> {
    /// Waits for `events` (POLLIN, POLLOUT, POLLERR, POLLPRI) on a socket.
    pub fn socket(socket: &'s Socket, events: c_short) -> PollItem<'s> {
        let socket = socket.as_ptr();
        PollItem(
            zmq_sys::zmq_pollitem_t {
                socket,
                fd: 0,
                events,
                revents: 0,
            },
            PhantomData,
        )
    }

    /// Waits for `events` on a descriptor of the system.
    pub fn descriptor(fd: c_int, events: c_short) -> PollItem<'s> {
        let socket = std::ptr::null_mut();
        PollItem(
            zmq_sys::zmq_pollitem_t {
                socket,
                fd,
                events,
                revents: 0,
            },
            PhantomData,
        )
    }

    /// What the last `poll` found.
    pub fn revents(&self) -> c_short {
        self.0.revents
    }
}

/// `zmq_poll`: waits up to `timeout` ms (-1 for ever, 0 not at all) and returns the count of ready items.
pub fn poll(items: &mut [PollItem], timeout: c_long) -> Result<c_int, Errno> {
    // SAFETY: PollItem is transparent over zmq_pollitem_t. A socket closed since its item was made could be asked for
    // here only by this thread, whose `&Socket` the item holds.
    check(unsafe { zmq_sys::zmq_poll(items.as_mut_ptr().cast(), items.len() as c_int, timeout) })
}
