//! `rzmq_core`: the native half of rzmq, ZeroMQ for Lua 5.1 and LuaJIT.
//!
//! Layers, each knowing only those below it (`tests/layers.rs` checks the imports):
//!
//! ```text
//! lua   the classic binding: hot C functions, cold calls through mlua, the thread runner
//! abi   the extern "C" surface that LuaJIT's FFI calls: hot calls only
//! core  ZeroMQ for Rust people: contexts, sockets, messages, endings; no Lua
//! sys   the gate: the only code that calls libzmq; rc becomes Result, nothing panics
//! schema  options, constants, errors and events as rows; known by all, knows nobody
//! ```
#![warn(missing_docs)]

pub mod abi;
pub mod core;
#[cfg(feature = "lua")]
mod lua;
pub mod schema;
pub mod sys;

/// The module entry: `require "rzmq_core"` calls it.
///
/// # Safety
/// `state` is the running Lua state, as `require` passes it.
#[cfg(feature = "lua")]
#[allow(unsafe_code)]
#[no_mangle]
pub unsafe extern "C-unwind" fn luaopen_rzmq_core(
    state: *mut mlua::lua_State,
) -> std::os::raw::c_int {
    // SAFETY: the caller's promise is the one that `entrypoint1` asks for.
    unsafe { mlua::Lua::entrypoint1(state, lua::open) }
}
