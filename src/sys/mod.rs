//! The gate to libzmq: the only code that calls `zmq_sys`.
//!
//! Every call turns its return code into `Result<_, Errno>`; nothing here panics. Handle types are not `Copy`,
//! close by value and say why they may move between threads. This layer must not know Lua, schema rows or policy.
#![allow(unsafe_code)]

mod context;
mod event;
mod loan;
mod message;
mod poll;
mod process;
mod socket;
mod threads;
mod timers;

pub use context::Context;
pub use event::Event;
pub use loan::{loans_wait, Loans};
pub use message::Message;
pub use poll::{poll, PollItem, Poller, Target, POLLERR, POLLIN, POLLOUT, POLLPRI};
pub use process::{
    at_exit, at_fork_child, descriptor_is_open, descriptors_available, exported, library_path,
    sleep, spawn, spawn_joinable, thread, Replaceable,
};
pub use socket::{Closer, Socket, SpareReader};
pub use threads::{threads_available, Scheduling};
pub use timers::Timers;

use std::ffi::{CStr, CString};
use std::os::raw::c_int;

/// The errno of a context that was ended (`ETERM`).
pub const ETERM: c_int = zmq_sys::ETERM as c_int;
/// The errno of a call out of turn (`EFSM`).
pub const EFSM: c_int = zmq_sys::EFSM as c_int;
/// `ZMQ_RCVMORE`, for the hot path, which looks no row up.
pub const RCVMORE: c_int = zmq_sys::ZMQ_RCVMORE as c_int;
/// `ZMQ_EVENTS`, likewise.
pub const EVENTS: c_int = zmq_sys::ZMQ_EVENTS as c_int;

/// `ZMQ_SNDMORE`.
pub const SNDMORE: c_int = zmq_sys::ZMQ_SNDMORE as c_int;
/// `ZMQ_DONTWAIT`.
pub const DONTWAIT: c_int = zmq_sys::ZMQ_DONTWAIT as c_int;
/// `ZMQ_EVENT_ALL`, of version 1.
pub const EVENT_ALL: u64 = zmq_sys::ZMQ_EVENT_ALL as u64;
/// `ZMQ_PAIR`.
pub const PAIR: c_int = zmq_sys::ZMQ_PAIR as c_int;
/// `ZMQ_RCVHWM`.
pub const RCVHWM: c_int = zmq_sys::ZMQ_RCVHWM as c_int;
/// `ZMQ_TYPE`.
pub const TYPE: c_int = zmq_sys::ZMQ_TYPE as c_int;
/// `ZMQ_LINGER`.
pub const LINGER: c_int = zmq_sys::ZMQ_LINGER as c_int;
/// `ZMQ_SNDTIMEO`.
pub const SNDTIMEO: c_int = zmq_sys::ZMQ_SNDTIMEO as c_int;
/// `ZMQ_RCVTIMEO`.
pub const RCVTIMEO: c_int = zmq_sys::ZMQ_RCVTIMEO as c_int;

/// An error number as libzmq or the system gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Errno(pub c_int);

impl Errno {
    /// The calling thread's last error.
    #[cold]
    pub fn last() -> Errno {
        // SAFETY: zmq_errno has no preconditions.
        Errno(unsafe { zmq_sys::zmq_errno() })
    }

    /// Forgets the calling thread's last error, for calls that tell failure by it alone.
    fn clear() {
        // SAFETY: the address of the calling thread's errno.
        unsafe { *libc::__errno_location() = 0 };
    }

    /// Makes it the calling thread's last error, as libzmq does.
    #[cold]
    pub fn fail(self) -> Failed {
        // SAFETY: the address of the calling thread's errno.
        unsafe { *libc::__errno_location() = self.0 };
        Failed
    }

    /// libzmq's text for this number; unknown numbers get the system's text.
    pub fn text(self) -> String {
        // SAFETY: zmq_strerror returns a NUL-terminated text for every number; it is copied at once.
        unsafe { CStr::from_ptr(zmq_sys::zmq_strerror(self.0)) }
            .to_string_lossy()
            .into_owned()
    }
}

/// A hot call failed; libzmq holds the errno until the thread's next call. Fetching it later keeps the path of a call
/// that succeeds short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failed;

impl From<Failed> for Errno {
    #[cold]
    #[inline(never)]
    fn from(_: Failed) -> Errno {
        Errno::last()
    }
}

/// Turns a return code of -1 into `Failed`.
#[inline(always)]
fn hot(rc: c_int) -> Result<c_int, Failed> {
    if rc == -1 {
        Err(Failed)
    } else {
        Ok(rc)
    }
}

/// Turns a return code of -1 into the last error.
#[inline(always)]
fn check(rc: c_int) -> Result<c_int, Errno> {
    if rc == -1 {
        Err(Errno::last())
    } else {
        Ok(rc)
    }
}

/// The version of the libzmq that answers: major, minor, patch.
pub fn version() -> (i32, i32, i32) {
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    // SAFETY: three valid pointers to int.
    unsafe { zmq_sys::zmq_version(&mut major, &mut minor, &mut patch) };
    (major, minor, patch)
}

/// Whether libzmq was built with the named capability ("curve", "draft", "WS", ...), in upper or lower case.
pub fn has(capability: &CStr) -> bool {
    let bytes = capability.to_bytes();
    // libzmq itself knows some names in small letters and some in capitals.
    [bytes.to_ascii_lowercase(), bytes.to_ascii_uppercase()]
        .into_iter()
        .filter_map(|name| CString::new(name).ok())
        // SAFETY: a NUL-terminated name.
        .any(|name| unsafe { zmq_sys::zmq_has(name.as_ptr()) == 1 })
}

/// Z85 text for bytes whose count is a multiple of 4 (RFC 32); `None` for other counts.
pub fn z85_encode(bytes: &[u8]) -> Option<Vec<u8>> {
    if bytes.len() % 4 != 0 {
        return None;
    }
    let mut text = vec![0u8; bytes.len() / 4 * 5 + 1];
    // SAFETY: `text` has room for 5/4 of the bytes and a NUL, as zmq_z85_encode asks.
    let done =
        unsafe { zmq_sys::zmq_z85_encode(text.as_mut_ptr().cast(), bytes.as_ptr(), bytes.len()) };
    text.pop();
    (!done.is_null()).then_some(text)
}

/// The bytes of a Z85 text whose length is a multiple of 5 (RFC 32); `None` where libzmq refuses it.
pub fn z85_decode(text: &[u8]) -> Option<Vec<u8>> {
    if text.len() % 5 != 0 {
        return None;
    }
    let text = CString::new(text).ok()?;
    let mut bytes = vec![0u8; text.as_bytes().len() / 5 * 4];
    // SAFETY: `bytes` has room for 4/5 of the text, as zmq_z85_decode asks; the text is NUL-terminated.
    let done = unsafe { zmq_sys::zmq_z85_decode(bytes.as_mut_ptr(), text.as_ptr()) };
    (!done.is_null()).then_some(bytes)
}

/// A new CURVE key pair in Z85: public, secret. ENOTSUP where libzmq has no CURVE.
pub fn curve_keypair() -> Result<(Vec<u8>, Vec<u8>), Errno> {
    let (mut public, mut secret) = ([0u8; 41], [0u8; 41]);
    // SAFETY: both buffers have the 41 bytes that zmq_curve_keypair asks for.
    check(unsafe {
        zmq_sys::zmq_curve_keypair(public.as_mut_ptr().cast(), secret.as_mut_ptr().cast())
    })?;
    Ok((public[..40].to_vec(), secret[..40].to_vec()))
}

/// The public key (Z85) that belongs to a secret key of 40 Z85 characters.
pub fn curve_public(secret: &[u8; 40]) -> Result<Vec<u8>, Errno> {
    let secret = CString::new(&secret[..]).map_err(|_| Errno(libc::EINVAL))?;
    let mut public = [0u8; 41];
    // SAFETY: a 41-byte buffer, and a NUL-terminated key of 40 characters.
    check(unsafe { zmq_sys::zmq_curve_public(public.as_mut_ptr().cast(), secret.as_ptr()) })?;
    Ok(public[..40].to_vec())
}
