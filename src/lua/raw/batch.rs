//! Many messages by one call, as plain C functions: they share what a call costs.
//!
//! Received strings go into the list one by one, each message being let go of once its string is there, so that an
//! error raised in the middle (memory) loses none: what the list has by then is returned.

use super::hot::{
    after, attempt, bad_argument, bad_flags, flags, longest_string, open_socket, send_on,
};
use super::lend::take_back;
use super::send::{flags_of, has_hole};
use super::text::{type_at, Text};
use super::Row;
use crate::core::loan::ASKS_LUA;
use crate::core::Socket;
use crate::sys::{self, Errno, DONTWAIT};
use mlua::ffi::{self, lua_State};
use std::os::raw::c_int;

/// Methods of sockets.
pub const SOCKET_BATCH: &[Row] = &[
    Row {
        names: &["send_many"],
        args: "list[, flags]",
        doc: "Sends each string of a list as a message of its own, and returns how many it sent. Every entry is \
              checked before the first is sent; each may block as sndtimeo says, unless DONTWAIT. Where it stops \
              early, nil, message and errno follow the count: EAGAIN, EINTR, ETERM, EFSM, EHOSTUNREACH; ENOTSUP for \
              other flags.",
        call: send_many,
    },
    Row {
        names: &["recv_many"],
        args: "max[, flags]",
        doc: "Receives up to `max` messages, or parts, as a list of strings: waits for the first, as rcvtimeo says, \
              unless DONTWAIT, and takes what else is there. `max` 0 gives an empty list at once. A failure behind \
              the first message is left to the next call. EAGAIN, EINTR, ETERM, EFSM.",
        call: recv_many,
    },
    Row {
        names: &["recv_many_into"],
        args: "list, max[, flags]",
        doc: "As `recv_many`, into the entries 1 to `max` of a list that is there already; returns how many. The \
              entry behind the last one becomes nil, others stay.",
        call: recv_many_into,
    },
];

/// Lists up to this length go onto the Lua stack as a whole.
const AT_ONCE: usize = 1000;

/// How many entries the list at index 2 has. Where it holds nils, Lua may take any one of them for its end; if there is
/// something behind that, the missing entry counts, to be found later.
unsafe fn length(state: *mut lua_State) -> usize {
    // SAFETY: a C function's state, with a table at index 2.
    unsafe {
        let length = ffi::lua_rawlen(state, 2);
        if length == 0 {
            return usize::from(has_hole(state, 2, 0));
        }
        // Of a list that is one, its last entry is the last of all.
        ffi::lua_pushinteger(state, length as ffi::lua_Integer);
        if ffi::lua_next(state, 2) == 0 {
            ffi::lua_pushnil(state);
            ffi::lua_next(state, 2);
            let first = ffi::lua_tonumber(state, -2);
            ffi::lua_settop(state, -3);
            if first == 1.0 {
                return length;
            }
        } else {
            ffi::lua_settop(state, -3);
        }
        length + usize::from(has_hole(state, 2, length as i64))
    }
}

/// Raises for entry `at` of the list.
#[cold]
unsafe fn bad_entry(state: *mut lua_State, at: usize) -> c_int {
    // SAFETY: a C function's state.
    unsafe {
        ffi::lua_rawgeti(state, 2, at as ffi::lua_Integer);
        let got = type_at(state, -1);
        let text =
            format_args!("bad argument #1 to 'send_many' (entry {at}: string expected, got {got})");
        Text::new(text).raise(state)
    }
}

unsafe extern "C-unwind" fn send_many(state: *mut lua_State) -> c_int {
    const NAME: &str = "send_many";
    // SAFETY: a C function's state. Each string is on the stack while it is sent.
    unsafe {
        let socket = match open_socket(state, NAME) {
            Ok(socket) => socket,
            Err(raised) => return raised,
        };
        if ffi::lua_type(state, 2) != ffi::LUA_TTABLE {
            return bad_argument(state, 2, NAME, "table expected");
        }
        let flags = match flags_of(state, 3, DONTWAIT, NAME) {
            Ok(flags) => flags,
            Err(results) => {
                ffi::lua_pushinteger(state, 0);
                ffi::lua_insert(state, -results - 1);
                return results + 1;
            }
        };
        let count = length(state);
        if count > AT_ONCE {
            for at in 1..=count {
                ffi::lua_rawgeti(state, 2, at as ffi::lua_Integer);
                if ffi::lua_isstring(state, -1) == 0 {
                    return bad_entry(state, at);
                }
                ffi::lua_settop(state, -2);
            }
        }
        let mut sent = 0;
        while sent < count {
            ffi::lua_settop(state, 3);
            let pushed = match push_strings(state, sent, (count - sent).min(AT_ONCE)) {
                Ok(pushed) => pushed,
                Err(raised) => return raised,
            };
            for index in 4..4 + pushed {
                let mut size = 0;
                let data = ffi::lua_tolstring(state, index, &mut size);
                let bytes = std::slice::from_raw_parts(data.cast::<u8>(), size);
                if let Err(failed) = socket.send(bytes, flags) {
                    if let Err(errno) = send_on(state, socket, index, bytes, flags, failed.into()) {
                        ffi::lua_pushinteger(state, sent as ffi::lua_Integer);
                        return 1 + after(state, errno, NAME);
                    }
                }
                sent += 1;
            }
        }
        ffi::lua_pushinteger(state, count as ffi::lua_Integer);
    }
    1
}

/// Puts `count` entries of the list, those behind the first `before`, onto the stack, and returns how many; or what
/// raising left.
unsafe fn push_strings(state: *mut lua_State, before: usize, count: usize) -> Result<c_int, c_int> {
    // SAFETY: the stack is asked for room.
    unsafe {
        // What sending may take comes on top.
        ffi::luaL_checkstack(state, count as c_int + 20, c"too many strings".as_ptr());
        for at in before + 1..=before + count {
            ffi::lua_rawgeti(state, 2, at as ffi::lua_Integer);
            if ffi::lua_isstring(state, -1) == 0 {
                return Err(bad_entry(state, at));
            }
        }
        Ok(count as c_int)
    }
}

/// A receive of many under way. It has no destructor.
struct Batch {
    socket: *mut Socket,
    most: c_int,
    count: c_int,
}

/// The count at `index`, or what raising left.
unsafe fn count_at(state: *mut lua_State, index: c_int, name: &str) -> Result<c_int, c_int> {
    // SAFETY: a C function's state.
    unsafe {
        if ffi::lua_isnumber(state, index) == 0 {
            return Err(bad_argument(state, index, name, "count expected"));
        }
        let count = ffi::lua_tonumber(state, index);
        let whole = count.fract() == 0.0 || count.is_infinite();
        if !(count >= 0.0 && whole) {
            let number = index - 1;
            let text =
                format_args!("bad argument #{number} to '{name}' (count expected, got {count})");
            return Err(Text::new(text).raise(state));
        }
        // What is beyond an int becomes its end, which is beyond every list.
        Ok(count as c_int)
    }
}

unsafe extern "C-unwind" fn recv_many(state: *mut lua_State) -> c_int {
    const NAME: &str = "recv_many";
    // SAFETY: a C function's state.
    unsafe {
        let mut batch = match begin(state, 2, NAME) {
            Ok(batch) => batch,
            Err(results) => return results,
        };
        let room = batch.most.min((*batch.socket).batch);
        ffi::lua_createtable(state, room, 0);
        let list = ffi::lua_gettop(state);
        fill(state, list, &mut batch);
        ffi::lua_settop(state, list);
    }
    1
}

unsafe extern "C-unwind" fn recv_many_into(state: *mut lua_State) -> c_int {
    const NAME: &str = "recv_many_into";
    // SAFETY: a C function's state.
    unsafe {
        if let Err(raised) = open_socket(state, NAME) {
            return raised;
        }
        if ffi::lua_type(state, 2) != ffi::LUA_TTABLE {
            return bad_argument(state, 2, NAME, "table expected");
        }
        let mut batch = match begin(state, 3, NAME) {
            Ok(batch) => batch,
            Err(results) => return results,
        };
        fill(state, 2, &mut batch);
        let behind = ffi::lua_Integer::from(batch.count) + 1;
        ffi::lua_rawgeti(state, 2, behind);
        if ffi::lua_type(state, -1) != ffi::LUA_TNIL {
            ffi::lua_pushnil(state);
            ffi::lua_rawseti(state, 2, behind);
        }
        ffi::lua_pushinteger(state, batch.count.into());
    }
    1
}

/// Reads the arguments, of which the count is at `index`, and waits for the first message, which is then undelivered.
/// Or what raising or failing left.
unsafe fn begin(state: *mut lua_State, index: c_int, name: &str) -> Result<Batch, c_int> {
    // SAFETY: a C function's state.
    unsafe {
        let socket = open_socket(state, name)?;
        let most = count_at(state, index, name)?;
        let Some(flags) = flags(state, index + 1) else {
            return Err(bad_flags(state, index + 1, name));
        };
        if most > 0 {
            let recv = |socket: &mut Socket| socket.recv(flags).map(drop);
            if let Err(errno) = attempt(state, socket, sys::RCVTIMEO, recv) {
                return Err(after(state, errno, name));
            }
            if socket.inbox().len() > longest_string() {
                socket.discard();
                return Err(after(state, Errno(libc::EMSGSIZE), name));
            }
        }
        Ok(Batch {
            socket,
            most,
            count: 0,
        })
    }
}

/// Puts what is there into the list at `list`. Raises only where not one string could be made.
unsafe fn fill(state: *mut lua_State, list: c_int, batch: &mut Batch) {
    // SAFETY: a C function's state; the batch outlives the protected call.
    unsafe {
        ffi::lua_pushcfunction(state, take);
        ffi::lua_pushvalue(state, list);
        ffi::lua_pushlightuserdata(state, std::ptr::from_mut(batch).cast());
        if ffi::lua_pcall(state, 2, 0, 0) != ffi::LUA_OK && batch.count == 0 {
            ffi::lua_error(state);
        }
        (*batch.socket).batch = batch.count;
    }
}

/// `(list, batch)`: receives without waiting until nothing is there.
unsafe extern "C-unwind" fn take(state: *mut lua_State) -> c_int {
    // SAFETY: `fill` passes its batch, whose socket is open; a message is undelivered until its string is in the list.
    unsafe {
        let batch = &mut *ffi::lua_touserdata(state, 2).cast::<Batch>();
        let socket = &mut *batch.socket;
        while batch.count < batch.most {
            let (size, undelivered) = match socket.recv(DONTWAIT) {
                Ok(received) => received,
                Err(failed) => match (Errno::from(failed), socket.loans()) {
                    (ASKS_LUA, Some(loans)) => {
                        take_back(state, loans);
                        continue;
                    }
                    _ => return 0,
                },
            };
            let mut size = size as usize;
            if size > crate::abi::LONGEST_STRING as usize {
                // The largest int stands for more than it can say.
                size = socket.inbox().len();
                if size > longest_string() {
                    // The next call tells.
                    return 0;
                }
            }
            ffi::lua_pushlstring(state, socket.inbox().data().cast(), size);
            ffi::lua_rawseti(state, 1, ffi::lua_Integer::from(batch.count) + 1);
            *undelivered = 0;
            batch.count += 1;
            socket.delivered(size);
        }
    }
    0
}
