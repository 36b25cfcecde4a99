//! The hot calls as plain C functions, for every Lua; and what follows when one fails, for both backends.
//!
//! Each has the word "timeout" as upvalue 1, so that a receive that finds nothing allocates nothing. In a method,
//! argument numbers in errors don't count the object, as in Lua's own.

use super::lend::{collect, send_lent, send_with_options, take_back};
use super::object::{at, Object};
use super::text::{type_at, Text};
use super::{push_failure, Row};
use crate::core::loan::ASKS_LUA;
use crate::core::{ending, error, tag::State, Message, Socket};
use crate::schema;
use crate::sys::{self, Errno, Failed};
use mlua::ffi::{self, lua_CFunction, lua_State};
use mlua::{Lua, Table, Value};
use std::os::raw::c_int;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A C function and its name.
pub type Named = (&'static str, lua_CFunction);

/// Hot methods of sockets.
pub const SOCKET: &[Row] = &[
    Row { names: &["send"], args: "string[, flags]", doc: "Sends a string as one message, or with SNDMORE as one part of it; a number counts as its text. Options, `{ flags = n, track = true }`, may stand for flags; `track` has it return a tracker, not true. Blocks as the option sndtimeo says, unless DONTWAIT. True, or nil, \"timeout\" (EAGAIN), \"interrupted\" (EINTR), \"closed\" (ETERM), EFSM, EHOSTUNREACH, ENOTSUP (zmq_send(3)).", call: send },
    Row { names: &["recv"], args: "[flags]", doc: "Receives one message, or one part, as a string; `more` tells whether parts follow. Blocks as the option rcvtimeo says, unless DONTWAIT. The string, or nil, \"timeout\" (EAGAIN), \"interrupted\" (EINTR), \"closed\" (ETERM), EFSM, ENOTSUP (zmq_recv(3)).", call: recv },
    Row { names: &["send_msg"], args: "message[, flags]", doc: "Sends a message object, which is empty afterwards; on failure it is unchanged. Blocks and fails as `send` (zmq_msg_send(3)).", call: send_msg },
    Row { names: &["recv_msg"], args: "message[, flags]", doc: "Receives into a message object, whose old content is gone. True; blocks and fails as `recv` (zmq_msg_recv(3)).", call: recv_msg },
    Row { names: &["more"], args: "", doc: "Tells whether another part of the message last received follows (the option rcvmore). Does not block.", call: more },
];

/// Hot methods of messages.
pub const MESSAGE: &[Row] = &[
    Row { names: &["size"], args: "", doc: "The size in bytes (zmq_msg_size(3)).", call: msg_size },
    Row { names: &["data"], args: "", doc: "The address of the content: light userdata, or a `void *` cdata with the FFI. It is valid until the message changes, is sent or closed: using it later is the caller's risk (zmq_msg_data(3)).", call: msg_data },
    Row { names: &["set_data"], args: "[position, ]string", doc: "Replaces the content by a copy of the string; with a position (from 1) writes over the content from there on, and the message grows where it has to. ENOMEM.", call: msg_set_data },
    Row { names: &["close"], args: "", doc: "Lets go of the content; a second call does nothing (zmq_msg_close(3)).", call: msg_close },
];

/// What the LuaJIT overlay calls when a hot call failed: the call's arguments, then the errno.
pub const COLD: &[Named] = &[
    ("send", send_failed),
    ("recv", recv_failed),
    ("send_msg", send_msg_failed),
    ("recv_msg", recv_msg_failed),
    ("send_more", super::send::send_more_failed),
    ("collect", super::lend::collect_now),
];

const NOT_OURS: Errno = Errno(libc::ENOTSOCK);

/// The object at index 1, or what raising left; the caller checks its tag.
#[inline(always)]
pub(super) unsafe fn this<'a, T: Object>(
    state: *mut lua_State,
    name: &str,
) -> Result<&'a mut T, c_int> {
    // SAFETY: see `at`.
    match unsafe { at::<T>(state, 1).as_mut() } {
        Some(object) => Ok(object),
        // SAFETY: nothing with a destructor is alive.
        None => Err(unsafe { bad_self::<T>(state, name) }),
    }
}

/// The open socket at index 1, or what raising left.
pub(super) unsafe fn open_socket<'a>(
    state: *mut lua_State,
    name: &str,
) -> Result<&'a mut Socket, c_int> {
    // SAFETY: see `this`.
    unsafe {
        match this::<Socket>(state, name)? {
            socket if socket.state() == State::Live => Ok(socket),
            _ => Err(bad_self::<Socket>(state, name)),
        }
    }
}

/// The live message at index 1, or what raising left.
#[inline(always)]
pub(super) unsafe fn this_message<'a>(
    state: *mut lua_State,
    name: &str,
) -> Result<&'a mut Message, c_int> {
    // SAFETY: as `this`.
    unsafe {
        match this::<Message>(state, name)? {
            message if message.is_live() => Ok(message),
            _ => Err(bad_self::<Message>(state, name)),
        }
    }
}

#[inline(always)]
pub(super) unsafe fn flags(state: *mut lua_State, index: c_int) -> Option<c_int> {
    // SAFETY: any acceptable index will do.
    unsafe {
        if ffi::lua_gettop(state) < index {
            return Some(0);
        }
        flags_given(state, index)
    }
}

#[inline(never)]
unsafe fn flags_given(state: *mut lua_State, index: c_int) -> Option<c_int> {
    // SAFETY: any acceptable index will do.
    unsafe {
        if ffi::lua_type(state, index) == ffi::LUA_TNIL {
            return Some(0);
        }
        if ffi::lua_isnumber(state, index) == 0 {
            return None;
        }
        let number = ffi::lua_tonumber(state, index);
        let whole = number as c_int;
        (f64::from(whole) == number).then_some(whole)
    }
}

/// `(socket, string, flags)`, or what raising left.
#[inline(always)]
unsafe fn send_arguments<'a>(
    state: *mut lua_State,
) -> Result<(&'a mut Socket, &'a [u8], c_int), c_int> {
    // SAFETY: a C function's state; the payload's size was checked, and its tag is before it is used. While the call
    // lasts, no other reference to the payload lives: Lua is not running. The string stays on the stack.
    unsafe {
        let socket = this::<Socket>(state, "send")?;
        let mut size = 0;
        let data = ffi::lua_tolstring(state, 2, &mut size);
        if data.is_null() {
            return Err(bad_argument(state, 2, "send", "string expected"));
        }
        let Some(flags) = flags(state, 3) else {
            return Err(match ffi::lua_type(state, 3) {
                ffi::LUA_TTABLE => send_with_options(state, socket),
                _ => bad_flags(state, 3, "send"),
            });
        };
        Ok((socket, std::slice::from_raw_parts(data.cast(), size), flags))
    }
}

unsafe extern "C-unwind" fn send(state: *mut lua_State) -> c_int {
    // SAFETY: see `send_arguments`.
    unsafe {
        let (socket, bytes, flags) = match send_arguments(state) {
            Ok(arguments) => arguments,
            Err(raised) => return raised,
        };
        if !socket.is_ours() {
            return after(state, NOT_OURS, "send");
        }
        match socket.send(bytes, flags) {
            Ok(()) => done(state),
            Err(failed) => send_again(state, socket, bytes, flags, failed.into()),
        }
    }
}

unsafe extern "C-unwind" fn send_failed(state: *mut lua_State) -> c_int {
    // SAFETY: see `send_arguments`.
    unsafe {
        match send_arguments(state) {
            Ok((socket, bytes, flags)) => {
                send_again(state, socket, bytes, flags, errno_at(state, 4))
            }
            Err(raised) => raised,
        }
    }
}

#[cold]
unsafe fn send_again(
    state: *mut lua_State,
    socket: &mut Socket,
    bytes: &[u8],
    flags: c_int,
    errno: Errno,
) -> c_int {
    // SAFETY: as the hot call.
    unsafe {
        let answer = send_on(state, socket, 2, bytes, flags, errno);
        answer.map_or_else(|errno| after(state, errno, "send"), |()| done(state))
    }
}

/// Goes on with the send of the string at `index`, which failed with `errno`.
#[cold]
pub(super) unsafe fn send_on(
    state: *mut lua_State,
    socket: &mut Socket,
    index: c_int,
    bytes: &[u8],
    flags: c_int,
    errno: Errno,
) -> Result<(), Errno> {
    // SAFETY: as the hot call.
    unsafe {
        if errno == ASKS_LUA && socket.lends(bytes.len()) {
            return send_lent(state, socket, index, flags, None);
        }
        again(state, socket, sys::SNDTIMEO, errno, |socket| {
            socket.send(bytes, flags)
        })
    }
}

unsafe extern "C-unwind" fn recv(state: *mut lua_State) -> c_int {
    // SAFETY: as `send_arguments`. If pushing the string raises, the message is still undelivered.
    unsafe {
        let socket = match this::<Socket>(state, "recv") {
            Ok(socket) => socket,
            Err(raised) => return raised,
        };
        let Some(flags) = flags(state, 2) else {
            return bad_flags(state, 2, "recv");
        };
        if !socket.is_ours() {
            return after(state, NOT_OURS, "recv");
        }
        match socket.recv(flags) {
            Ok((size, undelivered)) => {
                let mut size = size as usize;
                if size > crate::abi::LONGEST_STRING as usize {
                    // The largest int stands for more than it can say.
                    size = socket.inbox().len();
                    if size > longest_string() {
                        socket.discard();
                        return after(state, Errno(libc::EMSGSIZE), "recv");
                    }
                }
                ffi::lua_pushlstring(state, socket.inbox().data().cast(), size);
                *undelivered = 0;
                socket.delivered(size);
                1
            }
            Err(failed) => recv_again(state, socket, flags, failed.into()),
        }
    }
}

unsafe extern "C-unwind" fn recv_failed(state: *mut lua_State) -> c_int {
    // SAFETY: as `recv`.
    unsafe {
        let socket = match this::<Socket>(state, "recv") {
            Ok(socket) => socket,
            Err(raised) => return raised,
        };
        let Some(flags) = flags(state, 2) else {
            return bad_flags(state, 2, "recv");
        };
        recv_again(state, socket, flags, errno_at(state, 3))
    }
}

#[cold]
unsafe fn recv_again(
    state: *mut lua_State,
    socket: &mut Socket,
    flags: c_int,
    errno: Errno,
) -> c_int {
    // SAFETY: as `recv`.
    unsafe {
        match again(state, socket, sys::RCVTIMEO, errno, |socket| {
            socket.recv(flags).map(drop)
        }) {
            Ok(()) => recv(state),
            Err(errno) => after(state, errno, "recv"),
        }
    }
}

/// `(socket, message, flags)`, or what raising left.
#[inline(always)]
unsafe fn message_arguments<'a>(
    state: *mut lua_State,
    name: &'static str,
) -> Result<(&'a mut Socket, &'a mut Message, c_int), c_int> {
    // SAFETY: as `send_arguments`; a socket and a message differ in size, so they are two objects.
    unsafe {
        let socket = this::<Socket>(state, name)?;
        let message = at::<Message>(state, 2);
        if message.is_null() || !(*message).is_live() {
            return Err(bad_message(state, 2, name));
        }
        let Some(flags) = flags(state, 3) else {
            return Err(bad_flags(state, 3, name));
        };
        Ok((socket, &mut *message, flags))
    }
}

/// The hot and the failed form of a call that moves a message, and what follows a failure.
macro_rules! message_call {
    ($name:ident, $failed:ident, $again:ident, $call:ident, $timeout:expr, $end:ident) => {
        pub(super) unsafe extern "C-unwind" fn $name(state: *mut lua_State) -> c_int {
            // SAFETY: see `message_arguments`.
            unsafe {
                let (socket, message, flags) = match message_arguments(state, stringify!($name)) {
                    Ok(arguments) => arguments,
                    Err(raised) => return raised,
                };
                if !socket.is_ours() {
                    return after(state, NOT_OURS, stringify!($name));
                }
                match socket.$call(message, flags) {
                    Ok(answer) => $end(state, answer),
                    Err(failed) => $again(state, socket, message, flags, failed.into()),
                }
            }
        }

        unsafe extern "C-unwind" fn $failed(state: *mut lua_State) -> c_int {
            // SAFETY: see `message_arguments`.
            unsafe {
                match message_arguments(state, stringify!($name)) {
                    Ok((socket, message, flags)) => {
                        $again(state, socket, message, flags, errno_at(state, 4))
                    }
                    Err(raised) => raised,
                }
            }
        }

        #[cold]
        unsafe fn $again(
            state: *mut lua_State,
            socket: &mut Socket,
            message: &mut Message,
            flags: c_int,
            errno: Errno,
        ) -> c_int {
            // SAFETY: as the hot call.
            unsafe {
                let call = |socket: &mut Socket| socket.$call(message, flags).map(drop);
                let answer = again(state, socket, $timeout, errno, call);
                answer.map_or_else(
                    |errno| after(state, errno, stringify!($name)),
                    |()| {
                        collect(state);
                        done(state)
                    },
                )
            }
        }
    };
}

message_call!(
    send_msg,
    send_msg_failed,
    send_msg_again,
    send_message,
    sys::SNDTIMEO,
    sent
);
message_call!(
    recv_msg,
    recv_msg_failed,
    recv_msg_again,
    recv_message,
    sys::RCVTIMEO,
    received
);

unsafe extern "C-unwind" fn more(state: *mut lua_State) -> c_int {
    // SAFETY: as `send`.
    unsafe {
        let socket = match this::<Socket>(state, "more") {
            Ok(socket) => socket,
            Err(raised) => return raised,
        };
        let answer = if socket.is_ours() {
            socket.more()
        } else {
            Err(NOT_OURS)
        };
        match answer {
            Ok(more) => {
                ffi::lua_pushboolean(state, c_int::from(more));
                1
            }
            Err(errno) => after(state, errno, "more"),
        }
    }
}

unsafe extern "C-unwind" fn msg_size(state: *mut lua_State) -> c_int {
    // SAFETY: as `send`.
    unsafe {
        let message = match this_message(state, "size") {
            Ok(message) => message,
            Err(raised) => return raised,
        };
        ffi::lua_pushnumber(state, message.inner.len() as ffi::lua_Number);
    }
    1
}

unsafe extern "C-unwind" fn msg_data(state: *mut lua_State) -> c_int {
    // SAFETY: as `send`.
    unsafe {
        let message = match this_message(state, "data") {
            Ok(message) => message,
            Err(raised) => return raised,
        };
        ffi::lua_pushlightuserdata(state, message.inner.data().cast());
    }
    1
}

unsafe extern "C-unwind" fn msg_set_data(state: *mut lua_State) -> c_int {
    // SAFETY: as `send`.
    unsafe {
        let message = match this_message(state, "set_data") {
            Ok(message) => message,
            Err(raised) => return raised,
        };
        let mut size = 0;
        let data = ffi::lua_tolstring(state, 2, &mut size);
        if data.is_null() || ffi::lua_gettop(state) > 2 {
            return set_data_at(state, message);
        }
        let bytes = std::slice::from_raw_parts(data.cast::<u8>(), size);
        match message.set_data(bytes) {
            Ok(true) => collect(state),
            Ok(false) => {}
            Err(_) => return no_memory(state, size),
        }
        ffi::lua_pushboolean(state, 1);
    }
    1
}

/// `set_data(position, string)`: writes over the content from a position on; the message grows where it has to.
#[cold]
unsafe fn set_data_at(state: *mut lua_State, message: &mut Message) -> c_int {
    // SAFETY: called by `msg_set_data`.
    unsafe {
        let mut size = 0;
        let data = ffi::lua_tolstring(state, 3, &mut size);
        if ffi::lua_type(state, 3) <= ffi::LUA_TNIL && ffi::lua_isstring(state, 2) != 0 {
            ffi::lua_settop(state, 2);
            return msg_set_data(state);
        }
        let position = flags(state, 2).unwrap_or(0);
        if data.is_null() {
            let which = if ffi::lua_type(state, 3) > ffi::LUA_TNIL {
                3
            } else {
                2
            };
            return bad_argument(state, which, "set_data", "string expected");
        }
        if position < 1 {
            return bad_argument(state, 2, "set_data", "position from 1 on expected");
        }
        let bytes = std::slice::from_raw_parts(data.cast::<u8>(), size);
        let start = position as usize - 1;
        if message.write(start, bytes).is_err() {
            return no_memory(state, start + size);
        }
        ffi::lua_pushboolean(state, 1);
    }
    1
}

unsafe extern "C-unwind" fn msg_close(state: *mut lua_State) -> c_int {
    // SAFETY: as `send`; `state()` tells a live message from a closed one and from other objects.
    unsafe {
        let message = match this::<Message>(state, "close") {
            Ok(message) => message,
            Err(raised) => return raised,
        };
        match message.state() {
            State::Live => message.close(),
            State::Closed => {}
            _ => return bad_self::<Message>(state, "close"),
        }
        ffi::lua_pushboolean(state, 1);
    }
    1
}

/// Returns true.
#[inline(always)]
pub(super) unsafe fn done(state: *mut lua_State) -> c_int {
    // SAFETY: a C function has room for one value.
    unsafe { ffi::lua_pushboolean(state, 1) };
    1
}

#[inline(always)]
unsafe fn sent(state: *mut lua_State, _: ()) -> c_int {
    // SAFETY: a C function's state.
    unsafe { done(state) }
}

#[inline(always)]
unsafe fn received(state: *mut lua_State, due: bool) -> c_int {
    // SAFETY: a C function's state; the message is not used any more.
    unsafe {
        if due {
            collect(state);
        }
        done(state)
    }
}

/// Runs a call, and goes on with it where a signal interrupts it and the program asked for that.
pub(super) unsafe fn attempt(
    state: *mut lua_State,
    socket: &mut Socket,
    timeout: c_int,
    mut call: impl FnMut(&mut Socket) -> Result<(), Failed>,
) -> Result<(), Errno> {
    match call(socket) {
        // SAFETY: a C function's state.
        Err(failed) => unsafe { again(state, socket, timeout, failed.into(), call) },
        Ok(()) => Ok(()),
    }
}

/// Goes on with a call that a signal interrupted, if the program asked for that. Where a hook is set (the
/// interpreter's own answer to Ctrl-C), the call ends instead, so that the hook runs. A call that asks for its Lua state
/// gets what it wants and is made again.
pub(super) unsafe fn again(
    state: *mut lua_State,
    socket: &mut Socket,
    timeout: c_int,
    mut errno: Errno,
    mut call: impl FnMut(&mut Socket) -> Result<(), Failed>,
) -> Result<(), Errno> {
    while errno == ASKS_LUA {
        if let Some(loans) = socket.loans() {
            // SAFETY: a C function's state.
            unsafe { take_back(state, loans) };
        }
        match call(socket) {
            Ok(()) => return Ok(()),
            Err(failed) => errno = failed.into(),
        }
    }
    if errno.0 != libc::EINTR || !ending::retry_interrupted() || !socket.is_ours() {
        return Err(errno);
    }
    // SAFETY: reads the state's hook only.
    socket.resume(timeout, || unsafe { !hook_is_set(state) }, call)
}

/// Whether a hook is set on the calling or the main Lua thread.
pub(super) unsafe fn hook_is_set(state: *mut lua_State) -> bool {
    // SAFETY: the main thread lives as long as the Lua state; the registry holds it under this name (`open`).
    unsafe {
        ffi::lua_getfield(state, ffi::LUA_REGISTRYINDEX, MAIN_THREAD);
        let main = ffi::lua_tothread(state, -1);
        ffi::lua_pop(state, 1);
        ffi::lua_gethook(state).is_some() || (!main.is_null() && ffi::lua_gethook(main).is_some())
    }
}

/// The most bytes that a string can have here.
#[inline(always)]
pub(super) fn longest_string() -> usize {
    LONGEST_STRING.load(Relaxed)
}

/// LuaJIT raises an error for longer ones; Lua 5.1 has memory as its only limit. A process runs one of the two.
static LONGEST_STRING: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Notes what differs from one interpreter to the other.
pub fn note_interpreter(lua: &Lua) -> mlua::Result<()> {
    let loaded: Table = lua
        .globals()
        .raw_get::<Table>("package")?
        .raw_get("loaded")?;
    if !loaded.raw_get::<Value>("jit")?.is_nil() {
        LONGEST_STRING.store(crate::abi::LONGEST_STRING as usize, Relaxed);
    }
    Ok(())
}

/// Whether a hook is set, as the interpreter does on Ctrl-C: calls that go on after a signal end then.
pub fn is_hooked(lua: &Lua) -> mlua::Result<bool> {
    // SAFETY: the closure holds nothing with a destructor.
    unsafe {
        lua.exec_raw((), |state| {
            let hooked = hook_is_set(state);
            ffi::lua_pushboolean(state, c_int::from(hooked));
        })
    }
}

/// Where the registry holds the main Lua thread, when it was the one that loaded rzmq.
const MAIN_THREAD: *const std::ffi::c_char = c"rzmq.main_thread".as_ptr();

/// Remembers the main Lua thread if it is the one that loads rzmq.
pub fn note_main_thread(lua: &Lua) -> mlua::Result<()> {
    // SAFETY: the closure holds nothing with a destructor.
    unsafe {
        lua.exec_raw((), |state| {
            if ffi::lua_pushthread(state) == 1 {
                ffi::lua_setfield(state, ffi::LUA_REGISTRYINDEX, MAIN_THREAD);
            } else {
                ffi::lua_pop(state, 1);
            }
        })
    }
}

/// Puts C functions into a table, each with the word that EAGAIN returns.
pub fn set_functions(
    lua: &Lua,
    table: &Table,
    functions: impl IntoIterator<Item = Named>,
) -> mlua::Result<()> {
    let word = error::short_text(libc::EAGAIN).unwrap_or_default();
    for (name, function) in functions {
        // SAFETY: one value on the stack, which becomes the upvalue.
        let function: Value =
            unsafe { lua.exec_raw(word, |state| ffi::lua_pushcclosure(state, function, 1))? };
        table.raw_set(name, function)?;
    }
    Ok(())
}

pub(super) unsafe fn errno_at(state: *mut lua_State, index: c_int) -> Errno {
    // SAFETY: any acceptable index will do.
    Errno(unsafe { ffi::lua_tointeger(state, index) } as c_int)
}

/// What a socket call returns on failure; raises where the object is at fault.
#[cold]
pub(super) unsafe fn after(state: *mut lua_State, errno: Errno, name: &str) -> c_int {
    // SAFETY: upvalue 1 is the word for EAGAIN; the text is copied out of its String before anything may raise.
    unsafe {
        if errno.0 == libc::EAGAIN {
            ffi::lua_pushnil(state);
            ffi::lua_pushvalue(state, ffi::lua_upvalueindex(1));
            ffi::lua_pushinteger(state, libc::EAGAIN as ffi::lua_Integer);
            return 3;
        }
        if errno.0 == sys::ETERM {
            ending::stop_if_detached();
        }
        let socket = at::<Socket>(state, 1);
        if errno == NOT_OURS && (*socket).state() != State::Live {
            return bad_self::<Socket>(state, name);
        }
        if errno.0 == libc::EFAULT && at::<Message>(state, 2).is_null() {
            return bad_message(state, 2, name);
        }
        let text = {
            let error = error::Error::new(errno.0, refused(&*socket, errno, name));
            Text::new(format_args!("{}", error.text()))
        };
        push_failure(state, &text, errno.0)
    }
}

/// Why the socket can't do now what `name` asks.
fn refused(socket: &Socket, errno: Errno, name: &str) -> String {
    let kind = schema::socket_type_name(socket.kind()).unwrap_or("?");
    match errno.0 {
        libc::ENOTSUP => format!("{name} on a {kind} socket"),
        sys::EFSM => format!("{name} on a {kind} socket, which sends and receives in turns"),
        libc::EHOSTUNREACH => {
            format!("{name} on a {kind} socket that has no peer of this routing id")
        }
        _ => String::new(),
    }
}

#[cold]
pub(super) unsafe fn bad_self<T: Object>(state: *mut lua_State, name: &str) -> c_int {
    // SAFETY: nothing with a destructor is alive.
    unsafe {
        let object = at::<T>(state, 1);
        let word = T::WORD;
        let state_of = if object.is_null() {
            State::Other
        } else {
            T::KIND.state(*object.cast::<u64>())
        };
        let text = match state_of {
            State::Other => Text::new(format_args!(
                "calling '{name}' on bad self ({word} expected, got {})",
                type_at(state, 1)
            )),
            State::Parents => Text::new(format_args!(
                "{name}: the {word} belongs to the parent process"
            )),
            // A socket whose handle is closed has a live tag.
            State::Closed | State::Live => Text::new(format_args!("{name}: the {word} is closed")),
        };
        text.raise(state)
    }
}

#[cold]
pub(super) unsafe fn bad_message(state: *mut lua_State, index: c_int, name: &str) -> c_int {
    // SAFETY: nothing with a destructor is alive.
    unsafe {
        let message = at::<Message>(state, index);
        if !message.is_null() && (*message).state() == State::Closed {
            let number = index - 1;
            let text = format_args!("bad argument #{number} to '{name}' (the message is closed)");
            return Text::new(text).raise(state);
        }
        bad_argument(state, index, name, "message expected")
    }
}

#[cold]
pub(super) unsafe fn bad_flags(state: *mut lua_State, index: c_int, name: &str) -> c_int {
    // SAFETY: nothing with a destructor is alive.
    unsafe {
        if ffi::lua_isnumber(state, index) != 0 {
            let (number, value) = (index - 1, ffi::lua_tonumber(state, index));
            let text =
                format_args!("bad argument #{number} to '{name}' (flags {value} are no int)");
            return Text::new(text).raise(state);
        }
        bad_argument(state, index, name, "flags expected")
    }
}

#[cold]
pub(super) unsafe fn bad_argument(
    state: *mut lua_State,
    index: c_int,
    name: &str,
    expected: &str,
) -> c_int {
    // SAFETY: nothing with a destructor is alive.
    unsafe {
        let (number, got) = (index - 1, type_at(state, index));
        let text = format_args!("bad argument #{number} to '{name}' ({expected}, got {got})");
        Text::new(text).raise(state)
    }
}

#[cold]
unsafe fn no_memory(state: *mut lua_State, size: usize) -> c_int {
    // SAFETY: a C function has room for three values.
    unsafe {
        let text = Text::new(format_args!(
            "Cannot allocate memory: a message of {size} bytes"
        ));
        push_failure(state, &text, libc::ENOMEM)
    }
}
