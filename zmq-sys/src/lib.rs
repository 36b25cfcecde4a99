//! Raw bindings to libzmq 4.3.5: built in, or the system's with feature `system-libzmq`.
//!
//! Types, constants and stable functions are `zmq.h`'s, at the root. The functions that a system's
//! libzmq may lack are reached through [`late`] alone, in both builds alike.
//! Must not know anything of Rust's or Lua's conveniences: those are its callers' work.

#![cfg(unix)]

// Generated, and with the system's library partly unused.
#[allow(
    non_camel_case_types,
    missing_docs,
    dead_code,
    clippy::undocumented_unsafe_blocks
)]
mod ffi;

pub mod errno;
#[macro_use]
mod lookup;

pub use ffi::*;
pub use std::os::fd::RawFd;

use libc::{c_char, c_int, c_long, c_short, c_void, sigset_t};

// A row is a function that the oldest system library (4.3.4 without drafts) doesn't export. The
// types are checked against `zmq.h` where libzmq is built in.
late! {
    fn zmq_ctx_set_ext(*mut c_void, c_int, *const c_void, usize) -> c_int;
    fn zmq_ctx_get_ext(*mut c_void, c_int, *mut c_void, *mut usize) -> c_int;
    fn zmq_join(*mut c_void, *const c_char) -> c_int;
    fn zmq_leave(*mut c_void, *const c_char) -> c_int;
    fn zmq_connect_peer(*mut c_void, *const c_char) -> u32;
    fn zmq_msg_set_routing_id(*mut zmq_msg_t, u32) -> c_int;
    fn zmq_msg_routing_id(*mut zmq_msg_t) -> u32;
    fn zmq_msg_set_group(*mut zmq_msg_t, *const c_char) -> c_int;
    fn zmq_msg_group(*mut zmq_msg_t) -> *const c_char;
    fn zmq_msg_init_buffer(*mut zmq_msg_t, *const c_void, usize) -> c_int;
    fn zmq_poller_new() -> *mut c_void;
    fn zmq_poller_destroy(*mut *mut c_void) -> c_int;
    fn zmq_poller_size(*mut c_void) -> c_int;
    fn zmq_poller_add(*mut c_void, *mut c_void, *mut c_void, c_short) -> c_int;
    fn zmq_poller_modify(*mut c_void, *mut c_void, c_short) -> c_int;
    fn zmq_poller_remove(*mut c_void, *mut c_void) -> c_int;
    fn zmq_poller_wait(*mut c_void, *mut zmq_poller_event_t, c_long) -> c_int;
    fn zmq_poller_wait_all(*mut c_void, *mut zmq_poller_event_t, c_int, c_long) -> c_int;
    fn zmq_poller_fd(*mut c_void, *mut zmq_fd_t) -> c_int;
    fn zmq_poller_add_fd(*mut c_void, zmq_fd_t, *mut c_void, c_short) -> c_int;
    fn zmq_poller_modify_fd(*mut c_void, zmq_fd_t, c_short) -> c_int;
    fn zmq_poller_remove_fd(*mut c_void, zmq_fd_t) -> c_int;
    fn zmq_socket_get_peer_state(*mut c_void, *const c_void, usize) -> c_int;
    fn zmq_socket_monitor_versioned(*mut c_void, *const c_char, u64, c_int, c_int) -> c_int;
    fn zmq_socket_monitor_pipes_stats(*mut c_void) -> c_int;
    fn zmq_ppoll(*mut zmq_pollitem_t, c_int, c_long, *const sigset_t) -> c_int;
}
