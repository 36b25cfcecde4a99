//! Message methods (cold); the hot ones are in `raw`.

use super::args::{Args, Fail, Return};
use super::{raw, Method};
use crate::core::tag::State;
use crate::core::{Error, Message};
use crate::schema;
use crate::sys;
use mlua::{LightUserData, Value};
use std::ffi::CString;

/// The methods.
pub const METHODS: &[Method] = &[
    Method {
        names: &["set_size"],
        args: "size",
        doc: "Changes the size in bytes; the common prefix stays, new bytes are 0. ENOMEM.",
        call: set_size,
    },
    Method {
        names: &["string"],
        args: "",
        doc: "The content as a string.",
        call: string,
    },
    Method {
        names: &["more"],
        args: "",
        doc: "Tells whether another part of the message follows (zmq_msg_more(3)).",
        call: more,
    },
    Method {
        names: &["get"],
        args: "property",
        doc: "A property by number or name: MORE, SRCFD, SHARED (zmq_msg_get(3)). EINVAL.",
        call: get,
    },
    Method {
        names: &["set"],
        args: "property, value",
        doc: "Sets a property; libzmq knows none that can be set (zmq_msg_set(3)). EINVAL.",
        call: set,
    },
    Method {
        names: &["gets"],
        args: "name",
        doc: "A metadata value such as \"Socket-Type\", \"Peer-Address\" or \"User-Id\" (zmq_msg_gets(3)). EINVAL \
              where there is none.",
        call: gets,
    },
    Method {
        names: &["srcfd"],
        args: "",
        doc: "The descriptor that the message came through; old, and of no use where it has been closed. EINVAL where \
              there is none.",
        call: |args| get_property(args, schema::message_property("srcfd").map(|row| row.number)),
    },
    Method {
        names: &["shared"],
        args: "",
        doc: "1 where other messages may share its bytes, else 0.",
        call: |args| get_property(args, schema::message_property("shared").map(|row| row.number)),
    },
    Method {
        names: &["pointer"],
        args: "[offset]",
        doc: "The address of the bytes, or of the one `offset` bytes behind the first, as light userdata. It is valid \
              until the message changes, is sent or closed; what is done with it is the caller's risk.",
        call: pointer,
    },
    Method { names: &["closed"], args: "", doc: "Tells whether the message is closed.", call: closed },
    Method { names: &["__tostring"], args: "", doc: "The content as a string.", call: text },
];

/// A new message object.
pub fn new_object(args: &Args, inner: sys::Message) -> Return {
    let object = raw::new_object(args.lua, Message::new(inner))?;
    raw::collect_for(args.lua);
    args.one(object)
}

/// A size that libzmq can be asked for.
pub fn size(args: &Args, number: usize) -> Result<usize, Fail> {
    let size = args.integer(number)?;
    usize::try_from(size).map_err(|_| {
        Fail::Refused(Error::new(
            libc::EINVAL,
            format!("a message of {size} bytes"),
        ))
    })
}

fn set_size(args: &Args) -> Return {
    let message = args.this_message()?;
    let size = size(args, 1)?;
    message
        .set_size(size)
        .map_err(|error| Error::new(error.errno, format!("a message of {size} bytes")))?;
    raw::collect_for(args.lua);
    args.yes()
}

fn string(args: &Args) -> Return {
    args.one(args.lua.create_string(args.this_message()?.inner.bytes())?)
}

fn text(args: &Args) -> Return {
    match args.this::<Message>()? {
        message if message.state() == State::Live => {
            args.one(args.lua.create_string(message.inner.bytes())?)
        }
        _ => args.one(format!(
            "rzmq.message {:?} closed",
            args.value(0).to_pointer()
        )),
    }
}

fn more(args: &Args) -> Return {
    args.one(args.this_message()?.inner.more())
}

fn property(args: &Args) -> Result<i32, Fail> {
    if let Value::String(name) = args.value(1) {
        let name = name.to_string_lossy();
        if let Some(row) = schema::message_property(&name) {
            return Ok(row.number);
        }
    }
    args.int(1)
}

fn get(args: &Args) -> Return {
    get_property(args, None)
}

fn get_property(args: &Args, which: Option<i32>) -> Return {
    let message = args.this_message()?;
    let property = which.map_or_else(|| property(args), Ok)?;
    let about = |errno: sys::Errno| Error::new(errno.0, format!("message property {property}"));
    args.one(message.inner.get(property).map_err(about)?)
}

fn set(args: &Args) -> Return {
    let message = args.this_message()?;
    let (property, value) = (property(args)?, args.int(2)?);
    let about = |errno: sys::Errno| Error::new(errno.0, format!("message property {property}"));
    message.inner.set(property, value).map_err(about)?;
    args.yes()
}

fn gets(args: &Args) -> Return {
    let message = args.this_message()?;
    let name = args.bytes(1)?;
    let about = || format!("no metadata named {}", String::from_utf8_lossy(&name));
    let name = CString::new(name.clone())
        .map_err(|_| Error::new(libc::EINVAL, "a metadata name holds no NUL byte"))?;
    let value = message
        .inner
        .gets(&name)
        .map_err(|errno| Error::new(errno.0, about()))?;
    args.one(args.lua.create_string(value)?)
}

fn pointer(args: &Args) -> Return {
    let message = args.this_message()?;
    let size = message.inner.len();
    let offset = args.int_or(1, 0)?;
    let Some(offset) = usize::try_from(offset)
        .ok()
        .filter(|&offset| offset <= size)
    else {
        return Err(args.bad(
            1,
            format_args!("offset {offset} in a message of {size} bytes"),
        ));
    };
    let address = message.inner.data().wrapping_add(offset);
    args.one(Value::LightUserData(LightUserData(address.cast())))
}

fn closed(args: &Args) -> Return {
    args.one(args.this::<Message>()?.state() != State::Live)
}
