//! Objects: userdata whose payload begins with a tag.

use crate::core::tag::{self, Kind};
use crate::core::{Buffer, Context, Message, Poller, Socket, Thread, Timers, Tracker};
use mlua::ffi::{self, lua_State};
use mlua::{Lua, Table, Value};
use std::ffi::{c_void, CStr};
use std::mem::ManuallyDrop;
use std::os::raw::c_int;

/// A payload type: `#[repr(C)]`, first field a tag of its kind.
pub trait Object: Sized {
    /// Its kind.
    const KIND: Kind;
    /// The metatable's name in the registry.
    const NAME: &'static CStr;
    /// What errors call it.
    const WORD: &'static str;
}

macro_rules! object {
    ($type:ident, $name:literal, $word:literal) => {
        impl Object for $type {
            const KIND: Kind = Kind::$type;
            const NAME: &'static CStr = $name;
            const WORD: &'static str = $word;
        }
    };
}

object!(Socket, c"rzmq.socket", "socket");
object!(Context, c"rzmq.context", "context");
object!(Message, c"rzmq.message", "message");
object!(Thread, c"rzmq.thread", "thread");
object!(Timers, c"rzmq.timers", "timers object");
object!(Buffer, c"rzmq.buffer", "buffer");
object!(Tracker, c"rzmq.tracker", "tracker");
object!(Poller, c"rzmq.poller", "poller");

/// The payload at `index` if it may be one of type `T`: the size fits and the tag is of the kind.
///
/// # Safety
/// Called from a C function.
#[inline(always)]
pub unsafe fn at<T: Object>(state: *mut lua_State, index: c_int) -> *mut T {
    // SAFETY: any acceptable index will do; light userdata have length 0.
    unsafe {
        let pointer = ffi::lua_touserdata(state, index).cast::<T>();
        if pointer.is_null() || ffi::lua_objlen(state, index) != size_of::<T>() {
            return std::ptr::null_mut();
        }
        pointer
    }
}

/// The payload behind a value in a cold call, whatever its state; None for anything else.
// The payload is the program's own memory: the mutable borrow is not made from the two shared ones.
#[allow(clippy::mut_from_ref)]
pub fn payload<'a, T: Object>(lua: &'a Lua, value: &'a Value) -> Option<&'a mut T> {
    let Value::UserData(object) = value else {
        return None;
    };
    // SAFETY: the closure only looks at its one argument. The reference is made from a payload whose size and tag
    // fit; the value keeps it alive. Cold calls make one mutable reference per object at most (see `Args`).
    unsafe {
        let found: mlua::LightUserData = lua
            .exec_raw(object, |state| {
                let mut found = at::<T>(state, -1).cast::<c_void>();
                if !found.is_null() && !is_kind::<T>(found) {
                    found = std::ptr::null_mut();
                }
                ffi::lua_pop(state, 1);
                ffi::lua_pushlightuserdata(state, found);
            })
            .ok()?;
        found.0.cast::<T>().as_mut()
    }
}

/// # Safety
/// `payload` has room for a tag.
unsafe fn is_kind<T: Object>(payload: *mut c_void) -> bool {
    // SAFETY: the caller's promise.
    T::KIND.state(unsafe { *payload.cast::<u64>() }) != tag::State::Other
}

/// A new object around `payload`.
pub fn new_object<T: Object>(lua: &Lua, payload: T) -> mlua::Result<Value> {
    let payload = ManuallyDrop::new(payload);
    // SAFETY: the closure holds only a reference, so a memory error may jump over it; the payload is moved into the
    // new userdata, whose size and alignment fit (Lua aligns for doubles and pointers, payloads need no more), before
    // the metatable with its finaliser is set.
    let made = unsafe {
        lua.exec_raw::<Value>((), |state| {
            let room = ffi::lua_newuserdata(state, size_of::<T>()).cast::<T>();
            ffi::luaL_getmetatable(state, T::NAME.as_ptr());
            std::ptr::copy_nonoverlapping(&*payload, room, 1);
            ffi::lua_setmetatable(state, -2);
        })
    };
    if made.is_err() {
        drop(ManuallyDrop::into_inner(payload));
    }
    made
}

/// Makes the metatable of a type.
pub fn register<T: Object>(lua: &Lua) -> mlua::Result<Table> {
    // SAFETY: the closure uses only its own stack values.
    unsafe {
        lua.exec_raw((), |state| {
            ffi::luaL_newmetatable(state, T::NAME.as_ptr());
            ffi::lua_pushcfunction(state, finish::<T>);
            ffi::lua_setfield(state, -2, c"__gc".as_ptr());
            ffi::lua_pushstring(state, T::NAME.as_ptr());
            ffi::lua_setfield(state, -2, c"__name".as_ptr());
            ffi::lua_pushboolean(state, 0);
            ffi::lua_setfield(state, -2, c"__metatable".as_ptr());
        })
    }
}

/// `__gc`: drops the payload once and leaves a closed tag. Calls neither Lua nor mlua, and never blocks.
unsafe extern "C-unwind" fn finish<T: Object>(state: *mut lua_State) -> c_int {
    // SAFETY: the tag is read only from a payload of the right size; a payload whose tag is not closed was never
    // dropped. Nothing here raises.
    unsafe {
        let payload = at::<T>(state, 1);
        if payload.is_null() || !is_kind::<T>(payload.cast()) {
            return 0;
        }
        let word = payload.cast::<u64>();
        let tag = *word;
        if T::KIND.state(tag) != tag::State::Closed {
            std::ptr::drop_in_place(payload);
            *word = tag::closed(tag);
        }
    }
    0
}
