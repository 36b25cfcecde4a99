//! The classic binding: hot calls as C functions (`raw`), cold calls as mlua closures behind a trampoline.
//!
//! `open` builds the table that `lua/rzmq.lua` turns into the module. A call is one row of a `METHODS` list in the
//! file of its object.

mod args;
mod buffer;
mod context;
mod curve;
mod draft;
mod lifetime;
mod message;
mod module;
mod monitor;
mod options;
mod poll;
mod proxy;
mod raw;
mod rows;
mod socket;
mod thread;
mod timers;
mod tracker;

use crate::core::registry::Owner;
use crate::schema;
use crate::sys::Loans;
use args::{Args, Fail, Return};
use mlua::{Function, IntoLua, Lua, MultiValue, Table, Value};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// `zmq.x` that is `require "rzmq.x"`.
const MODULES: &[&str] = &[
    "auth", "loop", "monitor", "poller", "threads", "timer", "timers", "utils",
];

/// A kind of object that programs hold.
pub struct ObjectKind {
    /// What documentation calls it.
    pub name: &'static str,
    /// Where `rzmq_core` has its methods.
    field: &'static str,
    register: fn(&Lua) -> mlua::Result<Table>,
    /// Its cold methods.
    pub methods: &'static [&'static [Method]],
    /// Its methods in C.
    pub rows: &'static [&'static [raw::Row]],
    options: fn(&Maker, &Table) -> mlua::Result<()>,
}

/// Every kind of object, with every method that is no option.
pub const OBJECTS: &[ObjectKind] = &[
    ObjectKind {
        name: "socket",
        field: "socket",
        register: raw::register::<crate::core::Socket>,
        methods: &[
            socket::METHODS,
            poll::METHODS,
            monitor::METHODS,
            draft::SOCKET,
            lifetime::SOCKET,
            options::TYPED,
        ],
        rows: &[
            raw::SOCKET,
            raw::SOCKET_SEND,
            raw::SOCKET_RECV,
            raw::SOCKET_BATCH,
            raw::SOCKET_INTO,
        ],
        options: options::add_socket_options,
    },
    ObjectKind {
        name: "context",
        field: "context_methods",
        register: raw::register::<crate::core::Context>,
        methods: &[context::METHODS, lifetime::CONTEXT],
        rows: &[],
        options: options::add_context_options,
    },
    ObjectKind {
        name: "message",
        field: "message",
        register: raw::register::<crate::core::Message>,
        methods: &[message::METHODS, draft::MESSAGE],
        rows: &[
            raw::MESSAGE,
            raw::MESSAGE_TRANSFER,
            raw::MESSAGE_TURNED,
            raw::MESSAGE_CONTENT,
        ],
        options: |_, _| Ok(()),
    },
    ObjectKind {
        name: "buffer",
        field: "buffer_methods",
        register: raw::register::<crate::core::Buffer>,
        methods: &[buffer::METHODS],
        rows: &[raw::BUFFER],
        options: |_, _| Ok(()),
    },
    ObjectKind {
        name: "tracker",
        field: "tracker_methods",
        register: raw::register::<crate::core::Tracker>,
        methods: &[tracker::METHODS],
        rows: &[],
        options: |_, _| Ok(()),
    },
    ObjectKind {
        name: "thread",
        field: "thread_methods",
        register: raw::register::<crate::core::Thread>,
        methods: &[thread::METHODS],
        rows: &[],
        options: |_, _| Ok(()),
    },
    ObjectKind {
        name: "timers",
        field: "timers_methods",
        register: raw::register::<crate::core::Timers>,
        methods: &[timers::METHODS],
        rows: &[],
        options: |_, _| Ok(()),
    },
    ObjectKind {
        name: "ZMQ_Poller",
        field: "poller",
        register: raw::register::<crate::core::Poller>,
        methods: &[poll::POLLER],
        rows: &[raw::POLLER],
        options: |_, _| Ok(()),
    },
];

/// Functions that `lua/rzmq.lua` passes on as `zmq.name`.
pub const PUBLIC: &[&[Method]] = &[
    module::METHODS,
    poll::FUNCTIONS,
    proxy::FUNCTIONS,
    monitor::FUNCTIONS,
    curve::METHODS,
    lifetime::FUNCTIONS,
    buffer::FUNCTIONS,
];

/// Functions for rzmq's own Lua files.
const INTERNAL: &[&[Method]] = &[
    rows::FUNCTIONS,
    curve::FILES,
    thread::FUNCTIONS,
    poll::INTERNAL,
    timers::PRIVATE,
];

/// What rzmq keeps for one Lua state.
#[derive(Clone)]
pub struct State {
    /// Under which its sockets are registered.
    pub owner: Owner,
    /// Weak table from address to context object: the same pointer is the same object.
    pub contexts: Table,
    /// Weak table from poller object to the sockets registered in it, which the collector must leave alone.
    pub anchors: Table,
    /// Weak table from number to socket object: all of them.
    pub sockets: Table,
    /// The strings that libzmq has of it.
    pub loans: Arc<Loans>,
}

/// A cold call.
pub struct Method {
    /// Its names: the usual one, then others.
    pub names: &'static [&'static str],
    /// Its parameters, as the documentation shows them.
    pub args: &'static str,
    /// What it does: one sentence; whether it may block; units; results and errors.
    pub doc: &'static str,
    /// The call itself.
    pub call: fn(&Args) -> Return,
}

/// One call that programs can make.
struct Call {
    name: &'static str,
    is_method: bool,
    run: Box<dyn Fn(&Args) -> Return>,
}

/// Makes the functions of a Lua state. One mlua closure serves them all: making some hundred would take longer than
/// everything else that `require` does.
pub struct Maker<'l> {
    lua: &'l Lua,
    closing: Value,
    calls: Rc<RefCell<Vec<Call>>>,
    dispatch: Function,
}

impl<'l> Maker<'l> {
    fn new(lua: &'l Lua, state: State, closing: Value) -> mlua::Result<Maker<'l>> {
        let calls = Rc::new(RefCell::new(Vec::<Call>::new()));
        let known = calls.clone();
        let dispatch = lua.create_function(move |lua, (number, values): (usize, MultiValue)| {
            let known = known.borrow();
            let Some(call) = known.get(number) else {
                return Ok(MultiValue::new());
            };
            let args = Args::new(lua, &state, call.name, call.is_method, values);
            Ok(answer(lua, (call.run)(&args)))
        })?;
        Ok(Maker {
            lua,
            closing,
            calls,
            dispatch,
        })
    }

    /// The function `name` for programs.
    fn function(
        &self,
        name: &'static str,
        is_method: bool,
        call: impl Fn(&Args) -> Return + 'static,
    ) -> mlua::Result<Value> {
        let number = self.calls.borrow().len();
        self.calls.borrow_mut().push(Call {
            name,
            is_method,
            run: Box::new(call),
        });
        raw::wrap(self.lua, &self.dispatch, &self.closing, number)
    }

    fn methods(&self, table: &Table, is_method: bool, methods: &[Method]) -> mlua::Result<()> {
        for method in methods {
            let function = self.function(method.names[0], is_method, method.call)?;
            for name in method.names {
                table.raw_set(*name, &function)?;
            }
        }
        Ok(())
    }
}

/// What a failure returns.
fn refusal(lua: &Lua, error: &crate::core::Error) -> Return {
    let text = error.text().into_lua(lua)?;
    Ok(MultiValue::from_iter([
        Value::Nil,
        text,
        Value::Integer(error.errno.into()),
    ]))
}

/// What the trampoline expects: true and results, or false and what to raise.
fn answer(lua: &Lua, result: Return) -> MultiValue {
    let fail = |text: &str| {
        let text = lua.create_string(text).map_or(Value::Nil, Value::String);
        MultiValue::from_iter([Value::Boolean(false), text])
    };
    match result {
        Ok(mut values) => {
            values.push_front(Value::Boolean(true));
            values
        }
        Err(Fail::Misuse(text)) => fail(&text),
        Err(Fail::Refused(error)) => answer(lua, refusal(lua, &error)),
        Err(Fail::RefusedAt(error, which)) => answer(
            lua,
            refusal(lua, &error).map(|mut values| {
                values.push_back(which);
                values
            }),
        ),
    }
}

/// Where a Lua state keeps its `rzmq_core`.
const CORE: &str = "rzmq.core";

/// Builds `rzmq_core`, once a Lua state: metatables and end mark exist once too.
pub fn open(lua: &Lua) -> mlua::Result<Table> {
    if let Value::Table(core) = lua.named_registry_value::<Value>(CORE)? {
        return Ok(core);
    }
    crate::core::ending::install();
    raw::note_interpreter(lua)?;
    raw::note_main_thread(lua)?;
    let weak = |mode: &str| {
        let (table, meta) = (lua.create_table()?, lua.create_table()?);
        meta.raw_set("__mode", mode)?;
        table.set_metatable(Some(meta))?;
        Ok::<Table, mlua::Error>(table)
    };
    let contexts = weak("v")?;
    lua.set_named_registry_value(raw::CONTEXTS, &contexts)?;
    let closing = raw::new_flag(lua)?;
    raw::prepare(lua)?;
    let loans = crate::core::loan::new_loans();
    let state = State {
        owner: Owner::new(),
        contexts,
        anchors: weak("k")?,
        sockets: weak("v")?,
        loans: loans.clone(),
    };
    let maker = Maker::new(lua, state, closing)?;
    let core = lua.create_table()?;
    for methods in PUBLIC.iter().chain(INTERNAL) {
        maker.methods(&core, false, methods)?;
    }
    let metatables = lua.create_table()?;
    for object in OBJECTS {
        let methods = lua.create_table()?;
        for list in object.methods {
            maker.methods(&methods, true, list)?;
        }
        let rows = object.rows.iter().copied().flatten();
        let rows = rows.flat_map(|row| row.names.iter().map(|name| (*name, row.call)));
        raw::set_functions(lua, &methods, rows)?;
        let metatable = (object.register)(lua)?;
        for event in ["__tostring", "__len", "__eq"] {
            metatable.raw_set(event, methods.raw_get::<Value>(event)?)?;
            methods.raw_set(event, Value::Nil)?;
        }
        (object.options)(&maker, &methods)?;
        metatable.raw_set("__index", &methods)?;
        core.raw_set(object.field, methods)?;
        metatables.raw_set(object.name, metatable)?;
    }
    core.raw_set("metatables", metatables)?;
    let cold = lua.create_table()?;
    let failed = [raw::COLD, raw::POLLER_COLD, raw::INTO_COLD]
        .into_iter()
        .flatten();
    raw::set_functions(lua, &cold, failed.copied())?;
    core.raw_set("cold", cold)?;
    core.raw_set("constants", constants(lua)?)?;
    core.raw_set("errors", errors(lua)?)?;
    let public = PUBLIC
        .iter()
        .copied()
        .flatten()
        .flat_map(|method| method.names);
    core.raw_set("public", lua.create_sequence_from(public.copied())?)?;
    core.raw_set(
        "modules",
        lua.create_sequence_from(MODULES.iter().copied())?,
    )?;
    core.raw_set("keep_inbox", crate::core::KEEP_INBOX as f64)?;
    core.raw_set("cdef", crate::abi::cdef())?;
    core.raw_set("abi", crate::abi::address() as f64)?;
    core.raw_set("path", crate::sys::library_path())?;
    lua.set_named_registry_value(CORE, &core)?;
    raw::set_end_mark(lua, &maker.closing, &loans)?;
    Ok(core)
}

/// Every constant of the schema, options by their upper-case names among them.
fn constants(lua: &Lua) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    for row in schema::CONSTANTS {
        table.raw_set(row.name, row.value as f64)?;
    }
    for row in schema::EVENTS {
        table.raw_set(
            format!("EVENT_{}", row.name.to_ascii_uppercase()),
            row.number as f64,
        )?;
    }
    for row in schema::MESSAGE_PROPERTIES {
        table.raw_set(row.name.to_ascii_uppercase(), row.number)?;
    }
    for row in schema::METADATA {
        table.raw_set(row.name, row.value)?;
    }
    for row in schema::CONTEXT_OPTIONS.iter().chain(schema::SOCKET_OPTIONS) {
        for name in std::iter::once(&row.name).chain(row.aliases) {
            table.raw_set(name.to_ascii_uppercase(), row.number)?;
        }
    }
    Ok(table)
}

/// Error names with their numbers.
fn errors(lua: &Lua) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    for row in schema::ERRORS {
        table.raw_set(row.name, row.number)?;
    }
    Ok(table)
}
