//! Reading the bytes of messages and buffers as plain C functions: what a parser of binary messages calls for each field.

use super::hot::{bad_argument, bad_self, this};
use super::object::{at, Object};
use super::text::Text;
use super::Row;
use crate::core::{Buffer, Message};
use mlua::ffi::{self, lua_State};
use std::os::raw::c_int;

/// Methods of messages; names with `__` go into the metatable.
pub const MESSAGE_CONTENT: &[Row] = &[
    Row {
        names: &["sub"],
        args: "first[, last]",
        doc: "A part of the content as a string, as `string.sub` counts: from 1, from the end where negative, cut to \
              what is there.",
        call: sub::<Message>,
    },
    Row {
        names: &["byte"],
        args: "[position]",
        doc: "The byte at a position (1 unless given, from the end where negative) as a number; nil where there is \
              none.",
        call: byte::<Message>,
    },
    Row {
        names: &["__len", "len"],
        args: "",
        doc: "The size in bytes: `#message`.",
        call: len::<Message>,
    },
    Row {
        names: &["__eq"],
        args: "other",
        doc: "Tells whether two messages hold the same bytes: `message == other`. A closed one equals only itself.",
        call: equal,
    },
];

/// The same of buffers.
pub const BUFFER: &[Row] = &[
    Row {
        names: &["string"],
        args: "[size]",
        doc: "The first `size` bytes as a string, all unless given, cut to what is there.",
        call: string,
    },
    Row {
        names: &["sub"],
        args: "first[, last]",
        doc: "A part of the bytes as a string, as `string.sub` counts: from 1, from the end where negative, cut to \
              what is there.",
        call: sub::<Buffer>,
    },
    Row {
        names: &["byte"],
        args: "[position]",
        doc: "The byte at a position (1 unless given, from the end where negative) as a number; nil where there is \
              none.",
        call: byte::<Buffer>,
    },
    Row {
        names: &["size", "__len", "len"],
        args: "",
        doc: "The size in bytes, as `#buffer` tells too.",
        call: len::<Buffer>,
    },
];

/// What has bytes to read; None once it is closed, or where it is none of this kind.
trait Content: Object {
    fn content(&self) -> Option<&[u8]>;
}

impl Content for Message {
    fn content(&self) -> Option<&[u8]> {
        self.is_live().then(|| self.inner.bytes())
    }
}

impl Content for Buffer {
    fn content(&self) -> Option<&[u8]> {
        self.is_live().then_some(&self.bytes[..])
    }
}

/// The bytes of the object at index 1, or what raising left.
#[inline(always)]
unsafe fn bytes_of<'a, T: Content + 'a>(
    state: *mut lua_State,
    name: &str,
) -> Result<&'a [u8], c_int> {
    // SAFETY: a C function's state. The object stays as it is while the call lasts: Lua is not running.
    unsafe {
        let object: &'a T = this::<T>(state, name)?;
        object.content().ok_or_else(|| bad_self::<T>(state, name))
    }
}

/// The size in bytes at `index`, None for nothing and nil, or what raising left.
pub(super) unsafe fn size_at(
    state: *mut lua_State,
    index: c_int,
    name: &str,
) -> Result<Option<usize>, c_int> {
    // SAFETY: a C function's state.
    unsafe {
        if ffi::lua_type(state, index) <= ffi::LUA_TNIL {
            return Ok(None);
        }
        if ffi::lua_isnumber(state, index) == 0 {
            return Err(bad_argument(state, index, name, "size expected"));
        }
        let size = ffi::lua_tonumber(state, index);
        if size >= 0.0 && size.fract() == 0.0 {
            return Ok(Some(size as usize));
        }
        let number = index - 1;
        let text = format_args!("bad argument #{number} to '{name}' (size expected, got {size})");
        Err(Text::new(text).raise(state))
    }
}

unsafe extern "C-unwind" fn string(state: *mut lua_State) -> c_int {
    // SAFETY: a C function's state.
    unsafe {
        let size = bytes_of::<Buffer>(state, "string")
            .and_then(|bytes| Ok((bytes, size_at(state, 2, "string")?)));
        let (bytes, size) = match size {
            Ok(found) => found,
            Err(raised) => return raised,
        };
        let size = size.unwrap_or(bytes.len()).min(bytes.len());
        ffi::lua_pushlstring(state, bytes.as_ptr().cast(), size);
    }
    1
}

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

unsafe extern "C-unwind" fn sub<T: Content>(state: *mut lua_State) -> c_int {
    // SAFETY: a C function's state; the object stays as it is while the string is made.
    unsafe {
        let bytes = match bytes_of::<T>(state, "sub") {
            Ok(bytes) => bytes,
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

unsafe extern "C-unwind" fn byte<T: Content>(state: *mut lua_State) -> c_int {
    // SAFETY: a C function's state.
    unsafe {
        let bytes = match bytes_of::<T>(state, "byte") {
            Ok(bytes) => bytes,
            Err(raised) => return raised,
        };
        let position = match position(state, 2, 1, "byte") {
            Ok(position) => position,
            Err(raised) => return raised,
        };
        let at = usize::try_from(from_start(position, bytes.len() as i64) - 1).ok();
        match at.and_then(|at| bytes.get(at)) {
            Some(&byte) => ffi::lua_pushinteger(state, byte.into()),
            None => ffi::lua_pushnil(state),
        }
    }
    1
}

unsafe extern "C-unwind" fn len<T: Content>(state: *mut lua_State) -> c_int {
    // SAFETY: a C function's state.
    unsafe {
        match bytes_of::<T>(state, "len") {
            Ok(bytes) => ffi::lua_pushnumber(state, bytes.len() as ffi::lua_Number),
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
