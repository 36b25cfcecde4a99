//! Lending strings to libzmq: they are anchored in the registry until they come back. Also the collector's steps, for
//! what it can't see of messages.

use super::hot::{after, attempt, done, flags};
use super::object::Object;
use super::text::{type_at, Text};
use crate::core::{held, loan, Socket, Tracker};
use crate::sys::{self, Errno, Loans};
use mlua::ffi::{self, lua_State};
use mlua::Lua;
use std::ffi::{c_char, c_int, c_void};
use std::sync::Arc;

/// Where the registry holds the list of strings that are out.
const LENT: *const c_char = c"rzmq.lent".as_ptr();

/// Makes that list.
pub fn prepare(lua: &Lua) -> mlua::Result<()> {
    // SAFETY: the closure holds nothing with a destructor.
    unsafe {
        lua.exec_raw((), |state| {
            ffi::lua_createtable(state, 0, 1);
            // luaL_unref writes to this entry: as it is there, that can't raise.
            ffi::lua_pushinteger(state, 0);
            ffi::lua_rawseti(state, -2, 0);
            ffi::lua_setfield(state, ffi::LUA_REGISTRYINDEX, LENT);
        })
    }
}

/// Lets go of strings that came back. Raises nothing.
pub(super) unsafe fn take_back(state: *mut lua_State, loans: &Loans) {
    // SAFETY: two values on a stack that has room; the list is there for as long as the state is.
    unsafe {
        ffi::lua_getfield(state, ffi::LUA_REGISTRYINDEX, LENT);
        for number in loans.take() {
            ffi::luaL_unref(state, -1, number);
        }
        ffi::lua_settop(state, -2);
    }
    loan::taken_back();
}

/// The same, from a cold call.
pub fn let_go(lua: &Lua, loans: &Loans) -> mlua::Result<()> {
    // SAFETY: the closure holds a reference only.
    unsafe { lua.exec_raw((), |state| take_back(state, loans)) }
}

/// Gathers the string at `index` as a lent part; ENOMEM. It is a string, not a number.
pub(super) unsafe fn add_lent(
    state: *mut lua_State,
    index: c_int,
    socket: &mut Socket,
    event: Option<&Arc<sys::Event>>,
) -> Result<(), Errno> {
    // SAFETY: a string is at `index`; the anchor holds it from before libzmq has it until it came back. What may raise
    // comes first, while nothing here has a destructor.
    unsafe {
        let Some(loans) = socket.loans() else {
            return Err(Errno(libc::ENOTSUP));
        };
        take_back(state, loans);
        let mut size = 0;
        let data = ffi::lua_tolstring(state, index, &mut size);
        ffi::lua_pushvalue(state, index);
        ffi::lua_getfield(state, ffi::LUA_REGISTRYINDEX, LENT);
        ffi::lua_insert(state, -2);
        let number = ffi::luaL_ref(state, -2);
        let bytes = std::ptr::slice_from_raw_parts(data.cast::<u8>(), size);
        let lent = sys::Message::lend(bytes, number, loans, event.cloned());
        if lent.is_err() {
            ffi::luaL_unref(state, -1, number);
        }
        ffi::lua_settop(state, -2);
        socket.add_lent(lent?).map_err(|error| Errno(error.errno))
    }
}

/// Sends the string at `index` without a copy.
pub(super) unsafe fn send_lent(
    state: *mut lua_State,
    socket: &mut Socket,
    index: c_int,
    flags: c_int,
    event: Option<&Arc<sys::Event>>,
) -> Result<(), Errno> {
    // SAFETY: as `add_lent`.
    unsafe {
        socket.ungather();
        add_lent(state, index, socket, event)?;
        let send = |socket: &mut Socket| {
            let sent = socket.send_gathered(flags);
            sent.map_err(|(_, errno)| errno.fail())
        };
        let answer = attempt(state, socket, sys::SNDTIMEO, send);
        if answer.is_err() {
            // The string comes back at once.
            socket.ungather();
            if let Some(loans) = socket.loans() {
                take_back(state, loans);
            }
        }
        answer
    }
}

/// `send` with a table in the place of flags: `{ flags = n, track = true }`.
#[cold]
pub(super) unsafe fn send_with_options(state: *mut lua_State, socket: &mut Socket) -> c_int {
    // SAFETY: called by `send`, whose string is at index 2 and whose table is at 3.
    unsafe {
        if socket.state() != crate::core::tag::State::Live {
            return super::hot::bad_self::<Socket>(state, "send");
        }
        ffi::lua_settop(state, 3);
        ffi::lua_pushnil(state);
        while ffi::lua_next(state, 3) != 0 {
            ffi::lua_settop(state, -2);
            let known = ffi::lua_type(state, -1) == ffi::LUA_TSTRING && {
                let mut size = 0;
                let data = ffi::lua_tolstring(state, -1, &mut size);
                let name = std::slice::from_raw_parts(data.cast::<u8>(), size);
                name == b"flags" || name == b"track"
            };
            if !known {
                let text = "bad argument #2 to 'send' (options are 'flags' and 'track')";
                return Text::new(format_args!("{text}")).raise(state);
            }
        }
        ffi::lua_pushstring(state, c"track".as_ptr());
        ffi::lua_rawget(state, 3);
        let track = ffi::lua_toboolean(state, -1) != 0;
        ffi::lua_pushstring(state, c"flags".as_ptr());
        ffi::lua_rawget(state, 3);
        let Some(flags) = flags(state, 5) else {
            let got = type_at(state, 5);
            let text =
                format_args!("bad argument #2 to 'send' (option flags: int expected, got {got})");
            return Text::new(text).raise(state);
        };
        if !track {
            let mut size = 0;
            let data = ffi::lua_tolstring(state, 2, &mut size);
            let bytes = std::slice::from_raw_parts(data.cast::<u8>(), size);
            let sent = match socket.send(bytes, flags) {
                Ok(()) => Ok(()),
                Err(failed) => super::hot::send_on(state, socket, 2, bytes, flags, failed.into()),
            };
            return sent.map_or_else(|errno| after(state, errno, "send"), |()| done(state));
        }
        if socket.loans().is_none() {
            return after(state, Errno(libc::ENOTSUP), "send");
        }
        // The payload is whole before the metatable with its finaliser is set.
        let tracker = ffi::lua_newuserdata(state, size_of::<Tracker>()).cast::<Tracker>();
        ffi::luaL_getmetatable(state, Tracker::NAME.as_ptr());
        tracker.write(Tracker::new());
        ffi::lua_setmetatable(state, -2);
        match send_lent(state, socket, 2, flags, Some((*tracker).event())) {
            Ok(()) => 1,
            Err(errno) => after(state, errno, "send"),
        }
    }
}

/// Lets the collector go on if the bytes that messages hold have grown enough. Finalisers may run: nothing that they
/// could close may be in use any more.
#[inline]
pub(super) unsafe fn collect(state: *mut lua_State) {
    if held::is_due() {
        // SAFETY: a C function's state, with nothing alive that has a destructor.
        unsafe { step(state) };
    }
}

#[cold]
unsafe fn step(state: *mut lua_State) {
    // SAFETY: see `collect`.
    unsafe { ffi::lua_gc(state, ffi::LUA_GCSTEP, (held::STEP >> 10) as c_int) };
    held::collected();
}

/// The same, from a cold call; what a finaliser raises is lost.
pub fn collect_for(lua: &Lua) {
    if held::is_due() {
        // SAFETY: the closure holds nothing with a destructor.
        let _ = unsafe { lua.exec_raw::<()>((), |state| step(state)) };
    }
}

/// What the LuaJIT overlay calls when a hot call says that the collector is to go on: true.
pub(super) unsafe extern "C-unwind" fn collect_now(state: *mut lua_State) -> c_int {
    // SAFETY: a C function's state.
    unsafe {
        collect(state);
        done(state)
    }
}

/// What the state's allocator is replaced by.
struct Keeping {
    allocate: ffi::lua_Alloc,
    data: *mut c_void,
}

/// To be called when the state closes, after its last wait: where libzmq still has strings of it, nothing that the state
/// has is freed from now on. An inproc receiver may read them at any time.
pub(super) unsafe fn keep_what_is_out(state: *mut lua_State, loans: &Loans) {
    // SAFETY: the state's own allocator goes on giving memory, since LuaJIT may be particular about where that lies;
    // what describes it is leaked.
    unsafe {
        take_back(state, loans);
        if loans.out() > 0 {
            let mut data = std::ptr::null_mut();
            let allocate = ffi::lua_getallocf(state, &mut data);
            let keeping = Box::into_raw(Box::new(Keeping { allocate, data }));
            ffi::lua_setallocf(state, keep, keeping.cast());
        }
    }
}

/// Allocates, and frees nothing.
unsafe extern "C" fn keep(
    keeping: *mut c_void,
    old: *mut c_void,
    old_size: usize,
    size: usize,
) -> *mut c_void {
    // SAFETY: `keep_what_is_out` made the first argument; Lua vouches for the others.
    unsafe {
        let keeping = &*keeping.cast::<Keeping>();
        if size == 0 {
            return std::ptr::null_mut();
        }
        if !old.is_null() && size <= old_size {
            return old;
        }
        let new = (keeping.allocate)(keeping.data, std::ptr::null_mut(), 0, size);
        if !old.is_null() && !new.is_null() {
            new.cast::<u8>()
                .copy_from_nonoverlapping(old.cast(), old_size);
        }
        new
    }
}
