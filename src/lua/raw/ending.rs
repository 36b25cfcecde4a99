//! The end mark: a userdata made after all closures, so that Lua, which finalises the newest first, comes to it
//! before them when the state closes. It sets the flag that each trampoline looks at.

use super::lend::keep_what_is_out;
use crate::core::ending;
use crate::sys::Loans;
use mlua::ffi::{self, lua_State};
use mlua::{Lua, Value};
use std::os::raw::c_int;
use std::sync::Arc;

/// Whether the Lua state is closing: an upvalue of each trampoline. It has no finaliser, so it stays readable until
/// the state's memory is freed.
#[repr(C)]
pub struct Closing(pub bool);

#[repr(C)]
struct EndMark {
    flag: *mut Closing,
    /// Counted: an `Arc` made raw.
    loans: *const Loans,
}

/// Makes the flag, not yet set.
pub fn new_flag(lua: &Lua) -> mlua::Result<Value> {
    // SAFETY: the closure holds nothing with a destructor.
    unsafe {
        lua.exec_raw((), |state| {
            ffi::lua_newuserdata(state, size_of::<Closing>())
                .cast::<Closing>()
                .write(Closing(false));
        })
    }
}

/// Makes the mark, last of all, and anchors it and the flag.
pub fn set_end_mark(lua: &Lua, flag: &Value, loans: &Arc<Loans>) -> mlua::Result<()> {
    let loans = Arc::into_raw(loans.clone());
    // SAFETY: the closure holds nothing with a destructor; the payload is written before the finaliser is set, and
    // the flag it points to is anchored for as long as the state lives.
    unsafe {
        lua.exec_raw(flag, |state| {
            let flag = ffi::lua_touserdata(state, 1).cast::<Closing>();
            ffi::lua_setfield(state, ffi::LUA_REGISTRYINDEX, c"rzmq.closing".as_ptr());
            ffi::lua_newuserdata(state, size_of::<EndMark>())
                .cast::<EndMark>()
                .write(EndMark { flag, loans });
            ffi::lua_createtable(state, 0, 1);
            ffi::lua_pushcfunction(state, fall);
            ffi::lua_setfield(state, -2, c"__gc".as_ptr());
            ffi::lua_setmetatable(state, -2);
            ffi::lua_setfield(state, ffi::LUA_REGISTRYINDEX, c"rzmq.end_mark".as_ptr());
        })
    }
}

/// The mark's finaliser: waits for unsent messages, at most `exit_linger` ms, and keeps the strings that are out.
unsafe extern "C-unwind" fn fall(state: *mut lua_State) -> c_int {
    // SAFETY: only the mark has this finaliser, out of reach of programs but for the debug library: with its help
    // another userdata could come here, so the mark is the one that the registry holds.
    unsafe {
        ffi::lua_getfield(state, ffi::LUA_REGISTRYINDEX, c"rzmq.end_mark".as_ptr());
        let anchored = ffi::lua_touserdata(state, -1);
        if !anchored.is_null() && anchored == ffi::lua_touserdata(state, 1) {
            let EndMark { flag, loans } = anchored.cast::<EndMark>().read();
            if !(*flag).0 {
                (*flag).0 = true;
                ending::wait();
                let loans = Arc::from_raw(loans);
                keep_what_is_out(state, &loans);
            }
        }
    }
    0
}
