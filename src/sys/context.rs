//! `zmq_ctx_*`.

use super::{check, Errno, Socket};
use std::ffi::c_void;
use std::os::raw::c_int;
use std::ptr::NonNull;

/// A libzmq context handle.
#[derive(Debug)]
#[repr(transparent)]
pub struct Context(NonNull<c_void>);

// SAFETY: zmq_ctx_* may be called from any thread (zmq_ctx_new(3): "thread safe").
unsafe impl Send for Context {}
// SAFETY: as above; `&Context` allows only calls that libzmq locks by itself.
unsafe impl Sync for Context {}

impl Context {
    /// `zmq_ctx_new`: a context with libzmq's default options.
    pub fn new() -> Result<Context, Errno> {
        // SAFETY: no preconditions.
        NonNull::new(unsafe { zmq_sys::zmq_ctx_new() })
            .map(Context)
            .ok_or_else(Errno::last)
    }

    /// Borrows a context that somebody else made and ends. Whoever has the address vouches for it: libzmq's checks
    /// catch a wrong one only as long as the memory can be read.
    pub fn borrowed(pointer: NonNull<c_void>) -> Context {
        Context(pointer)
    }

    /// The raw handle.
    pub fn as_ptr(&self) -> *mut c_void {
        self.0.as_ptr()
    }

    /// `zmq_ctx_set`.
    pub fn set(&self, option: c_int, value: c_int) -> Result<(), Errno> {
        // SAFETY: the handle is live: only `term`, which takes it by value, ends it.
        check(unsafe { zmq_sys::zmq_ctx_set(self.as_ptr(), option, value) }).map(drop)
    }

    /// `zmq_ctx_get`. -1 is a value too (thread_sched_policy); a failure is one that leaves an errno.
    pub fn get(&self, option: c_int) -> Result<c_int, Errno> {
        Errno::clear();
        // SAFETY: live handle, as above.
        match check(unsafe { zmq_sys::zmq_ctx_get(self.as_ptr(), option) }) {
            Err(Errno(0)) => Ok(-1),
            result => result,
        }
    }

    /// `zmq_ctx_set_ext` (draft): ENOTSUP where the library has no such call.
    pub fn set_ext(&self, option: c_int, value: &[u8]) -> Result<(), Errno> {
        let call = zmq_sys::late::zmq_ctx_set_ext().ok_or(Errno(libc::ENOTSUP))?;
        // SAFETY: live handle; pointer and length describe `value`.
        check(unsafe { call(self.as_ptr(), option, value.as_ptr().cast(), value.len()) }).map(drop)
    }

    /// `zmq_ctx_get_ext` (draft): fills `buffer`, returns the count of bytes.
    pub fn get_ext(&self, option: c_int, buffer: &mut [u8]) -> Result<usize, Errno> {
        let call = zmq_sys::late::zmq_ctx_get_ext().ok_or(Errno(libc::ENOTSUP))?;
        let mut size = buffer.len();
        // SAFETY: live handle; `size` tells the room in `buffer`.
        check(unsafe { call(self.as_ptr(), option, buffer.as_mut_ptr().cast(), &mut size) })?;
        Ok(size.min(buffer.len()))
    }

    /// `zmq_socket`.
    pub fn socket(&self, kind: c_int) -> Result<Socket, Errno> {
        // SAFETY: live handle; an unknown type is refused with EINVAL.
        let pointer = unsafe { zmq_sys::zmq_socket(self.as_ptr(), kind) };
        if pointer.is_null() {
            return Err(Errno::last());
        }
        // SAFETY: a new socket of ours, made on this thread.
        Ok(unsafe { Socket::from_raw(pointer) })
    }

    /// `zmq_ctx_shutdown`: blocking calls on its sockets return ETERM from now on. Never blocks.
    pub fn shutdown(&self) -> Result<(), Errno> {
        // SAFETY: live handle.
        check(unsafe { zmq_sys::zmq_ctx_shutdown(self.as_ptr()) }).map(drop)
    }

    /// `zmq_ctx_term`: blocks until every socket is closed and its linger period over. Gives the handle back
    /// when a signal interrupts the wait (EINTR), to be called again.
    pub fn term(self) -> Result<(), (Context, Errno)> {
        // SAFETY: live handle; on success it is gone, and so is `self`.
        check(unsafe { zmq_sys::zmq_ctx_term(self.as_ptr()) })
            .map(drop)
            .map_err(|e| (self, e))
    }
}
