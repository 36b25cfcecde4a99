//! `zmq_socket` handles.

use super::poll::{self, Memberships};
use super::process::thread;
use super::{check, hot, Errno, Failed, Message};
use std::ffi::{c_void, CStr};
use std::marker::PhantomData;
use std::os::raw::c_int;
use std::ptr::{null_mut, NonNull};
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Where the handle lives until it is closed; null afterwards, which libzmq answers with ENOTSOCK.
#[derive(Debug)]
struct Slot {
    pointer: AtomicPtr<c_void>,
    thread: usize,
    /// The pollers it is in. The socket is closed with this locked.
    pollers: Mutex<Memberships>,
}

impl Slot {
    fn pollers(&self) -> MutexGuard<'_, Memberships> {
        // Nothing panics while it holds the lock.
        self.pollers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A libzmq socket handle. It stays on its thread: libzmq forbids use from two at once.
#[derive(Debug)]
pub struct Socket {
    slot: Arc<Slot>,
    _stays_on_its_thread: PhantomData<*mut c_void>,
}

/// What endings keep of a socket: enough to close it from its own thread, and nothing else.
#[derive(Clone, Debug)]
pub struct Closer(Arc<Slot>);

impl Closer {
    /// The socket again, if it lives at `pointer` and this is its thread.
    pub fn socket_at(&self, pointer: NonNull<c_void>) -> Option<Socket> {
        let here = self.0.thread == thread() && self.0.pointer.load(Relaxed) == pointer.as_ptr();
        here.then(|| Socket {
            slot: self.0.clone(),
            _stays_on_its_thread: PhantomData,
        })
    }

    /// Closes the socket if this is its thread, with at most `most_linger` ms of linger when given (-1 has no
    /// limit). Tells whether it did. Never blocks.
    pub fn close(&self, most_linger: Option<c_int>) -> bool {
        if self.0.thread != thread() {
            return false;
        }
        let socket = Socket {
            slot: self.0.clone(),
            _stays_on_its_thread: PhantomData,
        };
        if socket.is_closed() {
            return false;
        }
        if let Some(most) = most_linger {
            socket.limit_linger(most);
        }
        socket.close();
        true
    }
}

impl Closer {
    /// Whether the socket is open and lives on this thread, so that `close` closes it.
    pub fn is_here(&self) -> bool {
        self.0.thread == thread() && !self.0.pointer.load(Relaxed).is_null()
    }

    /// Lifts the limit on messages that wait to be received, if the socket lives on this thread.
    pub fn receive_unlimited(&self) {
        if self.is_here() {
            let socket = Socket {
                slot: self.0.clone(),
                _stays_on_its_thread: PhantomData,
            };
            // It fails only when the context has ended.
            let _ = socket.set_int(super::RCVHWM, 0);
        }
    }

    /// `zmq_socket_monitor` with no address: ends monitoring. Works from any thread. It waits for ever if nothing was
    /// ever connected to the monitor's address, or if what was is gone or full.
    pub fn stop_monitor(&self) {
        let _not_closed_meanwhile = self.0.pollers();
        let pointer = self.0.pointer.load(Relaxed);
        if !pointer.is_null() {
            // SAFETY: an open socket, which stays open while the lock is held. From another thread, too: libzmq takes
            // the socket's monitor lock and touches nothing but the monitor.
            unsafe { zmq_sys::zmq_socket_monitor(pointer, std::ptr::null(), 0) };
        }
    }
}

/// A PAIR socket that connects to a monitor's address once, so that ending the monitor doesn't wait. Any thread may
/// use it, under a lock.
#[derive(Debug)]
pub struct SpareReader(NonNull<c_void>);

// SAFETY: libzmq lets a socket move between threads with a full fence, which the owner's lock is.
unsafe impl Send for SpareReader {}

impl SpareReader {
    /// Opens it; EMFILE, ETERM.
    pub fn new(context: &super::Context) -> Result<SpareReader, Errno> {
        // SAFETY: a live context.
        let socket = unsafe { zmq_sys::zmq_socket(context.as_ptr(), zmq_sys::ZMQ_PAIR as c_int) };
        let reader = SpareReader(NonNull::new(socket).ok_or_else(Errno::last)?);
        let zero: *const c_int = &0;
        for option in [super::LINGER, super::RCVHWM] {
            // SAFETY: an open socket and an int that outlives the call.
            check(unsafe {
                zmq_sys::zmq_setsockopt(socket, option, zero.cast(), size_of::<c_int>())
            })?;
        }
        Ok(reader)
    }

    /// Connects. A monitor that has a reader turns it away, which is as well.
    pub fn connect(&self, endpoint: &CStr) {
        // SAFETY: an open socket; NUL-terminated text. It fails only when the context has ended, and then no monitor
        // waits.
        unsafe { zmq_sys::zmq_connect(self.0.as_ptr(), endpoint.as_ptr()) };
    }
}

impl Drop for SpareReader {
    fn drop(&mut self) {
        // SAFETY: an open socket, not used again.
        unsafe { zmq_sys::zmq_close(self.0.as_ptr()) };
    }
}

impl Socket {
    /// Wraps a raw handle.
    ///
    /// # Safety
    /// `pointer` is a live libzmq socket that nobody else closes, used by this thread only.
    pub unsafe fn from_raw(pointer: *mut c_void) -> Socket {
        let slot = Slot {
            pointer: AtomicPtr::new(pointer),
            thread: thread(),
            pollers: Mutex::default(),
        };
        Socket {
            slot: Arc::new(slot),
            _stays_on_its_thread: PhantomData,
        }
    }

    /// Borrows a socket that somebody else made and closes; this thread is to use it from now on. Whoever has the
    /// address vouches for it: libzmq's checks catch a wrong one only as long as the memory can be read.
    pub fn borrowed(pointer: NonNull<c_void>) -> Socket {
        // SAFETY: the caller vouches, as said above; `core` never closes what it borrowed.
        unsafe { Socket::from_raw(pointer.as_ptr()) }
    }

    /// Lets go of the handle without closing it; it leaves the pollers that it is in.
    pub fn forget(&mut self) {
        poll::leave(&mut self.slot.pollers(), self.as_ptr());
        self.slot = Arc::new(Slot {
            pointer: AtomicPtr::new(null_mut()),
            thread: self.slot.thread,
            pollers: Mutex::default(),
        });
    }

    /// The raw handle; null once closed.
    #[inline(always)]
    pub fn as_ptr(&self) -> *mut c_void {
        self.slot.pointer.load(Relaxed)
    }

    /// Whether `close` was called.
    pub fn is_closed(&self) -> bool {
        self.as_ptr().is_null()
    }

    /// The pollers it is in.
    pub(super) fn pollers(&self) -> MutexGuard<'_, Memberships> {
        self.slot.pollers()
    }

    /// The part that endings keep.
    pub fn closer(&self) -> Closer {
        Closer(self.slot.clone())
    }

    /// `zmq_close`: never blocks; unsent messages go on for the linger period. A second call does nothing.
    pub fn close(&self) {
        let mut pollers = self.slot.pollers();
        let pointer = self.slot.pointer.swap(null_mut(), Relaxed);
        if !pointer.is_null() {
            poll::leave(&mut pollers, pointer);
            // SAFETY: the swap gave the live handle to this call alone.
            unsafe { zmq_sys::zmq_close(pointer) };
        }
    }

    /// Lowers the linger period to `most` ms (-1: no limit).
    pub fn limit_linger(&self, most: c_int) {
        let option = super::LINGER;
        if let Ok(linger) = self.get_int(option) {
            if most >= 0 && (linger < 0 || linger > most) {
                // Closing goes on whatever becomes of it.
                let _ = self.set_int(option, most);
            }
        }
    }

    /// `zmq_bind`.
    pub fn bind(&self, endpoint: &CStr) -> Result<(), Errno> {
        // SAFETY: a handle of this thread, live or null; NUL-terminated text. So for the next three.
        check(unsafe { zmq_sys::zmq_bind(self.as_ptr(), endpoint.as_ptr()) }).map(drop)
    }

    /// `zmq_unbind`.
    pub fn unbind(&self, endpoint: &CStr) -> Result<(), Errno> {
        // SAFETY: as `bind`.
        check(unsafe { zmq_sys::zmq_unbind(self.as_ptr(), endpoint.as_ptr()) }).map(drop)
    }

    /// `zmq_connect`.
    pub fn connect(&self, endpoint: &CStr) -> Result<(), Errno> {
        // SAFETY: as `bind`.
        check(unsafe { zmq_sys::zmq_connect(self.as_ptr(), endpoint.as_ptr()) }).map(drop)
    }

    /// `zmq_disconnect`.
    pub fn disconnect(&self, endpoint: &CStr) -> Result<(), Errno> {
        // SAFETY: as `bind`.
        check(unsafe { zmq_sys::zmq_disconnect(self.as_ptr(), endpoint.as_ptr()) }).map(drop)
    }

    /// `zmq_setsockopt`.
    pub fn set(&self, option: c_int, value: &[u8]) -> Result<(), Errno> {
        // libzmq takes NULL for "none" in some string options, so an empty value is NULL and 0.
        let data = if value.is_empty() {
            std::ptr::null()
        } else {
            value.as_ptr().cast()
        };
        // SAFETY: a handle of this thread, live or null; pointer and length describe `value`.
        check(unsafe { zmq_sys::zmq_setsockopt(self.as_ptr(), option, data, value.len()) })
            .map(drop)
    }

    /// `zmq_setsockopt` with an int.
    pub fn set_int(&self, option: c_int, value: c_int) -> Result<(), Errno> {
        self.set(option, &value.to_ne_bytes())
    }

    /// `zmq_getsockopt`: fills `buffer`, returns the count of bytes.
    pub fn get(&self, option: c_int, buffer: &mut [u8]) -> Result<usize, Errno> {
        let mut size = buffer.len();
        // SAFETY: a handle of this thread, live or null; `size` tells the room in `buffer`.
        check(unsafe {
            zmq_sys::zmq_getsockopt(self.as_ptr(), option, buffer.as_mut_ptr().cast(), &mut size)
        })?;
        Ok(size.min(buffer.len()))
    }

    /// `zmq_getsockopt` of an int.
    #[inline]
    pub fn get_int(&self, option: c_int) -> Result<c_int, Errno> {
        let (mut value, mut size) = (0 as c_int, size_of::<c_int>());
        // SAFETY: a handle of this thread, live or null; `size` tells the room in `value`.
        check(unsafe {
            let value: *mut c_int = &mut value;
            zmq_sys::zmq_getsockopt(self.as_ptr(), option, value.cast(), &mut size)
        })?;
        Ok(value)
    }

    /// `zmq_send`: copies `bytes` into a message of its own.
    #[inline(always)]
    pub fn send(&self, bytes: &[u8], flags: c_int) -> Result<(), Failed> {
        // SAFETY: a handle of this thread, live or null; a slice is readable for its length.
        hot(unsafe { zmq_sys::zmq_send(self.as_ptr(), bytes.as_ptr().cast(), bytes.len(), flags) })
            .map(drop)
    }

    /// `zmq_msg_send`: on success `message` is empty, on failure unchanged.
    #[inline(always)]
    pub fn send_message(&self, message: &mut Message, flags: c_int) -> Result<(), Failed> {
        // SAFETY: a handle of this thread, live or null; an initialised message.
        hot(unsafe { zmq_sys::zmq_msg_send(message.raw(), self.as_ptr(), flags) }).map(drop)
    }

    /// `zmq_msg_send` on a DGRAM socket, without waiting. Where the socket has no way out (never bound, or its address
    /// failed) libzmq destroys the message, and aborts if it is given that again: here it is ENOTCONN, and the
    /// message is unchanged.
    pub fn send_datagram(&self, message: &mut Message, flags: c_int) -> Result<(), Errno> {
        let mut copy = Message::new();
        copy.share(message)?;
        let result = self.send_message(message, flags | super::DONTWAIT);
        let result = result.map_err(Errno::from);
        if result.is_err() && !message.is_whole() {
            *message = copy;
            return Err(Errno(libc::ENOTCONN));
        }
        result
    }

    /// `zmq_msg_recv`: replaces the content of `message`; returns its size, clipped to the largest int.
    #[inline(always)]
    pub fn recv_message(&self, message: &mut Message, flags: c_int) -> Result<c_int, Failed> {
        // SAFETY: a handle of this thread, live or null; an initialised message.
        hot(unsafe { zmq_sys::zmq_msg_recv(message.raw(), self.as_ptr(), flags) })
    }

    /// `zmq_socket_monitor`: None stops monitoring.
    pub fn monitor(&self, endpoint: Option<&CStr>, events: c_int) -> Result<(), Errno> {
        let endpoint = endpoint.map_or(std::ptr::null(), CStr::as_ptr);
        // SAFETY: a handle of this thread, live or null; NULL or NUL-terminated text.
        check(unsafe { zmq_sys::zmq_socket_monitor(self.as_ptr(), endpoint, events) }).map(drop)
    }

    /// `zmq_socket_monitor_versioned` (draft): event version 1 or 2, published on a socket of type `kind`.
    pub fn monitor_versioned(
        &self,
        endpoint: Option<&CStr>,
        events: u64,
        version: c_int,
        kind: c_int,
    ) -> Result<(), Errno> {
        let call = zmq_sys::late::zmq_socket_monitor_versioned().ok_or(Errno(libc::ENOTSUP))?;
        let endpoint = endpoint.map_or(std::ptr::null(), CStr::as_ptr);
        // SAFETY: a handle of this thread, live or null; NULL or NUL-terminated text.
        check(unsafe { call(self.as_ptr(), endpoint, events, version, kind) }).map(drop)
    }

    /// `zmq_socket_monitor_pipes_stats` (draft): asks for one statistics event a pipe on the v2 monitor.
    pub fn monitor_pipes_stats(&self) -> Result<(), Errno> {
        let call = zmq_sys::late::zmq_socket_monitor_pipes_stats().ok_or(Errno(libc::ENOTSUP))?;
        // SAFETY: a handle of this thread, live or null.
        check(unsafe { call(self.as_ptr()) }).map(drop)
    }

    /// `zmq_join` (draft, DISH).
    pub fn join(&self, group: &CStr) -> Result<(), Errno> {
        let call = zmq_sys::late::zmq_join().ok_or(Errno(libc::ENOTSUP))?;
        // SAFETY: a handle of this thread, live or null, NUL-terminated text.
        check(unsafe { call(self.as_ptr(), group.as_ptr()) }).map(drop)
    }

    /// `zmq_leave` (draft, DISH).
    pub fn leave(&self, group: &CStr) -> Result<(), Errno> {
        let call = zmq_sys::late::zmq_leave().ok_or(Errno(libc::ENOTSUP))?;
        // SAFETY: a handle of this thread, live or null, NUL-terminated text.
        check(unsafe { call(self.as_ptr(), group.as_ptr()) }).map(drop)
    }

    /// `zmq_connect_peer` (draft, PEER): the routing id of the new connection.
    pub fn connect_peer(&self, endpoint: &CStr) -> Result<u32, Errno> {
        let call = zmq_sys::late::zmq_connect_peer().ok_or(Errno(libc::ENOTSUP))?;
        // SAFETY: a handle of this thread, live or null, NUL-terminated text.
        match unsafe { call(self.as_ptr(), endpoint.as_ptr()) } {
            0 => Err(Errno::last()),
            id => Ok(id),
        }
    }

    /// `zmq_socket_get_peer_state` (draft, ROUTER): POLLIN and POLLOUT bits of one peer.
    pub fn peer_state(&self, routing_id: &[u8]) -> Result<c_int, Errno> {
        let call = zmq_sys::late::zmq_socket_get_peer_state().ok_or(Errno(libc::ENOTSUP))?;
        // SAFETY: a handle of this thread, live or null; pointer and length describe the id.
        check(unsafe { call(self.as_ptr(), routing_id.as_ptr().cast(), routing_id.len()) })
    }
}
