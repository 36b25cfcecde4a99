//! Arguments of cold calls, converted by rzmq's own rules: whole numbers only, numeric strings as Lua takes them,
//! nothing truncated. Misuse names the function, the argument and the reason.

use super::raw::{self, Object};
use super::State;
use crate::core::tag::State as ObjectState;
use crate::core::{Buffer, Error, Message, Socket};
use mlua::{Lua, LuaString, MultiValue, Table, Value};

/// How a cold call fails.
pub enum Fail {
    /// Misuse: raised as a plain string.
    Misuse(String),
    /// A failure: returned as `nil, message, errno`.
    Refused(Error),
    /// A failure of one among several: returned as `nil, message, errno, which`.
    RefusedAt(Error, Value),
}

impl From<Error> for Fail {
    fn from(error: Error) -> Fail {
        Fail::Refused(error)
    }
}

impl From<mlua::Error> for Fail {
    /// Only memory and mlua's own limits come this way.
    fn from(error: mlua::Error) -> Fail {
        Fail::Misuse(error.to_string())
    }
}

/// What a cold call returns.
pub type Return = Result<MultiValue, Fail>;

/// The arguments of one cold call. A method's object is argument 0.
pub struct Args<'l> {
    /// The Lua state.
    pub lua: &'l Lua,
    /// What rzmq keeps for it.
    pub state: &'l State,
    name: &'static str,
    values: Vec<Value>,
    /// 1 for functions, whose first value is argument 1; 0 for methods.
    first: usize,
}

impl<'l> Args<'l> {
    /// The arguments of the function (or, with its object first, the method) `name`.
    pub fn new(
        lua: &'l Lua,
        state: &'l State,
        name: &'static str,
        method: bool,
        values: MultiValue,
    ) -> Args<'l> {
        let first = usize::from(!method);
        Args {
            lua,
            state,
            name,
            values: values.into_iter().collect(),
            first,
        }
    }

    /// The function's name, as errors say it.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// How many arguments were given, the object not counted.
    pub fn count(&self) -> usize {
        (self.values.len() + self.first).saturating_sub(1)
    }

    /// Argument `number`; nil where none was given.
    pub fn value(&self, number: usize) -> &Value {
        self.values.get(number - self.first).unwrap_or(&Value::Nil)
    }

    /// Misuse of argument `number`.
    pub fn bad(&self, number: usize, reason: impl std::fmt::Display) -> Fail {
        Fail::Misuse(format!(
            "bad argument #{number} to '{}' ({reason})",
            self.name
        ))
    }

    /// Misuse of argument `number`, of which `word` was expected.
    pub fn expected(&self, number: usize, word: &str) -> Fail {
        let got = match number
            .checked_sub(self.first)
            .and_then(|at| self.values.get(at))
        {
            None => "no value",
            Some(value) => type_name(value),
        };
        if number == 0 {
            let name = self.name;
            return Fail::Misuse(format!(
                "calling '{name}' on bad self ({word} expected, got {got})"
            ));
        }
        self.bad(number, format_args!("{word} expected, got {got}"))
    }

    fn object<T: Object>(
        &self,
        number: usize,
        state: impl FnOnce(&T) -> ObjectState,
    ) -> Result<&mut T, Fail> {
        let Some(object) = raw::payload::<T>(self.lua, self.value(number)) else {
            return Err(self.expected(number, T::WORD));
        };
        let reason = match state(object) {
            ObjectState::Live => return Ok(object),
            ObjectState::Closed => "is closed",
            ObjectState::Parents => "belongs to the parent process",
            ObjectState::Other => return Err(self.expected(number, T::WORD)),
        };
        Err(match number {
            0 => Fail::Misuse(format!("{}: the {} {reason}", self.name, T::WORD)),
            _ => self.bad(number, format_args!("the {} {reason}", T::WORD)),
        })
    }

    /// The object of a method, whatever its state; one mutable reference a call.
    pub fn this<T: Object>(&self) -> Result<&mut T, Fail> {
        raw::payload::<T>(self.lua, self.value(0)).ok_or_else(|| self.expected(0, T::WORD))
    }

    /// The open socket whose method is called.
    pub fn this_socket(&self) -> Result<&mut Socket, Fail> {
        self.object(0, Socket::state)
    }

    /// The open context whose method is called.
    pub fn this_context(&self) -> Result<&mut crate::core::Context, Fail> {
        self.object(0, crate::core::Context::state)
    }

    /// The live message whose method is called.
    pub fn this_message(&self) -> Result<&mut Message, Fail> {
        self.object(0, Message::state)
    }

    /// The open buffer whose method is called.
    pub fn this_buffer(&self) -> Result<&mut Buffer, Fail> {
        self.object(0, Buffer::state)
    }

    /// The open poller whose method is called.
    pub fn this_poller(&self) -> Result<&mut crate::core::Poller, Fail> {
        self.object(0, crate::core::Poller::state)
    }

    /// The live timers object whose method is called.
    pub fn this_timers(&self) -> Result<&mut crate::core::Timers, Fail> {
        self.object(0, crate::core::Timers::state)
    }

    /// The open socket given as argument `number`.
    pub fn socket(&self, number: usize) -> Result<&Socket, Fail> {
        self.object(number, Socket::state).map(|socket| &*socket)
    }

    /// The same, to change it. No other reference to it may be in use.
    pub fn socket_mut(&self, number: usize) -> Result<&mut Socket, Fail> {
        self.object(number, Socket::state)
    }

    /// The open socket that `value` is, which belongs to argument `number`.
    pub fn socket_in<'v>(&'v self, number: usize, value: &'v Value) -> Result<&'v Socket, Fail> {
        let Some(socket) = raw::payload::<Socket>(self.lua, value) else {
            let got = type_name(value);
            return Err(self.bad(
                number,
                format_args!("socket or descriptor expected, got {got}"),
            ));
        };
        match socket.state() {
            ObjectState::Live => Ok(socket),
            ObjectState::Closed => Err(self.bad(number, "the socket is closed")),
            _ => Err(self.bad(number, "the socket belongs to the parent process")),
        }
    }

    /// A whole number.
    pub fn integer(&self, number: usize) -> Result<i64, Fail> {
        whole(self.lua, self.value(number)).map_err(|problem| match problem {
            Problem::Type => self.expected(number, "number"),
            Problem::Fraction(value) => {
                self.bad(number, format_args!("whole number expected, got {value}"))
            }
        })
    }

    /// A number, fractions allowed.
    pub fn number(&self, number: usize) -> Result<f64, Fail> {
        match self.lua.coerce_number(self.value(number).clone()) {
            Ok(Some(value)) if value.is_nan() => Err(self.bad(number, "number expected, got nan")),
            Ok(Some(value)) => Ok(value),
            _ => Err(self.expected(number, "number")),
        }
    }

    /// A whole number that fits a C int.
    pub fn int(&self, number: usize) -> Result<i32, Fail> {
        let value = self.integer(number)?;
        i32::try_from(value)
            .map_err(|_| self.bad(number, format_args!("{value} does not fit an int")))
    }

    /// A whole number from 0 to 2^32 - 1.
    pub fn unsigned(&self, number: usize) -> Result<u32, Fail> {
        let value = self.integer(number)?;
        u32::try_from(value)
            .map_err(|_| self.bad(number, format_args!("{value} does not fit a uint32")))
    }

    /// A whole number that fits a C int, or `default` for nil or none.
    pub fn int_or(&self, number: usize, default: i32) -> Result<i32, Fail> {
        match self.value(number) {
            Value::Nil => Ok(default),
            _ => self.int(number),
        }
    }

    /// A string; numbers count as their text.
    pub fn string(&self, number: usize) -> Result<LuaString, Fail> {
        text(self.lua, self.value(number)).ok_or_else(|| self.expected(number, "string"))
    }

    /// The bytes of a string.
    pub fn bytes(&self, number: usize) -> Result<Vec<u8>, Fail> {
        Ok(self.string(number)?.as_bytes().to_vec())
    }

    /// A table.
    pub fn table(&self, number: usize) -> Result<&Table, Fail> {
        match self.value(number) {
            Value::Table(table) => Ok(table),
            _ => Err(self.expected(number, "table")),
        }
    }

    /// A boolean; nil is false.
    pub fn boolean(&self, number: usize) -> Result<bool, Fail> {
        match self.value(number) {
            Value::Nil => Ok(false),
            Value::Boolean(value) => Ok(*value),
            _ => Err(self.expected(number, "boolean")),
        }
    }

    /// A string or each string of a list, in turn; of a list, the first that fails is told.
    pub fn each_string(
        &self,
        number: usize,
        mut call: impl FnMut(&[u8]) -> crate::core::Result<()>,
    ) -> Result<(), Fail> {
        match self.value(number) {
            Value::Table(list) => self.in_turn(self.strings(number, list)?, call),
            _ => Ok(call(&self.string(number)?.as_bytes())?),
        }
    }

    /// The strings of a list; every entry is looked at.
    pub fn strings(&self, number: usize, list: &Table) -> Result<Vec<Vec<u8>>, Fail> {
        let mut strings = Vec::new();
        each_entry(list, |at, entry| match text(self.lua, &entry) {
            Some(string) => {
                strings.push(string.as_bytes().to_vec());
                Ok(())
            }
            None => {
                let got = type_name(&entry);
                Err(self.bad(
                    number,
                    format_args!("entry {at}: string expected, got {got}"),
                ))
            }
        })?;
        Ok(strings)
    }

    /// Calls `call` with each string; the first that fails is told.
    pub fn in_turn(
        &self,
        strings: Vec<Vec<u8>>,
        mut call: impl FnMut(&[u8]) -> crate::core::Result<()>,
    ) -> Result<(), Fail> {
        for string in strings {
            if let Err(error) = call(&string) {
                let which = self.lua.create_string(&string)?;
                return Err(Fail::RefusedAt(error, Value::String(which)));
            }
        }
        Ok(())
    }

    /// Returns `true`.
    pub fn yes(&self) -> Return {
        Ok(MultiValue::from_iter([Value::Boolean(true)]))
    }

    /// Returns one value.
    pub fn one(&self, value: impl mlua::IntoLua) -> Return {
        Ok(MultiValue::from_iter([value.into_lua(self.lua)?]))
    }
}

/// Why a value is no whole number.
pub enum Problem {
    /// Neither a number nor a numeric string.
    Type,
    /// A number with a fraction, or beyond what a double counts exactly.
    Fraction(f64),
}

/// The whole number that a value is, as `luaL_checkinteger` takes it, but never truncated.
pub fn whole(lua: &Lua, value: &Value) -> Result<i64, Problem> {
    let number = match value {
        Value::Integer(number) => return Ok(*number),
        Value::Number(number) => *number,
        Value::String(_) => match lua.coerce_number(value.clone()) {
            Ok(Some(number)) => number,
            _ => return Err(Problem::Type),
        },
        _ => return Err(Problem::Type),
    };
    // Every double below 2^63 that has no fraction converts exactly.
    if number.fract() == 0.0 && number.abs() < 9.2e18 {
        Ok(number as i64)
    } else {
        Err(Problem::Fraction(number))
    }
}

/// Calls `call` with each entry of a list and its place. Where the list holds nils, Lua may take any one of them for its
/// end: then one of them is the last entry here, so that nothing behind it is left out without a word. Entries are not
/// gathered, for mlua holds some thousand values at most.
pub fn each_entry<E: From<mlua::Error>>(
    list: &Table,
    mut call: impl FnMut(usize, Value) -> Result<(), E>,
) -> Result<(), E> {
    let last = list.raw_len();
    let mut hole = false;
    for pair in list.pairs::<Value, Value>() {
        hole |= matches!(pair?.0, Value::Integer(key) if key > last as i64);
    }
    (1..=last + usize::from(hole)).try_for_each(|at| call(at, list.raw_get(at)?))
}

/// The string that a value is; numbers count as their text.
pub fn text(lua: &Lua, value: &Value) -> Option<LuaString> {
    match value {
        Value::String(string) => Some(string.clone()),
        Value::Integer(_) | Value::Number(_) => lua.coerce_string(value.clone()).ok().flatten(),
        _ => None,
    }
}

/// A value's type as Lua names it.
pub fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Integer(_) => "number",
        Value::LightUserData(_) => "light userdata",
        Value::Other(_) => "cdata",
        value => value.type_name(),
    }
}
