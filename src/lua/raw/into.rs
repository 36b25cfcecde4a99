//! Receiving into memory and sending from it, as plain C functions: buffers on every Lua, and addresses.

use super::content::size_at;
use super::hot::{after, attempt, bad_argument, bad_flags, done, errno_at, flags, open_socket};
use super::hot::{again, Named};
use super::object::at;
use super::text::Text;
use super::Row;
use crate::core::{tag::State, Buffer, Socket};
use crate::sys;
use mlua::ffi::{self, lua_State};
use std::os::raw::c_int;

/// Methods of sockets.
pub const SOCKET_INTO: &[Row] = &[
    Row {
        names: &["recv_into"],
        args: "buffer[, size[, flags]]",
        doc: "Receives a message, or part, into memory, and returns how many bytes it has: more than `size` tells that \
              it was cut. The buffer is a `zmq.buffer`, whose size is taken if none is given; or, with a size, light \
              userdata, a pointer or array of LuaJIT's FFI (not with RZMQ_BACKEND=classic; an array too small, or a \
              wrong address, is the caller's risk), or one of its string buffers, which grows by what came. Blocks as \
              rcvtimeo says, unless DONTWAIT. EAGAIN, EINTR, ETERM, EFSM.",
        call: recv_into,
    },
    Row {
        names: &["send_buffer"],
        args: "buffer[, size[, flags]]",
        doc: "Sends a copy of the first `size` bytes of a buffer as a message, or part; the whole if no size is given. \
              What a buffer may be, `recv_into` tells. Blocks and fails as `send`.",
        call: send_buffer,
    },
];

/// What the LuaJIT overlay calls when a receive into memory, or of many, failed: socket, flags, errno.
pub const INTO_COLD: &[Named] = &[
    ("recv_into", recv_into_waits),
    ("recv_many", recv_many_waits),
];

/// LuaJIT's type number for what its FFI makes.
const CDATA: c_int = 10;

/// The memory at index 2 and the size at 3, or what raising left.
unsafe fn memory(state: *mut lua_State, name: &str) -> Result<(*mut u8, usize), c_int> {
    // SAFETY: a C function's state. Nothing runs in Lua while the call lasts, so a buffer stays as it is.
    unsafe {
        let size = size_at(state, 3, name)?;
        if let Some(buffer) = at::<Buffer>(state, 2).as_mut() {
            match buffer.state() {
                State::Live => {
                    let room = buffer.bytes.len();
                    let size = size.unwrap_or(room);
                    if size > room {
                        let text = format_args!(
                            "bad argument #2 to '{name}' (size {size} in a buffer of {room} bytes)"
                        );
                        return Err(Text::new(text).raise(state));
                    }
                    return Ok((buffer.bytes.as_mut_ptr(), size));
                }
                State::Closed => {
                    let text = format_args!("bad argument #1 to '{name}' (the buffer is closed)");
                    return Err(Text::new(text).raise(state));
                }
                _ => {}
            }
        }
        if size.is_none() && ffi::lua_type(state, 2) == CDATA {
            return Err(bad_argument(state, 3, name, "size expected"));
        }
        let address = ffi::lua_touserdata(state, 2);
        if ffi::lua_type(state, 2) != ffi::LUA_TLIGHTUSERDATA || address.is_null() {
            return Err(bad_argument(state, 2, name, "buffer expected"));
        }
        match size {
            Some(size) => Ok((address.cast(), size)),
            None => Err(bad_argument(state, 3, name, "size expected")),
        }
    }
}

unsafe extern "C-unwind" fn recv_into(state: *mut lua_State) -> c_int {
    const NAME: &str = "recv_into";
    // SAFETY: a C function's state; the memory has the size told with it.
    unsafe {
        let socket = match open_socket(state, NAME) {
            Ok(socket) => socket,
            Err(raised) => return raised,
        };
        let (to, size) = match memory(state, NAME) {
            Ok(memory) => memory,
            Err(raised) => return raised,
        };
        let Some(flags) = flags(state, 4) else {
            return bad_flags(state, 4, NAME);
        };
        let (mut bytes, room) = (0, std::slice::from_raw_parts_mut(to, size));
        let recv = |socket: &mut Socket| {
            bytes = socket.recv_into(room, flags)?;
            Ok(())
        };
        match attempt(state, socket, sys::RCVTIMEO, recv) {
            Ok(()) => ffi::lua_pushnumber(state, bytes as ffi::lua_Number),
            Err(errno) => return after(state, errno, NAME),
        }
    }
    1
}

unsafe extern "C-unwind" fn recv_into_waits(state: *mut lua_State) -> c_int {
    // SAFETY: a C function's state.
    unsafe { recv_waits(state, "recv_into") }
}

unsafe extern "C-unwind" fn recv_many_waits(state: *mut lua_State) -> c_int {
    // SAFETY: a C function's state.
    unsafe { recv_waits(state, "recv_many") }
}

/// Goes on with a receive that failed: where it succeeds, the message waits for the next receive.
unsafe fn recv_waits(state: *mut lua_State, name: &str) -> c_int {
    // SAFETY: a C function's state.
    unsafe {
        let socket = match open_socket(state, name) {
            Ok(socket) => socket,
            Err(raised) => return raised,
        };
        let flags = flags(state, 2).unwrap_or(0);
        let recv = |socket: &mut Socket| socket.recv(flags).map(drop);
        let answer = again(state, socket, sys::RCVTIMEO, errno_at(state, 3), recv);
        answer.map_or_else(|errno| after(state, errno, name), |()| done(state))
    }
}

unsafe extern "C-unwind" fn send_buffer(state: *mut lua_State) -> c_int {
    const NAME: &str = "send_buffer";
    // SAFETY: a C function's state; the memory has the size told with it.
    unsafe {
        let socket = match open_socket(state, NAME) {
            Ok(socket) => socket,
            Err(raised) => return raised,
        };
        let (from, size) = match memory(state, NAME) {
            Ok(memory) => memory,
            Err(raised) => return raised,
        };
        let Some(flags) = flags(state, 4) else {
            return bad_flags(state, 4, NAME);
        };
        let bytes = std::slice::from_raw_parts(from, size);
        let send = |socket: &mut Socket| socket.send_copy(bytes, flags);
        let answer = attempt(state, socket, sys::SNDTIMEO, send);
        answer.map_or_else(|errno| after(state, errno, NAME), |()| done(state))
    }
}
