//! Socket options by row: values to bytes and back.

use super::error::{About, Error, Result};
use super::guard;
use crate::schema::{self, Access, Kind, OptionRow};
use crate::sys;
use std::ffi::CString;

/// A value of a socket option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Int, Bool, I64, Fd.
    Int(i64),
    /// U64.
    Unsigned(u64),
    /// Str, Bytes, Key, Strings.
    Bytes(Vec<u8>),
}

/// A row and a value for it.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Which option.
    pub option: &'static OptionRow,
    /// Its value.
    pub value: Value,
}

const TEXT_BUFFER: usize = 4096;

/// The option's name, and what the library lacks where it lacks what the option is for.
fn about(option: &OptionRow) -> String {
    let name = option.name;
    let missing = |capability: &&str| CString::new(*capability).is_ok_and(|c| !sys::has(&c));
    match option.capability.filter(missing) {
        Some(capability) => {
            let capability = capability.to_uppercase();
            format!("option {name} ({capability} is not built into this libzmq)")
        }
        None => format!("option {name}"),
    }
}

/// Reads an option. `raw_key` asks for a CURVE key's 32 bytes, not its 40 Z85 characters.
pub(super) fn get(socket: &sys::Socket, option: &OptionRow, raw_key: bool) -> Result<Value> {
    if option.access == Access::WriteOnly {
        let hint = format!("option {} can be set but not read", option.name);
        return Err(Error::new(libc::EINVAL, hint));
    }
    if option.number == schema::HWM {
        return get_hwm(socket);
    }
    let mut number = [0u8; 8];
    let read = |buffer: &mut [u8]| socket.get(option.number, buffer).about(|| about(option));
    match option.kind {
        Kind::Int | Kind::Bool | Kind::Fd => {
            let value = socket.get_int(option.number).about(|| about(option))?;
            Ok(Value::Int(value.into()))
        }
        Kind::I64 => {
            read(&mut number)?;
            Ok(Value::Int(i64::from_ne_bytes(number)))
        }
        Kind::U64 => {
            read(&mut number)?;
            Ok(Value::Unsigned(u64::from_ne_bytes(number)))
        }
        Kind::Key if raw_key => {
            let mut key = vec![0; 32];
            read(&mut key)?;
            Ok(Value::Bytes(key))
        }
        Kind::Key => {
            let mut key = vec![0; 41];
            read(&mut key)?;
            key.pop();
            Ok(Value::Bytes(key))
        }
        Kind::Str | Kind::Bytes | Kind::Strings => {
            let mut bytes = vec![0; TEXT_BUFFER];
            let size = read(&mut bytes)?;
            bytes.truncate(size);
            if option.kind != Kind::Bytes && bytes.last() == Some(&0) {
                bytes.pop();
            }
            Ok(Value::Bytes(bytes))
        }
    }
}

/// lua-zmq's `hwm`: both marks where they agree, else the receiver's.
fn get_hwm(socket: &sys::Socket) -> Result<Value> {
    get(socket, row("rcvhwm"), false)
}

fn row(name: &str) -> &'static OptionRow {
    schema::socket_option(name).expect("the schema has every socket option")
}

/// Sets an option.
pub(super) fn set(socket: &sys::Socket, option: &OptionRow, value: &Value) -> Result<()> {
    if option.access == Access::ReadOnly {
        let hint = format!("option {} can be read but not set", option.name);
        return Err(Error::new(libc::EINVAL, hint));
    }
    if option.number == schema::HWM {
        for name in ["sndhwm", "rcvhwm"] {
            set(socket, row(name), value)?;
        }
        return Ok(());
    }
    let named = || match value {
        Value::Int(number) => format!("{} {number}", about(option)),
        Value::Unsigned(number) => format!("{} {number}", about(option)),
        Value::Bytes(_) => about(option),
    };
    let result = match value {
        Value::Bytes(key) if option.kind == Kind::Key && ![0, 32, 40].contains(&key.len()) => {
            let hint = format!("option {} takes 32 bytes or 40 Z85 characters", option.name);
            Err(Error::new(libc::EINVAL, hint))
        }
        Value::Bytes(bytes) => {
            guard::check_bytes(option, bytes)?;
            socket.set(option.number, bytes).about(named)
        }
        Value::Unsigned(number) => socket
            .set(option.number, &number.to_ne_bytes())
            .about(named),
        Value::Int(number) if option.kind == Kind::I64 => socket
            .set(option.number, &number.to_ne_bytes())
            .about(named),
        Value::Int(number) => {
            let number = i32::try_from(*number).map_err(|_| {
                Error::new(libc::EINVAL, format!("{} does not fit an int", named()))
            })?;
            guard::check_number(option, number.into())?;
            if option.name == "use_fd" && number >= 0 && !sys::descriptor_is_open(number) {
                let hint = format!("option use_fd {number} is not an open descriptor");
                return Err(Error::new(libc::EBADF, hint));
            }
            socket.set_int(option.number, number).about(named)
        }
    };
    result.map_err(|error| explain(option, error))
}

/// A value that libzmq refuses without a reason: what the option is tells which it takes.
pub(super) fn explain(option: &OptionRow, error: Error) -> Error {
    let Error { errno, about } = error;
    let doc = option.doc.split(". ").next().unwrap_or_default();
    if errno != libc::EINVAL || doc.is_empty() || about.ends_with(')') {
        return Error { errno, about };
    }
    let mut why = about + " (";
    for part in [option.sockets, option.unit] {
        if !["", "all"].contains(&part) {
            why = why + part + ": ";
        }
    }
    Error::new(errno, why + doc.trim_end_matches('.') + ")")
}
