//! Messages of many parts, and the other ways to send and receive, as plain C functions: a message may have more
//! parts than mlua's stack has room for.
//!
//! Parts are gathered in the socket, so that an error raised by Lua finds nothing here to be dropped.

use super::hot::{
    after, again, bad_argument, bad_flags, bad_self, done, errno_at, flags, longest_string,
    recv_msg, send_msg, this,
};
use super::object::{at, Object};
use super::push_failure;
use super::text::{type_at, Text};
use crate::core::{tag::State, Error, Message, Socket};
use crate::sys::{self, Errno, Failed, DONTWAIT, SNDMORE};
use mlua::ffi::{self, lua_CFunction, lua_State};
use std::os::raw::c_int;

/// A C function, described as `lua::Method` describes a cold call.
pub struct Row {
    /// Its names: the usual one, then others.
    pub names: &'static [&'static str],
    /// Its parameters, as the documentation shows them.
    pub args: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// The function; upvalue 1 is the word for EAGAIN.
    pub call: lua_CFunction,
}

/// Methods of sockets.
pub const SOCKET_PARTS: &[Row] = &[
    Row {
        names: &["send_more"],
        args: "string[, flags]",
        doc: "Sends a part that others follow: `send` with SNDMORE.",
        call: send_more,
    },
    Row {
        names: &["send_all", "send_multipart"],
        args: "list[, flags[, first[, last]]]",
        doc: "Sends the strings of a list (from `first`, 1 unless given, to `last`, its length) as one message, all or \
              nothing: every part is checked before the first is sent. Blocks as sndtimeo says, unless DONTWAIT; with \
              SNDMORE the message goes on. A failure's fourth value is the part that met it. EAGAIN also when the \
              peer went away in the middle: nothing was sent. ENOTSUP for other flags, EINVAL where conflate, STREAM \
              or DGRAM would break the message up.",
        call: send_all,
    },
    Row {
        names: &["sendx"],
        args: "...",
        doc: "Sends its arguments as the parts of one message, as `send_all` does.",
        call: sendx,
    },
    Row {
        names: &["sendx_more"],
        args: "...",
        doc: "Sends its arguments as parts that others follow, as `send_all` with SNDMORE does.",
        call: sendx_more,
    },
    Row {
        names: &["sendv"],
        args: "...",
        doc: "Sends its arguments, joined, as one part. Blocks as sndtimeo says. EAGAIN, ENOMEM.",
        call: sendv,
    },
    Row {
        names: &["sendv_more"],
        args: "...",
        doc: "Sends its arguments, joined, as one part that others follow.",
        call: sendv_more,
    },
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

/// Methods of messages.
pub const MESSAGE_PARTS: &[Row] = &[
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

/// The open socket at index 1, or what raising left.
unsafe fn open_socket<'a>(state: *mut lua_State, name: &str) -> Result<&'a mut Socket, c_int> {
    // SAFETY: see `this`.
    unsafe {
        match this::<Socket>(state, name)? {
            socket if socket.state() == State::Live => Ok(socket),
            _ => Err(bad_self::<Socket>(state, name)),
        }
    }
}

/// Runs a call, and goes on with it where a signal interrupts it and the program asked for that.
unsafe fn attempt(
    state: *mut lua_State,
    socket: &mut Socket,
    timeout: c_int,
    mut call: impl FnMut(&mut Socket) -> Result<(), Failed>,
) -> Result<(), Errno> {
    match call(socket) {
        // SAFETY: a C function's state.
        Err(failed) => unsafe { again(state, socket, timeout, failed.into(), call) },
        Ok(()) => Ok(()),
    }
}

/// Flags at `index`, or what raising or failing left.
unsafe fn flags_of(
    state: *mut lua_State,
    index: c_int,
    allowed: c_int,
    name: &str,
) -> Result<c_int, c_int> {
    // SAFETY: a C function's state.
    unsafe {
        match flags(state, index) {
            None => Err(bad_flags(state, index, name)),
            Some(flags) if flags & !allowed != 0 => {
                let text =
                    format_args!("{}: {name} with flags {flags}", Errno(libc::ENOTSUP).text());
                let text = Text::new(text);
                Err(push_failure(state, &text, libc::ENOTSUP))
            }
            Some(flags) => Ok(flags),
        }
    }
}

/// A failure whose text is core's.
unsafe fn refused(state: *mut lua_State, error: Error) -> c_int {
    let (text, errno) = (Text::new(format_args!("{}", error.text())), error.errno);
    // What follows may raise.
    drop(error);
    // SAFETY: a C function's state.
    unsafe { push_failure(state, &text, errno) }
}

/// Adds the value on top of the stack as a part. 0, or what failing left; `Err` where it is no string.
unsafe fn add_top(state: *mut lua_State, socket: &mut Socket) -> Result<c_int, ()> {
    // SAFETY: a value is on top; it becomes a string only where it is a number.
    unsafe {
        let mut size = 0;
        let data = ffi::lua_tolstring(state, -1, &mut size);
        if data.is_null() {
            return Err(());
        }
        let bytes = std::slice::from_raw_parts(data.cast::<u8>(), size);
        match socket.add_part(bytes) {
            Ok(()) => Ok(0),
            Err(error) => Ok(refused(state, error)),
        }
    }
}

/// Sends what was gathered.
unsafe fn send_gathered(
    state: *mut lua_State,
    socket: &mut Socket,
    flags: c_int,
    name: &str,
) -> c_int {
    // SAFETY: a C function's state.
    unsafe {
        let mut part = 1;
        let send = |socket: &mut Socket| {
            socket.send_gathered(flags).map_err(|(at, errno)| {
                part = at;
                errno.fail()
            })
        };
        let answer = attempt(state, socket, sys::SNDTIMEO, send);
        match answer {
            Ok(()) => done(state),
            Err(errno) => {
                let results = after(state, errno, name);
                ffi::lua_pushinteger(state, part as ffi::lua_Integer);
                results + 1
            }
        }
    }
}

unsafe extern "C-unwind" fn send_all(state: *mut lua_State) -> c_int {
    const NAME: &str = "send_all";
    // SAFETY: a C function's state; the table is at index 2 for the whole call.
    unsafe {
        let socket = match open_socket(state, NAME) {
            Ok(socket) => socket,
            Err(raised) => return raised,
        };
        if ffi::lua_type(state, 2) != ffi::LUA_TTABLE {
            return bad_argument(state, 2, NAME, "table expected");
        }
        let flags_given = match flags_of(state, 3, SNDMORE | DONTWAIT, NAME) {
            Ok(flags) => flags,
            Err(results) => return results,
        };
        let (mut first, mut last) = (1, ffi::lua_rawlen(state, 2) as i64);
        for (index, bound) in [(4, &mut first), (5, &mut last)] {
            if ffi::lua_type(state, index) > ffi::LUA_TNIL {
                match flags(state, index) {
                    Some(given) => *bound = given.into(),
                    None => return bad_argument(state, index, NAME, "whole number expected"),
                }
            }
        }
        if last < first {
            let text =
                format_args!("bad argument #1 to '{NAME}' (no parts from {first} to {last})");
            return Text::new(text).raise(state);
        }
        if ffi::lua_type(state, 5) <= ffi::LUA_TNIL && has_hole(state, 2, last) {
            // The part that is missing makes this one fail.
            last += 1;
        }
        if let Err(error) = socket.gather((last - first) as usize + 1) {
            return refused(state, error);
        }
        for at in first..=last {
            ffi::lua_rawgeti(state, 2, at as ffi::lua_Integer);
            match add_top(state, socket) {
                Ok(0) => {}
                Ok(results) => return results,
                Err(()) => {
                    let got = type_at(state, -1);
                    let text = format_args!(
                        "bad argument #1 to '{NAME}' (entry {at}: string expected, got {got})"
                    );
                    return Text::new(text).raise(state);
                }
            }
            ffi::lua_pop(state, 1);
        }
        send_gathered(state, socket, flags_given, NAME)
    }
}

/// Whether a list whose length Lua gives as `last` has entries behind that: where it holds nils, Lua may take any one
/// of them for its end, and LuaJIT takes the first.
unsafe fn has_hole(state: *mut lua_State, index: c_int, last: i64) -> bool {
    // SAFETY: a table is at `index`; its pairs go on the stack and off again.
    unsafe {
        ffi::lua_pushnil(state);
        while ffi::lua_next(state, index) != 0 {
            ffi::lua_pop(state, 1);
            if ffi::lua_type(state, -1) == ffi::LUA_TNUMBER {
                let key = ffi::lua_tonumber(state, -1);
                if key > last as f64 && key.fract() == 0.0 {
                    ffi::lua_pop(state, 1);
                    return true;
                }
            }
        }
    }
    false
}

unsafe extern "C-unwind" fn sendx(state: *mut lua_State) -> c_int {
    // SAFETY: a C function's state.
    unsafe { send_arguments(state, 0, "sendx") }
}

unsafe extern "C-unwind" fn sendx_more(state: *mut lua_State) -> c_int {
    // SAFETY: a C function's state.
    unsafe { send_arguments(state, SNDMORE, "sendx_more") }
}

unsafe fn send_arguments(state: *mut lua_State, flags: c_int, name: &str) -> c_int {
    // SAFETY: a C function's state.
    unsafe {
        let socket = match open_socket(state, name) {
            Ok(socket) => socket,
            Err(raised) => return raised,
        };
        let last = ffi::lua_gettop(state);
        if let Err(error) = socket.gather(last as usize - 1) {
            return refused(state, error);
        }
        // Without arguments it is the first that is missing.
        for index in 2..=last.max(2) {
            if ffi::lua_isstring(state, index) == 0 {
                return bad_argument(state, index, name, "string expected");
            }
            ffi::lua_pushvalue(state, index);
            match add_top(state, socket) {
                Ok(0) => ffi::lua_pop(state, 1),
                Ok(results) => return results,
                Err(()) => return bad_argument(state, index, name, "string expected"),
            }
        }
        send_gathered(state, socket, flags, name)
    }
}

unsafe extern "C-unwind" fn sendv(state: *mut lua_State) -> c_int {
    // SAFETY: a C function's state.
    unsafe { send_joined(state, 0, "sendv") }
}

unsafe extern "C-unwind" fn sendv_more(state: *mut lua_State) -> c_int {
    // SAFETY: a C function's state.
    unsafe { send_joined(state, SNDMORE, "sendv_more") }
}

unsafe fn send_joined(state: *mut lua_State, flags: c_int, name: &str) -> c_int {
    // SAFETY: a C function's state. Numbers become strings in the first round, so that nothing raises in the second,
    // whose copies have the sizes that the first added up.
    unsafe {
        let socket = match open_socket(state, name) {
            Ok(socket) => socket,
            Err(raised) => return raised,
        };
        let last = ffi::lua_gettop(state);
        let (mut all, mut size) = (0, 0);
        for index in 2..=last.max(2) {
            if ffi::lua_tolstring(state, index, &mut size).is_null() {
                return bad_argument(state, index, name, "string expected");
            }
            all += size;
        }
        let room = socket.gather(1).and_then(|()| socket.add_room(all));
        let mut rest = match room {
            Ok(room) => room,
            Err(error) => return refused(state, error),
        };
        for index in 2..=last {
            let data = ffi::lua_tolstring(state, index, &mut size).cast::<u8>();
            let (piece, behind) = rest.split_at_mut(size);
            piece.copy_from_slice(std::slice::from_raw_parts(data, size));
            rest = behind;
        }
        send_gathered(state, socket, flags, name)
    }
}

unsafe extern "C-unwind" fn send_more(state: *mut lua_State) -> c_int {
    // SAFETY: a C function's state.
    unsafe { send_part_more(state, None) }
}

/// What the LuaJIT overlay calls when its own send_more failed: the call's arguments, then the errno.
pub(super) unsafe extern "C-unwind" fn send_more_failed(state: *mut lua_State) -> c_int {
    // SAFETY: a C function's state.
    unsafe { send_part_more(state, Some(errno_at(state, 4))) }
}

/// Sends a part that others follow; after a failure `before`, only goes on where that was a signal.
unsafe fn send_part_more(state: *mut lua_State, before: Option<Errno>) -> c_int {
    const NAME: &str = "send_more";
    // SAFETY: a C function's state.
    unsafe {
        let socket = match open_socket(state, NAME) {
            Ok(socket) => socket,
            Err(raised) => return raised,
        };
        let mut size = 0;
        let data = ffi::lua_tolstring(state, 2, &mut size);
        if data.is_null() {
            return bad_argument(state, 2, NAME, "string expected");
        }
        let Some(flags) = flags(state, 3) else {
            return bad_flags(state, 3, NAME);
        };
        let bytes = std::slice::from_raw_parts(data.cast::<u8>(), size);
        let send = |socket: &mut Socket| socket.send(bytes, flags | SNDMORE);
        let answer = match before {
            Some(errno) => again(state, socket, sys::SNDTIMEO, errno, send),
            None => attempt(state, socket, sys::SNDTIMEO, send),
        };
        answer.map_or_else(|errno| after(state, errno, NAME), |()| done(state))
    }
}

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
        let recv = |socket: &mut Socket| socket.recv_message(&mut *message, flags);
        let answer = attempt(state, socket, sys::RCVTIMEO, recv);
        if let Err(errno) = answer {
            return after(state, errno, NAME);
        }
        ffi::lua_pushboolean(state, (*message).inner.more().into());
    }
    2
}

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
