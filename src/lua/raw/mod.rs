//! All that touches `lua_State`: payloads, hot calls, the trampoline of cold calls, finalisers.
//!
//! lua_error jumps over Rust frames, so no value with a destructor is alive in a function here when it calls what
//! may raise; texts are built in `Text`, which has none.
#![allow(unsafe_code)]

mod batch;
mod content;
mod ending;
mod hook;
mod hot;
mod into;
mod lend;
mod object;
mod parcel;
mod poller;
mod recv;
mod send;
mod text;
mod thread;
mod trampoline;
mod transfer;
mod turned;

pub use batch::SOCKET_BATCH;
pub use content::{BUFFER, MESSAGE_CONTENT};
pub use ending::{new_flag, set_end_mark};
pub use hook::{set_hook, take_hook};
pub use hot::{
    is_hooked, note_interpreter, note_main_thread, set_functions, COLD, MESSAGE, SOCKET,
};
pub use into::{INTO_COLD, SOCKET_INTO};
pub use lend::{collect_for, let_go, prepare};
pub use object::{new_object, payload, register, Object};
pub use parcel::{pack, values, CONTEXTS};
pub use poller::{POLLER, POLLER_COLD};
pub use recv::SOCKET_RECV;
pub use send::SOCKET_SEND;
pub use thread::{run, states_available};
pub use trampoline::wrap;
pub use transfer::MESSAGE_TRANSFER;
pub use turned::MESSAGE_TURNED;

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

/// Pushes `nil, message, errno` for a failure that carries nothing but its number.
///
/// # Safety
/// A C function's `state`.
unsafe fn push_failure(state: *mut lua_State, error: &text::Text, errno: c_int) -> c_int {
    // SAFETY: a C function has room for 20 values.
    unsafe {
        ffi::lua_pushnil(state);
        error.push(state);
        ffi::lua_pushinteger(state, errno as ffi::lua_Integer);
    }
    3
}
