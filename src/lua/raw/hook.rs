//! One Lua function that belongs to an object: it lives in the userdata's environment, so that the collector sees that
//! the two may hold each other.

use mlua::ffi;
use mlua::{Function, Lua, Value};

const KEY: *const std::ffi::c_char = c"rzmq.hook".as_ptr();

/// Gives `object` (a userdata) a function, or takes it away where `hook` is nil.
pub fn set_hook(lua: &Lua, object: &Value, hook: &Value) -> mlua::Result<()> {
    // SAFETY: the closure holds nothing with a destructor; it leaves nothing on the stack.
    unsafe {
        lua.exec_raw((object, hook), |state| {
            // A table of its own: the environment that a userdata begins with is shared.
            ffi::lua_createtable(state, 0, 1);
            ffi::lua_insert(state, 2);
            ffi::lua_setfield(state, 2, KEY);
            ffi::lua_setuservalue(state, 1);
            ffi::lua_settop(state, 0);
        })
    }
}

/// Takes the function of `object` away and returns it.
pub fn take_hook(lua: &Lua, object: &Value) -> mlua::Result<Option<Function>> {
    // SAFETY: as above; it leaves one value.
    let hook: Value = unsafe {
        lua.exec_raw(object, |state| {
            if ffi::lua_getuservalue(state, 1) == ffi::LUA_TTABLE {
                ffi::lua_pushstring(state, KEY);
                ffi::lua_rawget(state, 2);
            } else {
                ffi::lua_pushnil(state);
            }
            ffi::lua_insert(state, 1);
            ffi::lua_settop(state, 1);
        })?
    };
    let Value::Function(hook) = hook else {
        return Ok(None);
    };
    set_hook(lua, object, &Value::Nil)?;
    Ok(Some(hook))
}
