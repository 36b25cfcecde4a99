//! The other ways to receive, as plain C functions: a message may have more parts than mlua's stack has room for.
//!
//! What was received stays in the socket until Lua has it, since making a string may raise.

use super::hot::{after, attempt, bad_argument, bad_flags, flags, longest_string, open_socket};
use super::lend::collect;
use super::object::Object;
use super::text::Text;
use super::{push_failure, Row};
use crate::core::{Message, Socket};
use crate::sys::{self, Errno};
use mlua::ffi::{self, lua_State};
use std::os::raw::c_int;

/// Methods of sockets.
pub const SOCKET_RECV: &[Row] = &[
    Row {
        names: &["recv_all", "recv_multipart"],
        args: "[flags]",
        doc: "Receives a whole message as a list of its parts. Blocks as rcvtimeo says, unless DONTWAIT. EAGAIN; a \
              failure in the middle (ETERM, or EMSGSIZE for a part that LuaJIT can't hold) has as fourth value the \
              list of the parts before it.",
        call: recv_all,
    },
    Row {
        names: &["recvx"],
        args: "[flags]",
        doc: "Receives a whole message and returns its parts. Fails as `recv_all`, the parts from the fourth value on. \
              EMSGSIZE for more than Lua can return, some 8000: `recv_all` then takes them.",
        call: recvx,
    },
    Row {
        names: &["recv_len"],
        args: "size[, flags]",
        doc: "Receives a part, and returns its first `size` bytes, whether others follow, and its whole size. Blocks \
              as rcvtimeo says, unless DONTWAIT. EAGAIN.",
        call: recv_len,
    },
    Row {
        names: &["recv_new_msg"],
        args: "[flags]",
        doc: "Receives a part into a new message, and returns that and whether others follow. Blocks as rcvtimeo says, \
              unless DONTWAIT. EAGAIN.",
        call: recv_new_msg,
    },
];

/// Receives a whole message into the socket. How many of its parts Lua can have, and the error if not all; or what
/// raising or failing left.
unsafe fn recv_parts<'a>(
    state: *mut lua_State,
    name: &str,
) -> Result<(&'a mut Socket, usize, Option<Errno>), c_int> {
    // SAFETY: a C function's state.
    unsafe {
        let socket = open_socket(state, name)?;
        let Some(flags) = flags(state, 2) else {
            return Err(bad_flags(state, 2, name));
        };
        let recv = |socket: &mut Socket| socket.recv_parts(flags).map_err(Errno::fail);
        let answer = attempt(state, socket, sys::RCVTIMEO, recv);
        let count = socket.waiting().len();
        let longest = longest_string();
        let too_long = socket.waiting().position(|part| part.len() > longest);
        match (answer, too_long) {
            (Err(errno), _) if count == 0 => Err(after(state, errno, name)),
            (Ok(()), Some(at)) => Ok((socket, at, Some(Errno(libc::EMSGSIZE)))),
            (answer, _) => Ok((socket, count, answer.err())),
        }
    }
}

/// Pushes a part as a string; may raise for memory, and then the message is still undelivered.
unsafe fn push_part(state: *mut lua_State, part: &sys::Message) {
    // SAFETY: the bytes stay while the part does. The stack has room for one value.
    unsafe {
        ffi::lua_pushlstring(state, part.data().cast(), part.len());
    }
}

unsafe extern "C-unwind" fn recv_all(state: *mut lua_State) -> c_int {
    const NAME: &str = "recv_all";
    // SAFETY: a C function's state.
    unsafe {
        let (socket, count, errno) = match recv_parts(state, NAME) {
            Ok(received) => received,
            Err(results) => return results,
        };
        let results = errno.map_or(0, |errno| after(state, errno, NAME));
        ffi::lua_createtable(state, c_int::try_from(count).unwrap_or(c_int::MAX), 0);
        for (at, part) in socket.waiting().take(count).enumerate() {
            push_part(state, part);
            ffi::lua_rawseti(state, -2, at as ffi::lua_Integer + 1);
        }
        socket.parts_delivered();
        results + 1
    }
}

unsafe extern "C-unwind" fn recvx(state: *mut lua_State) -> c_int {
    const NAME: &str = "recvx";
    // SAFETY: a C function's state; the stack is asked for room.
    unsafe {
        let (socket, count, errno) = match recv_parts(state, NAME) {
            Ok(received) => received,
            Err(results) => return results,
        };
        let values = c_int::try_from(count + 4).unwrap_or(c_int::MAX);
        if ffi::lua_checkstack(state, values) == 0 {
            let text = Errno(libc::EMSGSIZE);
            let text = Text::new(format_args!(
                "{}: {count} parts are more than recvx can return; recv_all takes them",
                text.text()
            ));
            return push_failure(state, &text, libc::EMSGSIZE);
        }
        let results = errno.map_or(0, |errno| after(state, errno, NAME));
        for part in socket.waiting().take(count) {
            push_part(state, part);
        }
        socket.parts_delivered();
        results + count as c_int
    }
}

unsafe extern "C-unwind" fn recv_len(state: *mut lua_State) -> c_int {
    const NAME: &str = "recv_len";
    // SAFETY: a C function's state. If pushing the string raises, the message is still undelivered.
    unsafe {
        let socket = match open_socket(state, NAME) {
            Ok(socket) => socket,
            Err(raised) => return raised,
        };
        let most = match ffi::lua_isnumber(state, 2) != 0 {
            true => ffi::lua_tonumber(state, 2),
            false => return bad_argument(state, 2, NAME, "number expected"),
        };
        if !(most >= 0.0 && most.fract() == 0.0) {
            let text = format_args!("bad argument #1 to '{NAME}' (size expected, got {most})");
            return Text::new(text).raise(state);
        }
        let Some(flags) = flags(state, 3) else {
            return bad_flags(state, 3, NAME);
        };
        let recv = |socket: &mut Socket| socket.recv(flags).map(drop);
        let answer = attempt(state, socket, sys::RCVTIMEO, recv);
        // Undelivered now, so this one receives nothing new.
        let received = answer.and_then(|()| Ok(socket.recv(flags)?));
        let undelivered = match received.map(|(_, undelivered)| undelivered) {
            Ok(undelivered) => undelivered,
            Err(errno) => return after(state, errno, NAME),
        };
        let size = socket.inbox().len();
        let most = (most.min(size as f64) as usize).min(longest_string());
        ffi::lua_pushlstring(state, socket.inbox().data().cast(), most);
        ffi::lua_pushboolean(state, socket.inbox().more().into());
        ffi::lua_pushnumber(state, size as ffi::lua_Number);
        *undelivered = 0;
        socket.delivered(size);
    }
    3
}

unsafe extern "C-unwind" fn recv_new_msg(state: *mut lua_State) -> c_int {
    const NAME: &str = "recv_new_msg";
    // SAFETY: a C function's state. The payload is whole before the metatable with its finaliser is set.
    unsafe {
        let socket = match open_socket(state, NAME) {
            Ok(socket) => socket,
            Err(raised) => return raised,
        };
        let Some(flags) = flags(state, 2) else {
            return bad_flags(state, 2, NAME);
        };
        let message = ffi::lua_newuserdata(state, size_of::<Message>()).cast::<Message>();
        ffi::luaL_getmetatable(state, Message::NAME.as_ptr());
        message.write(Message::new(sys::Message::new()));
        ffi::lua_setmetatable(state, -2);
        let recv = |socket: &mut Socket| socket.recv_message(&mut *message, flags).map(drop);
        let answer = attempt(state, socket, sys::RCVTIMEO, recv);
        if let Err(errno) = answer {
            return after(state, errno, NAME);
        }
        ffi::lua_pushboolean(state, (*message).inner.more().into());
        collect(state);
    }
    2
}
