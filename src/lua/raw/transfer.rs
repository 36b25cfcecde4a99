//! Copying and moving messages as plain C functions: what a program that sends one message many times calls each time.

use super::hot::{bad_message, done, this_message};
use super::lend::collect;
use super::object::{at, Object};
use super::text::Text;
use super::{push_failure, Row};
use crate::core::{Error, Message, Result};
use crate::sys;
use mlua::ffi::{self, lua_State};
use std::os::raw::c_int;

/// Methods of messages.
pub const MESSAGE_TRANSFER: &[Row] = &[
    Row {
        names: &["move"],
        args: "[source]",
        doc: "Takes the content of `source`, which becomes empty; without `source`, returns a new message with this \
              one's content (zmq_msg_move(3)).",
        call: msg_move,
    },
    Row {
        names: &["copy"],
        args: "[source]",
        doc: "Becomes a copy of `source`, sharing its bytes; without `source`, returns a new copy of this message \
              (zmq_msg_copy(3)).",
        call: msg_copy,
    },
];

unsafe extern "C-unwind" fn msg_move(state: *mut lua_State) -> c_int {
    // SAFETY: a C function's state.
    unsafe { transfer(state, "move", Message::take) }
}

unsafe extern "C-unwind" fn msg_copy(state: *mut lua_State) -> c_int {
    // SAFETY: a C function's state.
    unsafe { transfer(state, "copy", Message::share) }
}

/// Brings the content of the second message into the first, or of the first into a new one, which it returns.
unsafe fn transfer(
    state: *mut lua_State,
    name: &str,
    run: fn(&mut Message, &mut Message) -> Result<bool>,
) -> c_int {
    // SAFETY: a C function's state. Two payloads are two objects, unless their addresses are one. A new payload is
    // whole before the metatable with its finaliser is set.
    unsafe {
        let this = match this_message(state, name) {
            Ok(message) => message,
            Err(raised) => return raised,
        };
        if ffi::lua_type(state, 2) <= ffi::LUA_TNIL {
            let new = ffi::lua_newuserdata(state, size_of::<Message>()).cast::<Message>();
            ffi::luaL_getmetatable(state, Message::NAME.as_ptr());
            new.write(Message::new(sys::Message::new()));
            ffi::lua_setmetatable(state, -2);
            return match run(&mut *new, this) {
                Ok(due) => {
                    if due {
                        collect(state);
                    }
                    1
                }
                Err(error) => refused(state, &error),
            };
        }
        let source = at::<Message>(state, 2);
        if source.is_null() || !(*source).is_live() {
            return bad_message(state, 2, name);
        }
        // Moving or copying a message onto itself changes nothing.
        if !std::ptr::eq(source, this) {
            match run(this, &mut *source) {
                Ok(true) => collect(state),
                Ok(false) => {}
                Err(error) => return refused(state, &error),
            }
        }
        done(state)
    }
}

#[cold]
unsafe fn refused(state: *mut lua_State, error: &Error) -> c_int {
    // SAFETY: the text is copied out of its String before anything may raise.
    unsafe {
        let text = Text::new(format_args!("{}", error.text()));
        push_failure(state, &text, error.errno)
    }
}
