//! The hot calls of pollers as plain C functions: wait, and take what was found.

use super::hot::{bad_argument, bad_self, errno_at, flags, hook_is_set, this, Named};
use super::push_failure;
use super::text::Text;
use super::Row;
use crate::core::{ending, tag::State, Poller};
use crate::sys::Errno;
use mlua::ffi::{self, lua_State};
use std::os::raw::c_int;

/// Hot methods of pollers.
pub const POLLER: &[Row] = &[
    Row {
        names: &["poll"],
        args: "[ms]",
        doc: "Waits up to `ms` (-1, the default, for ever; 0 tries once) until something registered is ready, and \
              returns how much is: 0 at the timeout. EINVAL if there is nothing to wait for and no limit; \
              \"interrupted\" (EINTR), \"closed\" (ETERM) (zmq_poller(3)).",
        call: poll,
    },
    Row {
        names: &["next_revents_idx"],
        args: "",
        doc: "The index and the events of the next of what `poll` found, first added first, leaving out what was \
              removed, closed or is no longer waited for; -1 and 0 when there is no more. Does not block.",
        call: next_revents_idx,
    },
];

/// What the LuaJIT overlay calls when `poll` failed: its arguments, then the errno.
pub const POLLER_COLD: &[Named] = &[("poll", poll_failed)];

/// The open poller at index 1, or what raising left.
#[inline(always)]
unsafe fn this_poller<'a>(state: *mut lua_State, name: &str) -> Result<&'a mut Poller, c_int> {
    // SAFETY: a C function's state. While the call lasts no other reference to the payload lives: Lua is not running.
    unsafe {
        match this::<Poller>(state, name)? {
            poller if poller.state() == State::Live => Ok(poller),
            _ => Err(bad_self::<Poller>(state, name)),
        }
    }
}

/// `(poller, ms)`: nil and nothing are -1.
#[inline(always)]
unsafe fn poll_arguments<'a>(state: *mut lua_State) -> Result<(&'a mut Poller, c_int), c_int> {
    // SAFETY: as `this_poller`.
    unsafe {
        let poller = this_poller(state, "poll")?;
        if ffi::lua_type(state, 2) <= ffi::LUA_TNIL {
            return Ok((poller, -1));
        }
        match flags(state, 2) {
            Some(ms) => Ok((poller, ms)),
            None => Err(bad_argument(
                state,
                2,
                "poll",
                "whole number of ms expected",
            )),
        }
    }
}

unsafe extern "C-unwind" fn poll(state: *mut lua_State) -> c_int {
    // SAFETY: see `poll_arguments`.
    unsafe {
        match poll_arguments(state) {
            Ok((poller, ms)) => match poller.wait(ms) {
                Ok(count) => found(state, count),
                Err(errno) => poll_again(state, poller, errno),
            },
            Err(raised) => raised,
        }
    }
}

unsafe extern "C-unwind" fn poll_failed(state: *mut lua_State) -> c_int {
    // SAFETY: see `poll_arguments`.
    unsafe {
        match poll_arguments(state) {
            Ok((poller, _)) => poll_again(state, poller, errno_at(state, 3)),
            Err(raised) => raised,
        }
    }
}

#[cold]
unsafe fn poll_again(state: *mut lua_State, poller: &mut Poller, errno: Errno) -> c_int {
    // SAFETY: reads the state's hook only; the text needs no destructor once it is a `Text`.
    unsafe {
        let result = match errno.0 {
            libc::EINTR if ending::retry_interrupted() => poller.resume(|| !hook_is_set(state)),
            _ => Err(errno),
        };
        match result {
            Ok(count) => found(state, count),
            Err(errno) => {
                let text = Text::new(format_args!("{}", Poller::explain(errno).text()));
                push_failure(state, &text, errno.0)
            }
        }
    }
}

#[inline(always)]
unsafe fn found(state: *mut lua_State, count: usize) -> c_int {
    // SAFETY: a C function has room for one value.
    unsafe { ffi::lua_pushnumber(state, count as ffi::lua_Number) };
    1
}

unsafe extern "C-unwind" fn next_revents_idx(state: *mut lua_State) -> c_int {
    // SAFETY: as `poll`.
    unsafe {
        let poller = match this_poller(state, "next_revents_idx") {
            Ok(poller) => poller,
            Err(raised) => return raised,
        };
        let (index, events) = match poller.next_ready() {
            Some((index, events)) => (index as ffi::lua_Number, events),
            None => (-1.0, 0),
        };
        ffi::lua_pushnumber(state, index);
        ffi::lua_pushnumber(state, events.into());
    }
    2
}
