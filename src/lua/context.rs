//! Context methods (cold).

use super::args::{Args, Fail, Return};
use super::{lifetime, options, raw, Method};
use crate::core::option::Setting;
use crate::core::{Context, Error, Shared};
use crate::schema::{self, Access};
use mlua::{LightUserData, Table, Value};
use std::ffi::c_void;
use std::sync::Arc;

/// The methods.
pub const METHODS: &[Method] = &[
    Method {
        names: &["socket"],
        args: "type[, options]",
        doc: "Opens a socket. The type is a number, a name, or a table with the type at 1 and options by name; options \
              are set first, then `bind`, then `connect`. Does not block. If an entry fails the socket is closed and \
              the entry named; EMFILE, ETERM, EINVAL.",
        call: socket,
    },
    Method {
        names: &["term", "destroy"],
        args: "[linger]",
        doc: "Closes the context's sockets that this Lua state opened (with `linger` ms, if given) and ends the \
              context. Blocks until other Lua states have closed theirs and unsent messages are delivered or their \
              linger is over; a signal ends the wait: nil, \"interrupted\", EINTR, and it can be called again.",
        call: term,
    },
    Method {
        names: &["shutdown"],
        args: "",
        doc: "Makes blocking calls on the context's sockets, in every thread, return \"closed\" (ETERM). Does not \
              block; the sockets still need to be closed.",
        call: shutdown,
    },
    Method {
        names: &["closed"],
        args: "",
        doc: "Tells whether the context has ended.",
        call: closed,
    },
    Method {
        names: &["shutdowned"],
        args: "",
        doc: "Tells whether `shutdown` was called.",
        call: shutdowned,
    },
    Method {
        names: &["get"],
        args: "option",
        doc: "Reads a context option by number or name.",
        call: get,
    },
    Method {
        names: &["set"],
        args: "option, value",
        doc: "Sets a context option by number or name and returns 0.",
        call: set,
    },
    Method {
        names: &["defaults"],
        args: "options",
        doc: "Sets options, by name, that later sockets of this context begin with.",
        call: defaults,
    },
    Method {
        names: &["zero_copy_threshold"],
        args: "[bytes]",
        doc: "Reads or sets from which size on the sockets that this context opens from now on hand the strings that \
              they send to libzmq without a copy: 32 KiB at first, `math.huge` for never. Does not block. Also an \
              option of `zmq.context`, `get` and `set`.",
        call: |args| {
            args.this_context()?;
            match args.count() {
                0 => threshold(args),
                _ => set_threshold(args, 1),
            }
        },
    },
    Method {
        names: &["lightuserdata", "handle"],
        args: "",
        doc: "The address of libzmq's context, for `zmq.init_ctx`.",
        call: lightuserdata,
    },
    Method {
        names: &["socket_count"],
        args: "",
        doc: "How many sockets of the context are open, in all Lua states.",
        call: socket_count,
    },
    Method { names: &["__tostring"], args: "", doc: "The kind, the address, and whether it is closed.", call: text },
];

/// A context object around `shared`; the same one while an earlier one lives.
pub fn new_object(args: &Args, shared: Arc<Shared>) -> Return {
    let address = shared.address() as f64;
    match args.state.contexts.raw_get::<Value>(address)? {
        Value::Nil => {}
        object => {
            if raw::payload::<Context>(args.lua, &object)
                .is_some_and(|context| Arc::ptr_eq(context.shared(), &shared))
            {
                return args.one(object);
            }
        }
    }
    let object = raw::new_object(args.lua, Context::new(shared))?;
    args.state.contexts.raw_set(address, &object)?;
    args.one(object)
}

fn socket(args: &Args) -> Return {
    let context = args.this_context()?;
    let (kind, options) = match args.value(1) {
        Value::Table(table) => (table.raw_get::<Value>(1)?, Some((1, table))),
        kind => match args.value(2) {
            Value::Nil => (kind.clone(), None),
            _ => (kind.clone(), Some((2, args.table(2)?))),
        },
    };
    let number = match &kind {
        Value::String(name) => match schema::socket_type(&name.to_string_lossy()) {
            Some(number) => number,
            None => match super::args::whole(args.lua, &kind) {
                Ok(number) => number as i32,
                Err(_) => {
                    let reason = format!("unknown socket type '{}'", name.to_string_lossy());
                    return Err(args.bad(1, reason));
                }
            },
        },
        _ => match args.value(1) {
            Value::Table(_) => super::args::whole(args.lua, &kind)
                .ok()
                .and_then(|number| i32::try_from(number).ok())
                .ok_or_else(|| args.bad(1, "a socket type at 1 expected"))?,
            _ => args.int(1)?,
        },
    };
    let mut socket = context.socket(number, args.state.owner)?;
    if let Some((number, table)) = options {
        // A failure drops the socket, which closes it.
        configure(args, number, &mut socket, table)?;
    }
    lifetime::new_socket(args, socket)
}

/// Sets the options of a table, then binds, then connects.
fn configure(
    args: &Args,
    number: usize,
    socket: &mut crate::core::Socket,
    table: &Table,
) -> Result<(), Fail> {
    for setting in settings(args, number, table, &["bind", "connect"])? {
        socket.apply(&setting)?;
    }
    for (name, connect) in [("bind", false), ("connect", true)] {
        let endpoints = match table.raw_get::<Value>(name)? {
            Value::Nil => continue,
            Value::Table(list) => args.strings(number, &list)?,
            one => match super::args::text(args.lua, &one) {
                Some(endpoint) => vec![endpoint.as_bytes().to_vec()],
                None => {
                    return Err(args.bad(number, format_args!("{name}: an endpoint is a string")))
                }
            },
        };
        args.in_turn(endpoints, |endpoint| {
            let result = if connect {
                socket.connect(endpoint)
            } else {
                socket.bind(endpoint)
            };
            result.map_err(|e| Error::new(e.errno, format!("{name} {}", e.about)))
        })?;
    }
    Ok(())
}

/// The entries of an option table that have names, but for those in `others`; all are checked before one is used.
fn settings(
    args: &Args,
    number: usize,
    table: &Table,
    others: &[&str],
) -> Result<Vec<Setting>, Fail> {
    let mut all = Vec::new();
    for pair in table.pairs::<Value, Value>() {
        let (name, value) = pair?;
        let Value::String(name) = name else { continue };
        let name = name.to_string_lossy();
        if others.contains(&name.as_str()) {
            continue;
        }
        let Some(option) = schema::socket_option(&name) else {
            return Err(args.bad(number, format_args!("unknown option '{name}'")));
        };
        if option.access == Access::ReadOnly {
            return Err(args.bad(number, format_args!("option {name} can't be set")));
        }
        for value in options::settings(args.lua, option, &value).map_err(|r| args.bad(number, r))? {
            all.push(Setting { option, value });
        }
    }
    Ok(all)
}

fn term(args: &Args) -> Return {
    let context = args.this::<Context>()?;
    if context.is_ours() {
        let linger = match args.value(1) {
            Value::Nil => None,
            _ => Some(args.int(1)?),
        };
        lifetime::before_term(args)?;
        let ended = args.this::<Context>()?.term(args.state.owner, linger);
        raw::let_go(args.lua, &args.state.loans)?;
        ended?;
    }
    args.yes()
}

fn shutdown(args: &Args) -> Return {
    let context = args.this::<Context>()?;
    if context.is_ours() {
        context.shared().shutdown()?;
    }
    args.yes()
}

fn closed(args: &Args) -> Return {
    let context = args.this::<Context>()?;
    args.one(!context.is_ours() || context.shared().is_closed())
}

fn shutdowned(args: &Args) -> Return {
    let context = args.this::<Context>()?;
    args.one(!context.is_ours() || context.shared().is_shut_down() || context.shared().is_closed())
}

fn get(args: &Args) -> Return {
    args.this_context()?;
    if is_threshold(args) {
        return threshold(args);
    }
    options::get_context(args, options::context_option(args, 1, false)?)
}

fn set(args: &Args) -> Return {
    args.this_context()?;
    if is_threshold(args) {
        set_threshold(args, 2)?;
        return args.one(0);
    }
    options::set_context(args, options::context_option(args, 1, true)?, 2)?;
    args.one(0)
}

/// Whether argument 1 names the one option of a context that libzmq does not know.
fn is_threshold(args: &Args) -> bool {
    matches!(args.value(1), Value::String(name) if *name == *"zero_copy_threshold")
}

fn threshold(args: &Args) -> Return {
    let bytes = args.this_context()?.shared().lend_from();
    args.one(match bytes {
        usize::MAX => f64::INFINITY,
        bytes => bytes as f64,
    })
}

fn set_threshold(args: &Args, number: usize) -> Return {
    let bytes = args.number(number)?;
    if !(bytes >= 0.0 && (bytes.fract() == 0.0 || bytes.is_infinite())) {
        return Err(args.bad(
            number,
            format_args!("a size in bytes expected, got {bytes}"),
        ));
    }
    args.this_context()?.shared().set_lend_from(bytes as usize);
    args.yes()
}

fn defaults(args: &Args) -> Return {
    let context = args.this_context()?;
    for setting in settings(args, 1, args.table(1)?, &[])? {
        context
            .defaults
            .retain(|old| old.option.number != setting.option.number);
        context.defaults.push(setting);
    }
    args.yes()
}

fn lightuserdata(args: &Args) -> Return {
    let address = args.this_context()?.shared().address();
    args.one(Value::LightUserData(LightUserData(address as *mut c_void)))
}

fn socket_count(args: &Args) -> Return {
    args.one(args.this_context()?.shared().socket_count())
}

fn text(args: &Args) -> Return {
    let context = args.this::<Context>()?;
    let address = args.value(0).to_pointer();
    let state = if context.is_ours() && !context.shared().is_closed() {
        ""
    } else {
        " closed"
    };
    args.one(format!("rzmq.context {address:?}{state}"))
}
