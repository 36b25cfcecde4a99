//! Option methods from schema rows, and values of options to and from Lua.

use super::args::{each_entry, text, type_name, whole, Args, Fail, Problem, Return};
use super::{Maker, Method};
use crate::core::option::Value as Setting;
use crate::core::Error;
use crate::schema::{self, Kind, OptionRow};
use mlua::{IntoLua, Lua, MultiValue, Table, Value};

/// Whole numbers up to here are exact as Lua numbers.
const EXACT: u64 = 1 << 53;

/// The value of an option as Lua sees it: a number, a decimal string beyond 2^53, a string.
pub fn to_lua(lua: &Lua, value: Setting) -> mlua::Result<Value> {
    match value {
        Setting::Int(number) if number.unsigned_abs() <= EXACT => (number as f64).into_lua(lua),
        Setting::Int(number) => number.to_string().into_lua(lua),
        Setting::Unsigned(number) if number <= EXACT => (number as f64).into_lua(lua),
        Setting::Unsigned(number) => number.to_string().into_lua(lua),
        Setting::Bytes(bytes) => Ok(Value::String(lua.create_string(bytes)?)),
    }
}

/// A Lua value for an option of the row's kind; misuse is told as a reason.
pub fn from_lua(lua: &Lua, option: &OptionRow, value: &Value) -> Result<Setting, String> {
    let name = option.name;
    let expected = |word: &str| format!("option {name}: {word} expected, got {}", type_name(value));
    if matches!(
        option.kind,
        Kind::Str | Kind::Bytes | Kind::Key | Kind::Strings
    ) {
        return match text(lua, value) {
            Some(text) => Ok(Setting::Bytes(text.as_bytes().to_vec())),
            None => Err(expected("string")),
        };
    }
    let number = match value {
        Value::Boolean(value) if option.kind == Kind::Bool => i128::from(*value),
        // LuaJIT's 64-bit integers, which it prints with a suffix.
        Value::Other(_) => {
            let text = value.to_string().map_err(|_| expected("number"))?;
            let digits = text.strip_suffix("ULL").or_else(|| text.strip_suffix("LL"));
            digits.and_then(exact).ok_or_else(|| expected("number"))?
        }
        // What `to_lua` gives for numbers that a double can't hold; Lua itself would round it.
        Value::String(text) => match exact(&text.to_string_lossy()) {
            Some(number) => number,
            None => match whole_number(lua, name, value)? {
                number if number.unsigned_abs() < EXACT.into() => number,
                _ => {
                    return Err(format!(
                        "option {name}: write '{}' in digits alone",
                        text.to_string_lossy()
                    ))
                }
            },
        },
        _ => whole_number(lua, name, value)?,
    };
    let misfit = |word: &str| format!("option {name}: {number} does not fit {word}");
    match option.kind {
        Kind::U64 => u64::try_from(number)
            .map(Setting::Unsigned)
            .map_err(|_| misfit("a uint64")),
        Kind::I64 => i64::try_from(number)
            .map(Setting::Int)
            .map_err(|_| misfit("an int64")),
        _ => i32::try_from(number)
            .map(|n| Setting::Int(n.into()))
            .map_err(|_| misfit("an int")),
    }
}

/// The whole number that a text of decimal or hexadecimal digits stands for.
fn exact(text: &str) -> Option<i128> {
    let text = text.trim();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    let number = match digits
        .strip_prefix("0x")
        .or_else(|| digits.strip_prefix("0X"))
    {
        Some(digits) => i128::from_str_radix(digits, 16),
        None => digits.parse(),
    };
    // A second sign is none of Lua's numbers.
    number
        .ok()
        .filter(|_| !digits.contains(['-', '+']))
        .map(|number| sign * number)
}

fn whole_number(lua: &Lua, name: &str, value: &Value) -> Result<i128, String> {
    let word = "number expected, got";
    match value {
        // Beyond 2^63 a double is still a whole number, and a u64 option may take it.
        Value::Number(number) if number.fract() == 0.0 && number.abs() < 2e19 => {
            Ok(*number as i128)
        }
        _ => whole(lua, value)
            .map(i128::from)
            .map_err(|problem| match problem {
                Problem::Type => format!("option {name}: {word} {}", type_name(value)),
                Problem::Fraction(got) => format!("option {name}: whole {word} {got}"),
            }),
    }
}

/// The row for a number; numbers that no row names go to libzmq as an int.
pub fn by_number(number: i32, known: Option<&'static OptionRow>) -> &'static OptionRow {
    static UNNAMED: std::sync::Mutex<Vec<&'static OptionRow>> = std::sync::Mutex::new(Vec::new());
    if let Some(row) = known {
        return row;
    }
    let mut rows = UNNAMED
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(row) = rows.iter().find(|row| row.number == number) {
        return row;
    }
    // A program asks for a handful of such numbers at most, so their rows may stay.
    let name: &'static str = Box::leak(number.to_string().into_boxed_str());
    let row: &'static OptionRow = Box::leak(Box::new(OptionRow::unnamed(name, number)));
    rows.push(row);
    row
}

/// The row that argument `number` names or numbers.
fn named(
    args: &Args,
    number: usize,
    by_name: fn(&str) -> Option<&'static OptionRow>,
    known: fn(i32) -> Option<&'static OptionRow>,
) -> Result<&'static OptionRow, Fail> {
    if let Value::String(name) = args.value(number) {
        let name = name.to_string_lossy();
        if let Some(row) = by_name(&name) {
            return Ok(row);
        }
        if name.trim().parse::<i64>().is_err() {
            return Err(args.bad(number, format_args!("unknown option '{name}'")));
        }
    }
    let option = args.int(number)?;
    Ok(by_number(option, known(option)))
}

/// The socket option that argument `number` names or numbers.
pub fn socket_option(args: &Args, number: usize) -> Result<&'static OptionRow, Fail> {
    named(
        args,
        number,
        schema::socket_option,
        schema::socket_option_by_number,
    )
}

macro_rules! typed {
    ($($name:literal, $args:literal, $call:ident, $kind:ident, $doc:literal;)*) => {
        /// lzmq's calls with the C type in their names.
        pub const TYPED: &[Method] = &[$(Method {
            names: &[$name],
            args: $args,
            doc: $doc,
            call: |args| $call(args, Kind::$kind),
        }),*];
    };
}

typed! {
    "getopt_int", "option", get_as, Int, "Reads an option of type int by number or name. EINVAL for another type.";
    "getopt_i64", "option", get_as, I64, "Reads an option of 64 bits by number or name. EINVAL for another type.";
    "getopt_u64", "option", get_as, U64, "Reads an option of 64 bits by number or name. EINVAL for another type.";
    "getopt_str", "option", get_as, Str, "Reads an option of bytes or text by number or name. EINVAL for another type.";
    "setopt_int", "option, value", set_as, Int, "Sets an option of type int by number or name. EINVAL.";
    "setopt_i64", "option, value", set_as, I64, "Sets an option of 64 bits by number or name. EINVAL.";
    "setopt_u64", "option, value", set_as, U64, "Sets an option of 64 bits by number or name. EINVAL.";
    "setopt_str", "option, value", set_as, Str, "Sets an option of bytes or text by number or name. EINVAL.";
}

/// The option that argument 1 names. One that no row knows gets the kind that was asked for; the others' own has to have
/// the same size.
fn option_as(args: &Args, kind: Kind) -> Result<OptionRow, Fail> {
    let option = socket_option(args, 1)?;
    if schema::socket_option_by_number(option.number).is_none() {
        return Ok(OptionRow { kind, ..*option });
    }
    let size = |kind| match kind {
        Kind::Int | Kind::Bool | Kind::Fd => "an int",
        Kind::I64 | Kind::U64 => "64 bits",
        Kind::Str | Kind::Bytes | Kind::Key | Kind::Strings => "bytes",
    };
    if size(option.kind) != size(kind) {
        let hint = format!("option {} is {}", option.name, size(option.kind));
        return Err(Error::new(libc::EINVAL, hint).into());
    }
    Ok(*option)
}

fn get_as(args: &Args, kind: Kind) -> Return {
    args.this_socket()?;
    get(args, &option_as(args, kind)?, false)
}

fn set_as(args: &Args, kind: Kind) -> Return {
    args.this_socket()?;
    set(args, &option_as(args, kind)?, 2)
}

/// Sets a socket option from argument `number`; a list sets it once an entry.
pub fn set(args: &Args, option: &OptionRow, number: usize) -> Return {
    let socket = args.this_socket()?;
    let value = args.value(number);
    for setting in settings(args.lua, option, value).map_err(|r| args.bad(number, r))? {
        socket.set(option, &setting).map_err(|error| match value {
            Value::Table(_) => match to_lua(args.lua, setting) {
                Ok(which) => Fail::RefusedAt(error, which),
                Err(error) => error.into(),
            },
            _ => Fail::Refused(error),
        })?;
    }
    args.yes()
}

/// The values to set: one, or for a list option each entry; all are checked before the first is used.
pub fn settings(lua: &Lua, option: &OptionRow, value: &Value) -> Result<Vec<Setting>, String> {
    match value {
        Value::Table(list) if option.kind == Kind::Strings => {
            let mut all = Vec::new();
            let read = each_entry(list, |_, entry| {
                all.push(from_lua(lua, option, &entry));
                Ok::<_, mlua::Error>(())
            });
            read.map_err(|error| error.to_string())?;
            all.into_iter().collect()
        }
        _ => Ok(vec![from_lua(lua, option, value)?]),
    }
}

/// Reads a socket option.
pub fn get(args: &Args, option: &OptionRow, raw_key: bool) -> Return {
    let value = args.this_socket()?.get(option, raw_key)?;
    Ok(MultiValue::from_iter([to_lua(args.lua, value)?]))
}

/// `x`, `get_x`, `set_x` (and `get_x_bin` for keys) for each row and alias. A name that a call has already keeps it.
pub fn add_socket_options(maker: &Maker, methods: &Table) -> mlua::Result<()> {
    for row in schema::SOCKET_OPTIONS {
        let both = maker.function(row.name, true, |args| match args.count() {
            0 => get(args, row, false),
            _ => set(args, row, 1),
        })?;
        let getter = maker.function(row.name, true, |args| get(args, row, false))?;
        let setter = maker.function(row.name, true, |args| set(args, row, 1))?;
        add(methods, row, [both, getter, setter])?;
        if row.kind == Kind::Key {
            let raw = maker.function(row.name, true, |args| get(args, row, true))?;
            methods.raw_set(format!("get_{}_bin", row.name), raw)?;
        }
    }
    Ok(())
}

/// `x`, `get_x`, `set_x` for each context option.
pub fn add_context_options(maker: &Maker, methods: &Table) -> mlua::Result<()> {
    for row in schema::CONTEXT_OPTIONS {
        let set = |args: &Args| {
            set_context(args, row, 1)?;
            args.yes()
        };
        let both = maker.function(row.name, true, move |args| match args.count() {
            0 => get_context(args, row),
            _ => set(args),
        })?;
        let getter = maker.function(row.name, true, |args| get_context(args, row))?;
        let setter = maker.function(row.name, true, set)?;
        add(methods, row, [both, getter, setter])?;
    }
    Ok(())
}

fn add(methods: &Table, row: &OptionRow, functions: [Value; 3]) -> mlua::Result<()> {
    let [both, getter, setter] = functions;
    for name in std::iter::once(&row.name).chain(row.aliases) {
        if methods.raw_get::<Value>(*name)?.is_nil() {
            methods.raw_set(*name, &both)?;
        }
        methods.raw_set(format!("get_{name}"), &getter)?;
        methods.raw_set(format!("set_{name}"), &setter)?;
    }
    Ok(())
}

/// Sets a context option.
pub fn set_context(args: &Args, option: &'static OptionRow, number: usize) -> Result<(), Fail> {
    let shared = args.this_context()?.shared();
    let value = args.value(number);
    let setting = match (option.kind, value) {
        // The thread name prefix may be text or a number.
        (Kind::Str, Value::String(_)) | (Kind::Int | Kind::Bool, _) => {
            from_lua(args.lua, option, value).map_err(|reason| args.bad(number, reason))?
        }
        (Kind::Str, _) => Setting::Int(args.int(number)?.into()),
        _ => from_lua(args.lua, option, value).map_err(|reason| args.bad(number, reason))?,
    };
    match setting {
        Setting::Bytes(bytes) => Ok(shared.set_bytes(option, &bytes)?),
        Setting::Int(value) => Ok(shared.set(option, value as i32)?),
        Setting::Unsigned(value) => Ok(shared.set(option, value as i32)?),
    }
}

/// Reads a context option.
pub fn get_context(args: &Args, option: &'static OptionRow) -> Return {
    let shared = args.this_context()?.shared();
    if option.kind == Kind::Str {
        return args.one(args.lua.create_string(shared.get_bytes(option)?)?);
    }
    args.one(shared.get(option)?)
}

/// The context option that argument `number` names or numbers, to read it or to set it.
pub fn context_option(
    args: &Args,
    number: usize,
    to_set: bool,
) -> Result<&'static OptionRow, Fail> {
    let known = if to_set {
        schema::context_option_to_set
    } else {
        schema::context_option_by_number
    };
    named(args, number, schema::context_option, known)
}
