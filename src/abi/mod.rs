//! The C surface that LuaJIT calls through its FFI: hot calls only.
//!
//! Each row of `abi!` yields an exported function and its C prototype, which `cdef()` hands to `ffi.cdef`, so the two
//! can't disagree. Functions return a count or 0, or -errno, so that no second call fetches an errno. They check
//! the payload's tag, never touch Lua and never panic. The overlay (`lua/rzmq/ffi.lua`) has checked the metatable.
#![allow(unsafe_code)]

use crate::core::{tag::State, Message, Poller, Socket};
use crate::sys::{Errno, Failed};
use std::ffi::c_void;
use std::os::raw::{c_char, c_int};

/// What `rzmq_recv` found: where the bytes are, and where to note that they were taken.
#[repr(C)]
pub struct Received {
    data: *const u8,
    undelivered: *mut c_int,
}

/// Declares exported functions and gathers their prototypes.
macro_rules! abi {
    ($($(#[doc = $doc:literal])* $c:literal fn $name:ident($($arg:ident: $ty:ty),*) -> $ret:ty $body:block)*) => {
        $(
            $(#[doc = $doc])*
            ///
            /// # Safety
            /// Object pointers are payloads that the overlay's metatable check let through; buffers have the length
            /// told with them.
            #[no_mangle]
            pub unsafe extern "C" fn $name($($arg: $ty),*) -> $ret $body
        )*

        /// The prototypes, in C, of everything above.
        const PROTOTYPES: &[&str] = &[$($c),*];
    };
}

/// Minus the errno, as every function here reports failure.
#[cold]
fn failed(errno: Errno) -> c_int {
    -errno.0
}

#[cold]
#[inline(never)]
fn last_errno(failed: Failed) -> c_int {
    -Errno::from(failed).0
}
/// The most bytes that a string of LuaJIT's can have (`LJ_MAX_STR`).
pub const LONGEST_STRING: c_int = 0x7fff_ff00;

const NOT_OURS: c_int = -libc::ENOTSOCK;
const NO_MESSAGE: c_int = -libc::EFAULT;

/// The payload at `pointer`.
///
/// # Safety
/// `pointer` is a payload of type `T`, and no other reference to it lives: the Lua state that owns it is in this call.
#[inline(always)]
unsafe fn payload<'a, T>(pointer: *mut c_void) -> &'a mut T {
    // SAFETY: the caller's promise.
    unsafe { &mut *pointer.cast::<T>() }
}

/// Brings the content of one message into another; 0, 1 if the collector is to go on, or -errno.
///
/// # Safety
/// Both are payloads of messages.
#[inline(always)]
unsafe fn transfer(
    message: *mut c_void,
    source: *mut c_void,
    run: fn(&mut Message, &mut Message) -> crate::core::Result<bool>,
) -> c_int {
    // A message onto itself: there would be two references to it. The C function decides.
    if message == source {
        return NO_MESSAGE;
    }
    // SAFETY: the caller's promise; two objects.
    let (message, source) = unsafe { (payload::<Message>(message), payload::<Message>(source)) };
    if !message.is_live() || !source.is_live() {
        return NO_MESSAGE;
    }
    run(message, source).map_or_else(|error| failed(Errno(error.errno)), c_int::from)
}

abi! {
    /// A function whose address tells whether the FFI sees the library that `require` loaded.
    "void rzmq_abi(void)"
    fn rzmq_abi() -> () {}

    /// `zmq_send`: 0 or -errno.
    "int rzmq_send(void *socket, const char *data, size_t size, int flags)"
    fn rzmq_send(socket: *mut c_void, data: *const c_char, size: usize, flags: c_int) -> c_int {
        // SAFETY: see the macro; a Lua string is never at address 0.
        let (socket, bytes) = unsafe {
            (payload::<Socket>(socket), std::slice::from_raw_parts(data.cast::<u8>(), size))
        };
        if !socket.is_ours() {
            return NOT_OURS;
        }
        match socket.send(bytes, flags) {
            Ok(()) => 0,
            Err(failed) => last_errno(failed),
        }
    }

    /// `zmq_msg_recv` into the socket: the size or -errno. The message stays there until `*undelivered` is set to 0.
    /// One that no LuaJIT string can hold is consumed: -EMSGSIZE.
    "int rzmq_recv(void *socket, int flags, rzmq_received *received)"
    fn rzmq_recv(socket: *mut c_void, flags: c_int, received: *mut Received) -> c_int {
        // SAFETY: see the macro; `received` is the overlay's own.
        let (socket, received) = unsafe { (payload::<Socket>(socket), &mut *received) };
        if !socket.is_ours() {
            return NOT_OURS;
        }
        match socket.recv(flags) {
            Ok((size, undelivered)) => {
                if size > LONGEST_STRING {
                    socket.discard();
                    return -libc::EMSGSIZE;
                }
                received.data = socket.inbox().data();
                received.undelivered = undelivered;
                size
            }
            Err(failed) => last_errno(failed),
        }
    }

    /// As `rzmq_recv`, without waiting; one that no LuaJIT string can hold stays for the next receive to tell.
    "int rzmq_recv_next(void *socket, rzmq_received *received)"
    fn rzmq_recv_next(socket: *mut c_void, received: *mut Received) -> c_int {
        // SAFETY: as above.
        let (socket, received) = unsafe { (payload::<Socket>(socket), &mut *received) };
        if !socket.is_ours() {
            return NOT_OURS;
        }
        match socket.recv(crate::sys::DONTWAIT) {
            Ok((size, undelivered)) => {
                received.data = socket.inbox().data();
                received.undelivered = undelivered;
                if size > LONGEST_STRING { -libc::EAGAIN } else { size }
            }
            Err(failed) => last_errno(failed),
        }
    }

    /// The message that `rzmq_recv` left was taken: frees a big one at once.
    "void rzmq_delivered(void *socket, size_t size)"
    fn rzmq_delivered(socket: *mut c_void, size: usize) -> () {
        // SAFETY: see the macro.
        unsafe { payload::<Socket>(socket) }.delivered(size);
    }

    /// Receives into memory: the message's size, which may be more than there is room for, or -errno.
    "double rzmq_recv_into(void *socket, void *memory, double size, int flags)"
    fn rzmq_recv_into(socket: *mut c_void, memory: *mut c_void, size: f64, flags: c_int) -> f64 {
        // SAFETY: see the macro; the memory is not NULL, and has the size that the program says.
        let (socket, room) = unsafe {
            (payload::<Socket>(socket), std::slice::from_raw_parts_mut(memory.cast::<u8>(), size as usize))
        };
        if !socket.is_ours() {
            return NOT_OURS.into();
        }
        match socket.recv_into(room, flags) {
            Ok(size) => size as f64,
            Err(failed) => last_errno(failed).into(),
        }
    }

    /// `zmq_send` of memory that may change: 0 or -errno.
    "int rzmq_send_buffer(void *socket, const void *memory, double size, int flags)"
    fn rzmq_send_buffer(socket: *mut c_void, memory: *const c_void, size: f64, flags: c_int) -> c_int {
        // SAFETY: as above.
        let (socket, bytes) = unsafe {
            (payload::<Socket>(socket), std::slice::from_raw_parts(memory.cast::<u8>(), size as usize))
        };
        if !socket.is_ours() {
            return NOT_OURS;
        }
        match socket.send_copy(bytes, flags) {
            Ok(()) => 0,
            Err(failed) => last_errno(failed),
        }
    }

    /// `zmq_msg_send`: 0 or -errno; -EFAULT for a closed message.
    "int rzmq_send_msg(void *socket, void *message, int flags)"
    fn rzmq_send_msg(socket: *mut c_void, message: *mut c_void, flags: c_int) -> c_int {
        // SAFETY: see the macro; a socket and a message are two objects.
        let (socket, message) = unsafe { (payload::<Socket>(socket), payload::<Message>(message)) };
        if !socket.is_ours() {
            return NOT_OURS;
        }
        if !message.is_live() {
            return NO_MESSAGE;
        }
        match socket.send_message(message, flags) {
            Ok(()) => 0,
            Err(failed) => last_errno(failed),
        }
    }

    /// `zmq_msg_recv`: 0, 1 if the collector is to go on, or -errno; -EFAULT for a closed message.
    "int rzmq_recv_msg(void *socket, void *message, int flags)"
    fn rzmq_recv_msg(socket: *mut c_void, message: *mut c_void, flags: c_int) -> c_int {
        // SAFETY: see the macro; a socket and a message are two objects.
        let (socket, message) = unsafe { (payload::<Socket>(socket), payload::<Message>(message)) };
        if !socket.is_ours() {
            return NOT_OURS;
        }
        if !message.is_live() {
            return NO_MESSAGE;
        }
        match socket.recv_message(message, flags) {
            Ok(due) => due.into(),
            Err(failed) => last_errno(failed),
        }
    }

    /// Whether another part follows: 0, 1 or -errno.
    "int rzmq_more(void *socket)"
    fn rzmq_more(socket: *mut c_void) -> c_int {
        // SAFETY: see the macro.
        match unsafe { payload::<Socket>(socket) } {
            socket if !socket.is_ours() => NOT_OURS,
            socket => socket.more().map_or_else(failed, c_int::from),
        }
    }

    /// The option `events`: POLLIN and POLLOUT bits, or -errno.
    "int rzmq_events(void *socket)"
    fn rzmq_events(socket: *mut c_void) -> c_int {
        // SAFETY: see the macro.
        match unsafe { payload::<Socket>(socket) } {
            socket if !socket.is_ours() => NOT_OURS,
            socket => socket.events().unwrap_or_else(failed),
        }
    }

    /// The message's size in bytes; -1 once closed. A double, since LuaJIT boxes 64-bit integers.
    "double rzmq_msg_size(void *message)"
    fn rzmq_msg_size(message: *mut c_void) -> f64 {
        // SAFETY: see the macro.
        match unsafe { payload::<Message>(message) } {
            message if message.is_live() => message.inner.len() as f64,
            _ => -1.0,
        }
    }

    /// Where the message's bytes are; NULL once closed.
    "void *rzmq_msg_data(void *message)"
    fn rzmq_msg_data(message: *mut c_void) -> *mut c_void {
        // SAFETY: see the macro.
        match unsafe { payload::<Message>(message) } {
            message if message.is_live() => message.inner.data().cast(),
            _ => std::ptr::null_mut(),
        }
    }

    /// Replaces the content by a copy: 0, 1 if the collector is to go on, or -errno; -EFAULT for a closed message.
    "int rzmq_msg_set_data(void *message, const char *data, size_t size)"
    fn rzmq_msg_set_data(message: *mut c_void, data: *const c_char, size: usize) -> c_int {
        // SAFETY: see the macro; a Lua string is never at address 0.
        let (message, bytes) = unsafe {
            (payload::<Message>(message), std::slice::from_raw_parts(data.cast::<u8>(), size))
        };
        if !message.is_live() {
            return NO_MESSAGE;
        }
        match message.set_data(bytes) {
            Ok(due) => due.into(),
            Err(error) => failed(Errno(error.errno)),
        }
    }

    /// Takes the source's content, which becomes empty: 0 or -errno; -EFAULT for a closed message.
    "int rzmq_msg_move(void *message, void *source)"
    fn rzmq_msg_move(message: *mut c_void, source: *mut c_void) -> c_int {
        // SAFETY: see the macro.
        unsafe { transfer(message, source, Message::take) }
    }

    /// Shares the source's content: 0 or -errno; -EFAULT for a closed message.
    "int rzmq_msg_copy(void *message, void *source)"
    fn rzmq_msg_copy(message: *mut c_void, source: *mut c_void) -> c_int {
        // SAFETY: see the macro.
        unsafe { transfer(message, source, Message::share) }
    }

    /// Lets go of the message's content; a second call does nothing.
    "void rzmq_msg_close(void *message)"
    fn rzmq_msg_close(message: *mut c_void) -> () {
        // SAFETY: see the macro.
        unsafe { payload::<Message>(message) }.close();
    }

    /// `zmq_poller_wait_all`: how much is ready or -errno; -EFAULT for a closed poller.
    "int rzmq_poller_wait(void *poller, int ms)"
    fn rzmq_poller_wait(poller: *mut c_void, ms: c_int) -> c_int {
        // SAFETY: see the macro.
        match unsafe { payload::<Poller>(poller) } {
            poller if poller.state() != State::Live => -libc::EFAULT,
            poller => poller.wait(ms).map_or_else(failed, |count| count as c_int),
        }
    }

    /// The index of the next that the wait found, and its events; -1 when there is no more, -2 for a closed poller.
    "int rzmq_poller_next(void *poller, int *events)"
    fn rzmq_poller_next(poller: *mut c_void, events: *mut c_int) -> c_int {
        // SAFETY: see the macro; `events` is the overlay's own.
        let (poller, events) = unsafe { (payload::<Poller>(poller), &mut *events) };
        if poller.state() != State::Live {
            return -2;
        }
        let (index, found) = poller.next_ready().map_or((-1, 0), |(index, found)| (index as c_int, found));
        *events = found.into();
        index
    }
}

/// The C declarations of everything exported, for `ffi.cdef`.
pub fn cdef() -> String {
    let mut text =
        "typedef struct { const char *data; int *undelivered; } rzmq_received;\n".to_owned();
    for prototype in PROTOTYPES {
        text.push_str(prototype);
        text.push_str(";\n");
    }
    text
}

/// The address of `rzmq_abi` in the library that runs this.
pub fn address() -> usize {
    rzmq_abi as *const () as usize
}
