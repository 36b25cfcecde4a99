//! Lives of contexts and sockets beyond open and close (cold): the context of the whole process, the sockets that are
//! open, functions called at close, handles from elsewhere.

use super::args::{Args, Fail, Return};
use super::{context, raw, Method};
use crate::core::tag::State;
use crate::core::{Context, Error, Shared, Socket};
use mlua::{LightUserData, Table, Value};
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;

/// Functions of the module.
pub const FUNCTIONS: &[Method] = &[
    Method {
        names: &["instance"],
        args: "",
        doc: "The context that the whole process shares, Lua states in other threads included; made when first asked \
              for, and anew once it was ended or in a forked child. Does not block.",
        call: instance,
    },
    Method {
        names: &["init_socket"],
        args: "address",
        doc: "A socket object around a socket that somebody else made, given its address; closing that is up to \
              whoever made it, after the last use here and on its own thread. A wrong address is the caller's risk: \
              it crashes the process. EFAULT for NULL, ENOTSOCK where libzmq can tell.",
        call: init_socket,
    },
];

/// Methods of contexts.
pub const CONTEXT: &[Method] = &[
    Method {
        names: &["sockets"],
        args: "",
        doc: "Iterates over the open sockets of the context that this Lua state holds, in no order. Does not block.",
        call: |args| {
            // The list; `lua/rzmq/context.lua` makes the iterator of it.
            args.one(sockets(args, args.this_context()?.shared())?)
        },
    },
    Method {
        names: &["autoclose"],
        args: "socket",
        doc: "Does nothing, since `term` closes every socket of the context that this Lua state opened; lzmq's name.",
        call: autoclose,
    },
    Method {
        names: &["on_close"],
        args: "function",
        doc: "Sets the function that `term` calls first, without arguments; nil for none. Its errors are lost, and a \
              context that the collector ends does not call it.",
        call: |args| {
            args.this_context()?;
            on_close(args)
        },
    },
];

/// Methods of sockets.
pub const SOCKET: &[Method] = &[
    Method {
        names: &["on_close"],
        args: "function",
        doc: "Sets the function that is called, without arguments, before `close`, or the `term` of its context, closes \
              the socket; nil for none. Its errors are lost, and a socket that the collector closes does not call it.",
        call: |args| {
            args.this_socket()?;
            on_close(args)
        },
    },
    Method {
        names: &["reset_handle"],
        args: "address[, own[, close]]",
        doc: "Puts the socket at an address in the place of the one that this object has. With `own` true, closing it \
              is then up to this object. With `close` true, the old one is closed and true returned; else its \
              address. Both addresses are the caller's risk, as with `zmq.init_socket`. EFAULT, ENOTSOCK.",
        call: reset_handle,
    },
];

/// A socket object, entered among those of its Lua state.
pub fn new_socket(args: &Args, mut socket: Socket) -> Return {
    socket.lend_by(args.state.loans.clone());
    let number = socket.number();
    let object = raw::new_object(args.lua, socket)?;
    args.state.sockets.raw_set(number as f64, &object)?;
    args.one(object)
}

/// A list of the open sockets of a context that this Lua state holds; a table, for mlua holds some thousand values at
/// most.
fn sockets(args: &Args, shared: &Arc<Shared>) -> Result<Table, Fail> {
    let found = args.lua.create_table()?;
    for pair in args.state.sockets.pairs::<Value, Value>() {
        let (_, object) = pair?;
        let of_it = raw::payload::<Socket>(args.lua, &object).is_some_and(|socket| {
            let context = socket.context();
            socket.state() == State::Live && context.is_some_and(|one| Arc::ptr_eq(one, shared))
        });
        if of_it {
            found.raw_push(object)?;
        }
    }
    Ok(found)
}

/// Calls the function that an object has for its close, if it has one. To be called while no reference to a payload is
/// held: the function may do anything.
pub fn before_close(args: &Args, object: &Value) -> Result<(), Fail> {
    if let Some(hook) = raw::take_hook(args.lua, object)? {
        // lzmq's contract: what it raises stops nothing.
        let _ = hook.call::<()>(());
    }
    Ok(())
}

/// The same for a context that is about to end, and its sockets.
pub fn before_term(args: &Args) -> Result<(), Fail> {
    before_close(args, args.value(0))?;
    let shared = args.this::<Context>()?.shared().clone();
    for object in sockets(args, &shared)?.sequence_values::<Value>() {
        before_close(args, &object?)?;
    }
    Ok(())
}

fn on_close(args: &Args) -> Return {
    if !matches!(args.value(1), Value::Nil | Value::Function(_)) || args.count() == 0 {
        return Err(args.expected(1, "function or nil"));
    }
    raw::set_hook(args.lua, args.value(0), args.value(1))?;
    args.yes()
}

/// Where a Lua state keeps its object for the process's context, so that options set on it stay.
const INSTANCE: &str = "rzmq.instance";

fn instance(args: &Args) -> Return {
    let values = context::new_object(args, Shared::instance()?)?;
    args.lua
        .set_named_registry_value(INSTANCE, values.front())?;
    Ok(values)
}

/// The address that argument `number` holds.
pub fn address(args: &Args, number: usize) -> Result<NonNull<c_void>, Fail> {
    let address = match args.value(number) {
        Value::LightUserData(pointer) => pointer.0 as usize,
        // lzmq.ffi hands addresses over as the bytes of a pointer.
        Value::String(bytes) => match <[u8; size_of::<usize>()]>::try_from(&*bytes.as_bytes()) {
            Ok(bytes) => usize::from_ne_bytes(bytes),
            Err(_) => return Err(args.bad(number, "an address of 8 bytes expected")),
        },
        // LuaJIT prints a pointer as "cdata<void *>: 0x...".
        value @ Value::Other(_) => {
            let text = value.to_string()?;
            let digits = text.rsplit_once("0x").map_or("", |(_, digits)| digits);
            let null = text.ends_with("NULL");
            usize::from_str_radix(if null { "0" } else { digits }, 16)
                .map_err(|_| args.bad(number, "a pointer expected"))?
        }
        _ => return Err(args.expected(number, "light userdata")),
    };
    NonNull::new(address as *mut c_void)
        .ok_or_else(|| Error::new(libc::EFAULT, "the address is NULL").into())
}

fn init_socket(args: &Args) -> Return {
    new_socket(args, Socket::borrow(address(args, 1)?)?)
}

fn autoclose(args: &Args) -> Return {
    args.this_context()?;
    args.socket(1)?;
    args.yes()
}

fn reset_handle(args: &Args) -> Return {
    let socket = args.this_socket()?;
    let pointer = address(args, 1)?;
    let (own, close) = (args.boolean(2)?, args.boolean(3)?);
    let old = socket.reset(pointer, own, close, args.state.owner)?;
    let sockets: &Table = &args.state.sockets;
    sockets.raw_set(socket.number() as f64, args.value(0))?;
    match old {
        None => args.yes(),
        Some(old) => args.one(Value::LightUserData(LightUserData(old as *mut c_void))),
    }
}
