//! Reading a message's bytes as plain C functions: what a parser of binary messages calls for each field.

use super::hot::{bad_argument, this_message};
use super::object::at;
use super::Row;
use crate::core::Message;
use mlua::ffi::{self, lua_State};
use std::os::raw::c_int;

/// Methods of messages; names with `__` go into the metatable.
pub const MESSAGE_CONTENT: &[Row] = &[
    Row {
        names: &["sub"],
        args: "first[, last]",
        doc: "A part of the content as a string, as `string.sub` counts: from 1, from the end where negative, cut to \
              what is there.",
        call: sub,
    },
    Row {
        names: &["byte"],
        args: "[position]",
        doc: "The byte at a position (1 unless given, from the end where negative) as a number; nil where there is \
              none.",
        call: byte,
    },
    Row {
        names: &["__len", "len"],
        args: "",
        doc: "The size in bytes: `#message`.",
        call: len,
    },
    Row {
        names: &["__eq"],
        args: "other",
        doc: "Tells whether two messages hold the same bytes: `message == other`. A closed one equals only itself.",
        call: equal,
    },
];

/// The whole number at `index`, `default` for none or nil, or what raising left.
unsafe fn position(
    state: *mut lua_State,
    index: c_int,
    default: i64,
    name: &str,
) -> Result<i64, c_int> {
    // SAFETY: a C function's state.
    unsafe {
        if ffi::lua_type(state, index) <= ffi::LUA_TNIL {
            return Ok(default);
        }
        let number = ffi::lua_tonumber(state, index);
        let whole = number.is_infinite() || number.fract() == 0.0;
        if ffi::lua_isnumber(state, index) == 0 || !whole {
            return Err(bad_argument(state, index, name, "whole number expected"));
        }
        // Infinities and what is beyond i64 become its ends, which lie beyond every message.
        Ok(number as i64)
    }
}

/// Counts a negative position from the end.
fn from_start(position: i64, size: i64) -> i64 {
    match position {
        ..=-1 => position.saturating_add(size + 1),
        _ => position,
    }
}

unsafe extern "C-unwind" fn sub(state: *mut lua_State) -> c_int {
    // SAFETY: a C function's state; the message stays as it is while the string is made.
    unsafe {
        let message = match this_message(state, "sub") {
            Ok(message) => message,
            Err(raised) => return raised,
        };
        if ffi::lua_type(state, 2) <= ffi::LUA_TNIL {
            return bad_argument(state, 2, "sub", "whole number expected");
        }
        let bounds = position(state, 2, 1, "sub")
            .and_then(|first| Ok((first, position(state, 3, -1, "sub")?)));
        let (first, last) = match bounds {
            Ok(bounds) => bounds,
            Err(raised) => return raised,
        };
        let bytes = message.inner.bytes();
        let size = bytes.len() as i64;
        let (first, last) = (
            from_start(first, size).max(1),
            from_start(last, size).min(size),
        );
        let part = if first > last {
            &[]
        } else {
            &bytes[first as usize - 1..last as usize]
        };
        ffi::lua_pushlstring(state, part.as_ptr().cast(), part.len());
    }
    1
}

unsafe extern "C-unwind" fn byte(state: *mut lua_State) -> c_int {
    // SAFETY: a C function's state.
    unsafe {
        let message = match this_message(state, "byte") {
            Ok(message) => message,
            Err(raised) => return raised,
        };
        let position = match position(state, 2, 1, "byte") {
            Ok(position) => position,
            Err(raised) => return raised,
        };
        let bytes = message.inner.bytes();
        let at = usize::try_from(from_start(position, bytes.len() as i64) - 1).ok();
        match at.and_then(|at| bytes.get(at)) {
            Some(&byte) => ffi::lua_pushinteger(state, byte.into()),
            None => ffi::lua_pushnil(state),
        }
    }
    1
}

unsafe extern "C-unwind" fn len(state: *mut lua_State) -> c_int {
    // SAFETY: a C function's state.
    unsafe {
        match this_message(state, "len") {
            Ok(message) => ffi::lua_pushnumber(state, message.inner.len() as ffi::lua_Number),
            Err(raised) => return raised,
        }
    }
    1
}

unsafe extern "C-unwind" fn equal(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls it with two userdata that have this metamethod; others could come from a program that got hold
    // of it, so both are checked.
    unsafe {
        let (one, other) = (
            at::<Message>(state, 1).as_ref(),
            at::<Message>(state, 2).as_ref(),
        );
        let live = |message: Option<&'static Message>| message.filter(|message| message.is_live());
        let same = match (live(one), live(other)) {
            (Some(one), Some(other)) => one.inner.bytes() == other.inner.bytes(),
            _ => ffi::lua_rawequal(state, 1, 2) != 0,
        };
        ffi::lua_pushboolean(state, same.into());
    }
    1
}
