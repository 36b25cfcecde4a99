//! Cold calls: the mlua closure is an upvalue of C functions, the only thing that Lua programs hold.
//!
//! The closure answers true and its results, or false and a text to raise. A closure whose Lua state is closing is
//! never called: mlua's own memory may be gone.

use super::ending::Closing;
use super::text::Text;
use mlua::ffi::{self, lua_State};
use mlua::{Function, Lua, Value};
use std::os::raw::c_int;

/// The function that programs get for the call that `dispatch` knows by `number`.
pub fn wrap(lua: &Lua, dispatch: &Function, closing: &Value, number: usize) -> mlua::Result<Value> {
    // SAFETY: the stack holds just the three upvalues, which the new closure takes.
    unsafe {
        lua.exec_raw((dispatch, closing, number), |state| {
            ffi::lua_pushcclosure(state, call, 3)
        })
    }
}

unsafe extern "C-unwind" fn call(state: *mut lua_State) -> c_int {
    // SAFETY: the upvalues are as `wrap` made them; nothing here has a destructor.
    unsafe {
        let closing = ffi::lua_touserdata(state, ffi::lua_upvalueindex(2)).cast::<Closing>();
        if (*closing).0 {
            return Text::new(format_args!("the Lua state is closing")).raise(state);
        }
        ffi::lua_pushvalue(state, ffi::lua_upvalueindex(1));
        ffi::lua_insert(state, 1);
        ffi::lua_pushvalue(state, ffi::lua_upvalueindex(3));
        ffi::lua_insert(state, 2);
        let arguments = ffi::lua_gettop(state) - 1;
        if ffi::lua_pcall(state, arguments, ffi::LUA_MULTRET, 0) != ffi::LUA_OK {
            return raise_top(state);
        }
        if ffi::lua_toboolean(state, 1) == 0 {
            ffi::lua_settop(state, 2);
            ffi::luaL_where(state, 1);
            ffi::lua_insert(state, 2);
            ffi::lua_concat(state, 2);
            ffi::lua_error(state);
        }
        ffi::lua_remove(state, 1);
        ffi::lua_gettop(state)
    }
}

/// Raises what is on top of the stack; mlua's error objects become their text.
unsafe fn raise_top(state: *mut lua_State) -> c_int {
    // SAFETY: called from `call`, with an error value on top.
    unsafe {
        if ffi::lua_type(state, -1) == ffi::LUA_TUSERDATA {
            ffi::lua_getglobal(state, c"tostring".as_ptr());
            ffi::lua_insert(state, -2);
            ffi::lua_call(state, 1, 1);
        }
        ffi::lua_error(state)
    }
}
