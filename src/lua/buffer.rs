//! Buffers (cold; what reads them is in `raw`).

use super::args::{Args, Return};
use super::{raw, Method};
use crate::core::tag::State;
use crate::core::{Buffer, Error};
use mlua::{LightUserData, Value};

/// Functions of the module.
pub const FUNCTIONS: &[Method] = &[Method {
    names: &["buffer"],
    args: "size",
    doc: "A buffer of `size` bytes, all 0, to receive into and send from. ENOMEM.",
    call: new,
}];

/// The methods.
pub const METHODS: &[Method] = &[
    Method {
        names: &["fill"],
        args: "[byte]",
        doc: "Sets every byte, to 0 unless given.",
        call: fill,
    },
    Method {
        names: &["set_data"],
        args: "[position, ]string",
        doc: "Writes a string over the bytes from a position on (1 unless given), where it has to fit in.",
        call: set_data,
    },
    Method {
        names: &["data"],
        args: "",
        doc: "The address of the bytes, as light userdata. Using it once the buffer is closed or collected is the \
              caller's risk.",
        call: data,
    },
    Method {
        names: &["close"],
        args: "",
        doc: "Frees the memory; a second call does nothing.",
        call: |args| {
            args.this::<Buffer>()?.close();
            args.yes()
        },
    },
    Method {
        names: &["closed"],
        args: "",
        doc: "Tells whether the buffer is closed.",
        call: |args| args.one(args.this::<Buffer>()?.state() != State::Live),
    },
    Method { names: &["__tostring"], args: "", doc: "The kind, the size, and the address.", call: text },
];

fn new(args: &Args) -> Return {
    let size = args.integer(1)?;
    let about = || Error::new(libc::ENOMEM, format!("a buffer of {size} bytes"));
    let bytes = usize::try_from(size)
        .map_err(|_| args.bad(1, format_args!("size expected, got {size}")))?;
    let buffer = Buffer::new(bytes).map_err(|_| about())?;
    let object = raw::new_object(args.lua, buffer)?;
    raw::collect_for(args.lua);
    args.one(object)
}

fn fill(args: &Args) -> Return {
    let buffer = args.this_buffer()?;
    let byte = args.int_or(1, 0)?;
    match u8::try_from(byte) {
        Ok(byte) => buffer.bytes.fill(byte),
        Err(_) => {
            return Err(args.bad(1, format_args!("a byte from 0 to 255 expected, got {byte}")))
        }
    }
    args.yes()
}

fn set_data(args: &Args) -> Return {
    let buffer = args.this_buffer()?;
    let (position, string) = match args.value(2) {
        Value::Nil => (1, args.string(1)?),
        _ => (args.integer(1)?, args.string(2)?),
    };
    let (bytes, room) = (string.as_bytes(), buffer.bytes.len());
    let start = usize::try_from(position)
        .ok()
        .and_then(|at| at.checked_sub(1));
    let place =
        start.and_then(|start| buffer.bytes.get_mut(start..start.checked_add(bytes.len())?));
    match place {
        Some(place) => place.copy_from_slice(&bytes),
        None => {
            let size = bytes.len();
            let reason = format!("{size} bytes at {position} of a buffer of {room} bytes");
            return Err(args.bad(1, reason));
        }
    }
    args.yes()
}

fn data(args: &Args) -> Return {
    let address = args.this_buffer()?.bytes.as_mut_ptr();
    args.one(Value::LightUserData(LightUserData(address.cast())))
}

fn text(args: &Args) -> Return {
    let buffer = args.this::<Buffer>()?;
    let address = args.value(0).to_pointer();
    args.one(match buffer.state() {
        State::Live => format!("rzmq.buffer({}) {address:?}", buffer.bytes.len()),
        _ => format!("rzmq.buffer {address:?} closed"),
    })
}
