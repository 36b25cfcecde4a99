//! The option rows as Lua tables, for specs and tools: what is derived from a row can be checked against it there.

use super::args::{Args, Return};
use super::Method;
use crate::schema::{self, Access, Kind, OptionRow, Value as Sample, When};
use mlua::{IntoLua, Lua, Table, Value};

/// Functions of the core; programs have no use for them.
pub const FUNCTIONS: &[Method] = &[
    Method {
        names: &["schema"],
        args: "",
        doc: "The rows of all options, constants, events and errors, as lists of tables by name.",
        call: rows,
    },
    Method {
        names: &["docs"],
        args: "",
        doc: "What can be called, as a list of tables: object, names, args, doc.",
        call: docs,
    },
];

fn docs(args: &Args) -> Return {
    let all = args.lua.create_table()?;
    let add = |object: &str, names: &'static [&'static str], parameters: &str, doc: &str| {
        let table = args.lua.create_table()?;
        table.raw_set("object", object)?;
        table.raw_set(
            "names",
            args.lua.create_sequence_from(names.iter().copied())?,
        )?;
        table.raw_set("args", parameters)?;
        table.raw_set("doc", doc)?;
        all.raw_push(table)
    };
    for method in super::PUBLIC.iter().copied().flatten() {
        add("zmq", method.names, method.args, method.doc)?;
    }
    for object in super::OBJECTS {
        for method in object.methods.iter().copied().flatten() {
            add(object.name, method.names, method.args, method.doc)?;
        }
        for row in object.rows.iter().copied().flatten() {
            add(object.name, row.names, row.args, row.doc)?;
        }
    }
    args.one(all)
}

fn rows(args: &Args) -> Return {
    let list = |rows: &[OptionRow]| {
        let tables: mlua::Result<Vec<Table>> =
            rows.iter().map(|option| row(args.lua, option)).collect();
        args.lua.create_sequence_from(tables?)
    };
    let all = args.lua.create_table()?;
    all.raw_set("socket_options", list(schema::SOCKET_OPTIONS)?)?;
    all.raw_set("context_options", list(schema::CONTEXT_OPTIONS)?)?;
    let list = |rows: Vec<(&str, f64, &str)>| {
        let tables = rows.into_iter().map(|(name, number, doc)| {
            let table = args.lua.create_table()?;
            table.raw_set("name", name)?;
            table.raw_set("number", number)?;
            table.raw_set("doc", doc)?;
            Ok(table)
        });
        args.lua
            .create_sequence_from(tables.collect::<mlua::Result<Vec<Table>>>()?)
    };
    let constants = schema::CONSTANTS
        .iter()
        .map(|row| (row.name, row.value as f64, row.doc));
    all.raw_set("constants", list(constants.collect())?)?;
    let events = schema::EVENTS
        .iter()
        .map(|row| (row.name, row.number as f64, row.doc));
    all.raw_set("events", list(events.collect())?)?;
    let errors = schema::ERRORS
        .iter()
        .map(|row| (row.name, f64::from(row.number), ""));
    all.raw_set("errors", list(errors.collect())?)?;
    args.one(all)
}

fn row(lua: &Lua, option: &OptionRow) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    table.raw_set("name", option.name)?;
    table.raw_set("number", option.number)?;
    table.raw_set("kind", kind(option.kind))?;
    table.raw_set("access", access(option.access))?;
    table.raw_set("unit", option.unit)?;
    table.raw_set("default", option.default)?;
    let (major, minor, patch) = option.since;
    table.raw_set("since", lua.create_sequence_from([major, minor, patch])?)?;
    table.raw_set("sockets", option.sockets)?;
    table.raw_set("when", when(option.when))?;
    table.raw_set("capability", option.capability)?;
    table.raw_set("draft", option.draft)?;
    let aliases = option.aliases.iter().copied();
    table.raw_set("aliases", lua.create_sequence_from(aliases)?)?;
    table.raw_set("doc", option.doc)?;
    table.raw_set("test_socket", option.test.socket)?;
    table.raw_set("test_value", sample(lua, option.test.value)?)?;
    Ok(table)
}

fn when(when: When) -> &'static str {
    match when {
        When::Anytime => "anytime",
        When::BeforeBind => "before bind",
        When::NextConnect => "next connect",
        When::BeforeSocket => "before socket",
        When::NewSockets => "new sockets",
    }
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Int => "int",
        Kind::Bool => "bool",
        Kind::I64 => "i64",
        Kind::U64 => "u64",
        Kind::Fd => "fd",
        Kind::Str => "str",
        Kind::Bytes => "bytes",
        Kind::Key => "key",
        Kind::Strings => "strings",
    }
}

fn access(access: Access) -> &'static str {
    match access {
        Access::ReadWrite => "rw",
        Access::ReadOnly => "ro",
        Access::WriteOnly => "wo",
    }
}

fn sample(lua: &Lua, value: Sample) -> mlua::Result<Value> {
    match value {
        Sample::Int(number) => (number as f64).into_lua(lua),
        Sample::Str(text) => text.into_lua(lua),
        Sample::Bytes(bytes) => Ok(Value::String(lua.create_string(bytes)?)),
        Sample::None => Ok(Value::Nil),
    }
}
