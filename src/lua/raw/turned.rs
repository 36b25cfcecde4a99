//! Methods of messages that are methods of sockets with the two turned round.

use super::hot::{bad_argument, bad_flags, bad_self, flags, recv_msg, send_msg};
use super::object::at;
use super::text::Text;
use super::Row;
use crate::core::{tag::State, Message, Socket};
use crate::sys::SNDMORE;
use mlua::ffi::{self, lua_CFunction, lua_State};
use std::os::raw::c_int;

/// Methods of messages.
pub const MESSAGE_TURNED: &[Row] = &[
    Row {
        names: &["send"],
        args: "socket[, flags]",
        doc: "Sends the message, which is empty afterwards: `socket:send_msg(message)`.",
        call: msg_send,
    },
    Row {
        names: &["send_more"],
        args: "socket[, flags]",
        doc: "Sends the message as a part that others follow.",
        call: msg_send_more,
    },
    Row {
        names: &["recv"],
        args: "socket[, flags]",
        doc: "Receives into the message, and returns it and whether others follow: `socket:recv_msg(message)`.",
        call: msg_recv,
    },
];

unsafe extern "C-unwind" fn msg_send(state: *mut lua_State) -> c_int {
    // SAFETY: a C function's state.
    unsafe { turned(state, "send", 0, send_msg) }
}

unsafe extern "C-unwind" fn msg_send_more(state: *mut lua_State) -> c_int {
    // SAFETY: a C function's state.
    unsafe { turned(state, "send_more", SNDMORE, send_msg) }
}

unsafe extern "C-unwind" fn msg_recv(state: *mut lua_State) -> c_int {
    // SAFETY: a C function's state; `turned` left the message at index 2.
    unsafe {
        let results = turned(state, "recv", 0, recv_msg);
        if results != 1 {
            return results;
        }
        ffi::lua_pushvalue(state, 2);
        ffi::lua_pushboolean(state, (*at::<Message>(state, 2)).inner.more().into());
    }
    2
}

/// A method of messages that is one of sockets, with the two turned round.
unsafe fn turned(state: *mut lua_State, name: &str, more: c_int, call: lua_CFunction) -> c_int {
    // SAFETY: a C function's state. After the checks the stack has what `call` expects: socket, message, flags.
    unsafe {
        let message = at::<Message>(state, 1);
        if message.is_null() || !(*message).is_live() {
            return bad_self::<Message>(state, name);
        }
        let socket = at::<Socket>(state, 2);
        let problem = match socket.as_ref().map_or(State::Other, Socket::state) {
            State::Live => "",
            State::Other => return bad_argument(state, 2, name, "socket expected"),
            State::Closed => "is closed",
            State::Parents => "belongs to the parent process",
        };
        if !problem.is_empty() {
            let text = format_args!("bad argument #1 to '{name}' (the socket {problem})");
            return Text::new(text).raise(state);
        }
        let Some(flags) = flags(state, 3) else {
            return bad_flags(state, 3, name);
        };
        ffi::lua_settop(state, 2);
        ffi::lua_insert(state, 1);
        ffi::lua_pushinteger(state, (flags | more) as ffi::lua_Integer);
        call(state)
    }
}
