//! A program that runs a Lua file on Lua 5.1 with rzmq linked in, for ThreadSanitizer.

use mlua::ffi::*;
use std::ffi::{c_char, CString};

extern "C-unwind" {
    fn luaL_openlibs(state: *mut lua_State);
    fn luaL_newstate() -> *mut lua_State;
    fn luaL_loadfile(state: *mut lua_State, file: *const c_char) -> i32;
}

unsafe extern "C-unwind" fn open(state: *mut lua_State) -> i32 {
    rzmq_core::luaopen_rzmq_core(state)
}

fn main() {
    let file = CString::new(std::env::args().nth(1).expect("a Lua file")).expect("no NUL");
    // SAFETY: one state, used here as lua.c does.
    let failed = unsafe {
        let state = luaL_newstate();
        luaL_openlibs(state);
        lua_getglobal(state, c"package".as_ptr());
        lua_getfield(state, -1, c"preload".as_ptr());
        lua_pushcfunction(state, open);
        lua_setfield(state, -2, c"rzmq_core".as_ptr());
        let failed = luaL_loadfile(state, file.as_ptr()) != 0 || lua_pcall(state, 0, 0, 0) != 0;
        if failed {
            let mut size = 0;
            let text = lua_tolstring(state, -1, &mut size);
            let text = std::slice::from_raw_parts(text.cast::<u8>(), size);
            eprintln!("{}", String::from_utf8_lossy(text));
        }
        lua_close(state);
        failed
    };
    std::process::exit(failed.into());
}
