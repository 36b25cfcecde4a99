//! The other ways to send, as plain C functions: a message may have more parts than mlua's stack has room for.
//!
//! Parts are gathered in the socket, so that an error raised by Lua finds nothing here to be dropped.

use super::hot::{
    after, again, attempt, bad_argument, bad_flags, done, errno_at, flags, open_socket,
};
use super::lend::{add_lent, send_lent};
use super::text::{type_at, Text};
use super::{push_failure, Row};
use crate::core::loan::ASKS_LUA;
use crate::core::{Error, Socket};
use crate::sys::{self, Errno, DONTWAIT, SNDMORE};
use mlua::ffi::{self, lua_State};
use std::os::raw::c_int;

/// Methods of sockets.
pub const SOCKET_SEND: &[Row] = &[
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
];

/// Flags at `index`, or what raising or failing left.
pub(super) unsafe fn flags_of(
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
        if socket.lends(size) {
            let added = add_lent(state, ffi::lua_gettop(state), socket, None);
            return Ok(added.map_or_else(|errno| refused(state, errno.into()), |()| 0));
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
pub(super) unsafe fn has_hole(state: *mut lua_State, index: c_int, last: i64) -> bool {
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
        let answer = match before.map_or_else(|| send(socket).map_err(Errno::from), Err) {
            Err(errno) if errno == ASKS_LUA && socket.lends(size) => {
                send_lent(state, socket, 2, flags | SNDMORE, None)
            }
            Err(errno) => again(state, socket, sys::SNDTIMEO, errno, send),
            Ok(()) => Ok(()),
        };
        answer.map_or_else(|errno| after(state, errno, NAME), |()| done(state))
    }
}
