//! Texts for Lua that need no destructor, and raising them.

use mlua::ffi::{self, lua_State};
use std::fmt::{self, Write};
use std::os::raw::c_int;

/// A text in a fixed buffer: what doesn't fit is cut.
#[derive(Clone, Copy)]
pub struct Text {
    size: usize,
    bytes: [u8; 512],
}

impl Write for Text {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        let room = &mut self.bytes[self.size..];
        let take = part.len().min(room.len());
        room[..take].copy_from_slice(&part.as_bytes()[..take]);
        self.size += take;
        Ok(())
    }
}

impl Text {
    /// A formatted text.
    pub fn new(parts: fmt::Arguments) -> Text {
        let mut text = Text {
            size: 0,
            bytes: [0; 512],
        };
        // Writing into the buffer can't fail.
        let _ = text.write_fmt(parts);
        text
    }

    /// Pushes it as a Lua string; may raise for memory.
    ///
    /// # Safety
    /// `state` has room for one value.
    pub unsafe fn push(&self, state: *mut lua_State) {
        // SAFETY: `size` bytes are in the buffer.
        unsafe { ffi::lua_pushlstring(state, self.bytes.as_ptr().cast(), self.size) };
    }

    /// Raises it as a plain string, with the place of the Lua code that called.
    ///
    /// # Safety
    /// Called from a C function, with nothing alive that has a destructor.
    #[cold]
    pub unsafe fn raise(self, state: *mut lua_State) -> c_int {
        // SAFETY: a C function has room for these values; the caller promised the rest.
        unsafe {
            ffi::luaL_where(state, 1);
            self.push(state);
            ffi::lua_concat(state, 2);
            ffi::lua_error(state)
        }
    }
}

/// What stands at `index`, as errors name it.
///
/// # Safety
/// Called from a C function.
pub unsafe fn type_at(state: *mut lua_State, index: c_int) -> &'static str {
    // SAFETY: type numbers and acceptable indices only; lua_typename returns static text.
    unsafe {
        if ffi::lua_type(state, index) == ffi::LUA_TNONE {
            return "no value";
        }
        let name = ffi::lua_typename(state, ffi::lua_type(state, index));
        std::ffi::CStr::from_ptr(name).to_str().unwrap_or("?")
    }
}
