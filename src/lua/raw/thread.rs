//! The life of a thread's Lua state: made, given its values, run, its results taken, closed; all on its own thread.
//! What it runs first is `boot.lua`.

use super::parcel::{unpack, Packer};
use crate::core::parcel::Parcel;
use crate::core::thread::Outcome;
use crate::sys;
use mlua::ffi::{self, lua_State};
use mlua::Lua;
use std::ffi::{c_void, CStr};
use std::os::raw::c_int;
use std::sync::OnceLock;

/// The name under which a new state finds the native half, which is this very library.
pub const CORE: &CStr = c"rzmq_core";

const BOOT: &str = include_str!("../boot.lua");

/// The interpreter's own functions that make, fill and end a state. They are looked up by name: a host that does not
/// export them can still load rzmq.
struct Interpreter {
    new: unsafe extern "C-unwind" fn() -> *mut lua_State,
    open_libs: unsafe extern "C-unwind" fn(*mut lua_State),
    close: unsafe extern "C-unwind" fn(*mut lua_State),
}

/// None where the process does not export them, or where another interpreter than the one that runs here does.
fn interpreter() -> Option<&'static Interpreter> {
    static FOUND: OnceLock<Option<Interpreter>> = OnceLock::new();
    FOUND.get_or_init(find_interpreter).as_ref()
}

fn find_interpreter() -> Option<Interpreter> {
    let here = ffi::lua_gettop as *const c_void;
    if !std::ptr::eq(sys::exported(c"lua_gettop")?.as_ptr(), here) {
        return None;
    }
    type New = unsafe extern "C-unwind" fn() -> *mut lua_State;
    type OnState = unsafe extern "C-unwind" fn(*mut lua_State);
    let new = sys::exported(c"luaL_newstate")?.as_ptr();
    let open_libs = sys::exported(c"luaL_openlibs")?.as_ptr();
    let close = sys::exported(c"lua_close")?.as_ptr();
    // SAFETY: the functions that lua.h and lualib.h declare under these names, of the interpreter to which this
    // library is linked.
    Some(unsafe {
        Interpreter {
            new: std::mem::transmute::<*mut c_void, New>(new),
            open_libs: std::mem::transmute::<*mut c_void, OnState>(open_libs),
            close: std::mem::transmute::<*mut c_void, OnState>(close),
        }
    })
}

/// Whether new Lua states can be made here.
pub fn states_available() -> bool {
    interpreter().is_some()
}

/// What a state's one protected call works on. It lives outside of that call.
struct Job {
    open_libs: unsafe extern "C-unwind" fn(*mut lua_State),
    arguments: Parcel,
    results: Packer,
}

/// Runs `boot.lua` with the arguments in a new Lua state, on the calling thread. Blocks as long as the program does,
/// and behind it as long as the end of a Lua state may (`exit_linger`).
pub fn run(arguments: Parcel) -> Outcome {
    let no_memory = || Err(b"not enough memory for a Lua state".to_vec());
    let Some(interpreter) = interpreter() else {
        return Err(b"luaL_newstate is not to be had".to_vec());
    };
    let mut job = Job {
        open_libs: interpreter.open_libs,
        arguments,
        results: Packer::default(),
    };
    // SAFETY: the state stays on this thread from its first to its last moment. Everything that may raise is inside
    // the protected call, where the job is only referred to.
    unsafe {
        let state = (interpreter.new)();
        if state.is_null() {
            return no_memory();
        }
        let status = ffi::lua_cpcall(state, main, (&raw mut job).cast());
        let error = (status != ffi::LUA_OK).then(|| text_at_top(state));
        (interpreter.close)(state);
        if let Some(error) = error {
            return Err(error);
        }
    }
    job.results.finish().map_err(|(number, reason)| {
        format!("result #{number} of the thread: {reason}").into_bytes()
    })
}

/// The state's protected call: leaves the results in the job, or raises a string.
unsafe extern "C-unwind" fn main(state: *mut lua_State) -> c_int {
    // SAFETY: `run` passes its job. Nothing here has a destructor but the arguments, which are replaced when nothing
    // may raise.
    unsafe {
        let job = ffi::lua_touserdata(state, 1).cast::<Job>();
        ffi::lua_settop(state, 0);
        ((*job).open_libs)(state);
        ffi::lua_getglobal(state, c"package".as_ptr());
        ffi::lua_getfield(state, 1, c"preload".as_ptr());
        ffi::lua_pushcfunction(state, open_core);
        ffi::lua_setfield(state, 2, CORE.as_ptr());
        ffi::lua_getglobal(state, c"tostring".as_ptr());
        ffi::lua_getglobal(state, c"debug".as_ptr());
        ffi::lua_getfield(state, -1, c"traceback".as_ptr());
        ffi::lua_replace(state, 1);
        ffi::lua_settop(state, 3);
        ffi::lua_replace(state, 2);
        // 1: traceback, 2: tostring.
        let name = c"=[rzmq.threads]".as_ptr();
        if ffi::luaL_loadbuffer(state, BOOT.as_ptr().cast(), BOOT.len(), name) != ffi::LUA_OK {
            ffi::lua_error(state);
        }
        let count = unpack(state, &(*job).arguments);
        (*job).arguments = Parcel::default();
        if ffi::lua_pcall(state, count, ffi::LUA_MULTRET, 1) != ffi::LUA_OK {
            if ffi::lua_type(state, -1) != ffi::LUA_TSTRING {
                ffi::lua_pushvalue(state, 2);
                ffi::lua_insert(state, -2);
                ffi::lua_call(state, 1, 1);
            }
            ffi::lua_error(state);
        }
        (*job).results.pack(state, 3);
    }
    0
}

/// The string on top of the stack.
unsafe fn text_at_top(state: *mut lua_State) -> Vec<u8> {
    // SAFETY: an error value is there; asking a string for its bytes does not raise.
    unsafe {
        if ffi::lua_type(state, -1) != ffi::LUA_TSTRING {
            return b"(the error is no string)".to_vec();
        }
        let mut size = 0;
        let data = ffi::lua_tolstring(state, -1, &mut size);
        std::slice::from_raw_parts(data.cast::<u8>(), size).to_vec()
    }
}

/// `luaopen_rzmq_core` for a state that has no need to search for it.
unsafe extern "C-unwind" fn open_core(state: *mut lua_State) -> c_int {
    // SAFETY: called by `require` in a running state.
    unsafe { Lua::entrypoint1(state, crate::lua::open) }
}
