//! Values from a Lua stack into a parcel and back. Nothing that packing calls may raise; whoever unpacks owns the
//! parcel outside of the protected call, for pushing values may raise for memory.

use super::object::{at, Object};
use super::thread::CORE;
use crate::core::parcel::{Item, Parcel};
use crate::core::tag::State;
use crate::core::{Context, Message, Shared, Socket};
use mlua::ffi::{self, lua_State};
use mlua::Lua;
use std::collections::HashMap;
use std::ffi::c_void;
use std::os::raw::c_int;
use std::sync::Arc;

/// How deep tables may hold tables.
const DEPTH: usize = 100;

/// What a level of tables takes of the Lua stack, and what all together does.
const LEVEL: c_int = 3;
const STACK: c_int = LEVEL * (DEPTH as c_int + 2);

/// Where the registry holds the weak table from address to context object.
pub const CONTEXTS: &str = "rzmq.contexts";

/// Packs values; tables that several of them hold stay one table.
#[derive(Default)]
pub struct Packer {
    parcel: Parcel,
    /// Tables seen: their place in the parcel, or None while they are being packed.
    seen: HashMap<usize, Option<usize>>,
    /// The first value that could not be packed: which one, and why.
    refused: Option<(usize, String)>,
}

impl Packer {
    /// The parcel; or which value was refused, counted from 1, and why.
    pub fn finish(self) -> Result<Parcel, (usize, String)> {
        match self.refused {
            None => Ok(self.parcel),
            Some(refused) => Err(refused),
        }
    }

    /// Packs the values from `first` to the top of the stack. May raise only for want of stack, before it begins.
    ///
    /// # Safety
    /// Called from a C function; nothing with a destructor is alive in its caller.
    pub unsafe fn pack(&mut self, state: *mut lua_State, first: c_int) {
        // SAFETY: all indices are within the stack, which has room for what `item` pushes.
        unsafe {
            ffi::luaL_checkstack(state, STACK, c"too many values".as_ptr());
            for index in first..=ffi::lua_gettop(state) {
                let item = self.item(state, index, 0);
                match item.and_then(|item| push_onto(&mut self.parcel.items, item)) {
                    Ok(()) => {}
                    Err(reason) => {
                        self.refused = Some(((index - first + 1) as usize, reason));
                        return;
                    }
                }
            }
        }
    }

    /// # Safety
    /// As `pack`; `index` is absolute, and the stack has room.
    unsafe fn item(
        &mut self,
        state: *mut lua_State,
        index: c_int,
        depth: usize,
    ) -> Result<Item, String> {
        // SAFETY: none of these raises for a value of the type that was looked at.
        unsafe {
            Ok(match ffi::lua_type(state, index) {
                ffi::LUA_TNIL => Item::Nil,
                ffi::LUA_TBOOLEAN => Item::Boolean(ffi::lua_toboolean(state, index) != 0),
                ffi::LUA_TNUMBER => Item::Number(ffi::lua_tonumber(state, index)),
                ffi::LUA_TSTRING => {
                    let mut size = 0;
                    let data = ffi::lua_tolstring(state, index, &mut size);
                    Item::Text(copy(std::slice::from_raw_parts(data.cast(), size))?)
                }
                ffi::LUA_TLIGHTUSERDATA => Item::Light(ffi::lua_touserdata(state, index) as usize),
                ffi::LUA_TTABLE => self.table(state, index, depth)?,
                ffi::LUA_TFUNCTION => function(state, index)?,
                ffi::LUA_TUSERDATA => Item::Context(context(state, index)?),
                ffi::LUA_TTHREAD => return Err("a coroutine can't go to another thread".into()),
                other => {
                    let name = std::ffi::CStr::from_ptr(ffi::lua_typename(state, other));
                    return Err(format!(
                        "a {} can't go to another thread",
                        name.to_string_lossy()
                    ));
                }
            })
        }
    }

    unsafe fn table(
        &mut self,
        state: *mut lua_State,
        index: c_int,
        depth: usize,
    ) -> Result<Item, String> {
        // SAFETY: lua_next gets keys of this very table, which nobody changes meanwhile.
        unsafe {
            let address = ffi::lua_topointer(state, index) as usize;
            match self.seen.get(&address) {
                None => {}
                Some(Some(place)) => return Ok(Item::Table(*place)),
                Some(None) => return Err("a table that holds itself".into()),
            }
            if depth == DEPTH {
                return Err(format!("tables are nested deeper than {DEPTH}"));
            }
            self.seen.try_reserve(1).map_err(|_| no_memory())?;
            self.seen.insert(address, None);
            let mut entries = Vec::new();
            ffi::lua_pushnil(state);
            while ffi::lua_next(state, index) != 0 {
                let value = ffi::lua_gettop(state);
                let packed = (self.item(state, value - 1, depth + 1))
                    .map_err(|reason| format!("a key: {reason}"))
                    .and_then(|key| match self.item(state, value, depth + 1) {
                        Ok(item) => Ok((key, item)),
                        Err(reason) => Err(at_key(&key, &reason)),
                    });
                if let Err(reason) = packed.and_then(|entry| push_onto(&mut entries, entry)) {
                    ffi::lua_pop(state, 2);
                    return Err(reason);
                }
                ffi::lua_pop(state, 1);
            }
            let place = self.parcel.tables.len();
            push_onto(&mut self.parcel.tables, entries)?;
            self.seen.insert(address, Some(place));
            Ok(Item::Table(place))
        }
    }
}

/// `reason`, with the key under which it was found.
fn at_key(key: &Item, reason: &str) -> String {
    let key = match key {
        Item::Text(text) => format!(".{}", String::from_utf8_lossy(text)),
        Item::Number(number) => format!("[{number}]"),
        Item::Boolean(value) => format!("[{value}]"),
        _ => "[...]".into(),
    };
    // A path grows from its end: ".a" and "[1]: why" make ".a[1]: why".
    let between = if reason.starts_with(['.', '[']) {
        ""
    } else {
        ": "
    };
    format!("{key}{between}{reason}")
}

fn no_memory() -> String {
    "not enough memory to copy it".into()
}

/// `push` that fails where it would abort.
fn push_onto<T>(list: &mut Vec<T>, value: T) -> Result<(), String> {
    list.try_reserve(1).map_err(|_| no_memory())?;
    list.push(value);
    Ok(())
}

fn copy(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut copy = Vec::new();
    copy.try_reserve_exact(bytes.len())
        .map_err(|_| no_memory())?;
    copy.extend_from_slice(bytes);
    Ok(copy)
}

/// # Safety
/// As `Packer::item`, for a function.
unsafe fn function(state: *mut lua_State, index: c_int) -> Result<Item, String> {
    unsafe extern "C-unwind" fn write(
        _: *mut lua_State,
        data: *const c_void,
        size: usize,
        code: *mut c_void,
    ) -> c_int {
        // SAFETY: `code` is the vector below; the interpreter vouches for its data.
        unsafe {
            let code = &mut *code.cast::<Vec<u8>>();
            if code.try_reserve(size).is_err() {
                return 1;
            }
            code.extend_from_slice(std::slice::from_raw_parts(data.cast(), size));
        }
        0
    }
    // SAFETY: the function is pushed for lua_dump, which raises nothing of its own, and popped again.
    unsafe {
        if ffi::lua_iscfunction(state, index) != 0 {
            return Err("a C function can't go to another thread".into());
        }
        if !ffi::lua_getupvalue(state, index, 1).is_null() {
            ffi::lua_pop(state, 1);
            return Err("a function with upvalues can't go to another thread".into());
        }
        let mut code = Vec::new();
        ffi::lua_pushvalue(state, index);
        let failed = ffi::lua_dump_(state, write, (&raw mut code).cast());
        ffi::lua_pop(state, 1);
        if failed != 0 {
            return Err("this interpreter can't turn a function into bytecode".into());
        }
        Ok(Item::Function(code))
    }
}

/// # Safety
/// As `Packer::item`, for a userdata.
unsafe fn context(state: *mut lua_State, index: c_int) -> Result<Arc<Shared>, String> {
    // SAFETY: a payload is used only after its size and tag were seen to fit.
    unsafe {
        if let Some(context) = at::<Context>(state, index).as_ref() {
            match context.state() {
                State::Live => return Ok(context.shared().clone()),
                State::Closed => return Err("the context is closed".into()),
                State::Parents => return Err("the context belongs to the parent process".into()),
                State::Other => {}
            }
        }
        if at::<Socket>(state, index)
            .as_ref()
            .is_some_and(|s| s.state() != State::Other)
        {
            return Err("a socket stays in its thread: pass its context and endpoint".into());
        }
        if at::<Message>(state, index)
            .as_ref()
            .is_some_and(|m| m.state() != State::Other)
        {
            return Err("a message stays in its thread: pass its string, or send it".into());
        }
        Err("a userdata can't go to another thread".into())
    }
}

/// Pushes a parcel's values and returns their count.
///
/// # Safety
/// Called from a C function, with nothing alive that has a destructor: it may raise for memory.
pub unsafe fn unpack(state: *mut lua_State, parcel: &Parcel) -> c_int {
    // SAFETY: the stack is checked for the values and for the few more that `push` needs.
    unsafe {
        let count = parcel.items.len().min(c_int::MAX as usize / 2) as c_int;
        ffi::luaL_checkstack(state, count + 10, c"too many values".as_ptr());
        ffi::lua_createtable(state, parcel.tables.len().min(1 << 24) as c_int, 0);
        let tables = ffi::lua_gettop(state);
        for (place, entries) in parcel.tables.iter().enumerate() {
            ffi::lua_createtable(state, 0, entries.len().min(1 << 24) as c_int);
            for (key, value) in entries {
                push(state, key, tables);
                push(state, value, tables);
                ffi::lua_rawset(state, -3);
            }
            ffi::lua_rawseti_(state, tables, place as c_int + 1);
        }
        for item in &parcel.items {
            push(state, item, tables);
        }
        ffi::lua_remove(state, tables);
        count
    }
}

unsafe fn push(state: *mut lua_State, item: &Item, tables: c_int) {
    // SAFETY: see `unpack`.
    unsafe {
        match item {
            Item::Nil => ffi::lua_pushnil(state),
            Item::Boolean(value) => ffi::lua_pushboolean(state, c_int::from(*value)),
            Item::Number(number) => ffi::lua_pushnumber(state, *number),
            Item::Text(text) => {
                ffi::lua_pushlstring(state, text.as_ptr().cast(), text.len());
            }
            Item::Function(code) => {
                let data = code.as_ptr().cast();
                if ffi::luaL_loadbuffer(state, data, code.len(), c"=(function)".as_ptr()) != 0 {
                    ffi::lua_error(state);
                }
            }
            Item::Light(address) => ffi::lua_pushlightuserdata(state, *address as *mut c_void),
            Item::Context(shared) => push_context(state, shared),
            Item::Table(place) => {
                ffi::lua_rawgeti_(state, tables, *place as c_int + 1);
            }
        }
    }
}

/// Pushes the object of a context: the one that this Lua state has, or a new one.
unsafe fn push_context(state: *mut lua_State, shared: &Arc<Shared>) {
    // SAFETY: see `unpack`. The new payload is written behind the last call that may raise.
    unsafe {
        if !push_contexts(state) {
            // A new state, where rzmq_core was not needed so far.
            ffi::lua_getglobal(state, c"require".as_ptr());
            ffi::lua_pushstring(state, CORE.as_ptr());
            ffi::lua_call(state, 1, 0);
            push_contexts(state);
        }
        let address = shared.address() as ffi::lua_Number;
        ffi::lua_pushnumber(state, address);
        ffi::lua_rawget_(state, -2);
        let known = at::<Context>(state, -1).as_ref();
        if known.is_some_and(|c| c.is_ours() && Arc::ptr_eq(c.shared(), shared)) {
            ffi::lua_remove(state, -2);
            return;
        }
        ffi::lua_pop(state, 1);
        let room = ffi::lua_newuserdata(state, size_of::<Context>()).cast::<Context>();
        room.cast::<u64>().write(0);
        ffi::lua_pushnumber(state, address);
        ffi::lua_pushvalue(state, -2);
        ffi::lua_rawset(state, -4);
        ffi::lua_remove(state, -2);
        ffi::luaL_getmetatable(state, Context::NAME.as_ptr());
        room.write(Context::new(shared.clone()));
        ffi::lua_setmetatable(state, -2);
    }
}

/// Pushes the table of context objects; pushes nothing where rzmq_core is not loaded yet.
unsafe fn push_contexts(state: *mut lua_State) -> bool {
    // SAFETY: a few values on a stack that has room.
    unsafe {
        ffi::lua_pushlstring(state, CONTEXTS.as_ptr().cast(), CONTEXTS.len());
        ffi::lua_rawget_(state, ffi::LUA_REGISTRYINDEX);
        if ffi::lua_type(state, -1) == ffi::LUA_TTABLE {
            return true;
        }
        ffi::lua_pop(state, 1);
        false
    }
}

/// Packs the values that `values` pushes.
pub fn pack(lua: &Lua, values: impl mlua::IntoLuaMulti) -> mlua::Result<Packer> {
    let mut packer = Packer::default();
    // SAFETY: the packer lives out here; the closure holds a reference only.
    unsafe {
        lua.exec_raw::<()>(values, |state| {
            packer.pack(state, 1);
            ffi::lua_settop(state, 0);
        })?;
    }
    Ok(packer)
}

/// A parcel's values.
pub fn values(lua: &Lua, parcel: &Parcel) -> mlua::Result<mlua::MultiValue> {
    // SAFETY: the parcel lives out here; the closure holds a reference only.
    unsafe {
        lua.exec_raw((), |state| {
            unpack(state, parcel);
        })
    }
}
