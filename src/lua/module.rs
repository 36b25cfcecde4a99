//! Functions of the module itself (cold).

use super::args::{Args, Fail, Return};
use super::{context, lifetime, message, Method};
use crate::core::{ending, Error, Shared};
use crate::sys::{self, Errno};
use mlua::Value;
use std::ffi::CString;
use std::time::{Duration, Instant};

/// The functions.
pub const METHODS: &[Method] = &[
    Method {
        names: &["context"],
        args: "",
        doc: "A new context with libzmq's defaults.",
        call: |args| context::new_object(args, Shared::new()?),
    },
    Method {
        names: &["init_ctx"],
        args: "address",
        doc: "The context at an address. One that rzmq made (in any Lua state of the process) is shared and counted; \
              any other is borrowed: whoever made it ends it, after the last use here. EFAULT for NULL.",
        call: init_ctx,
    },
    Method {
        names: &["msg_init"],
        args: "",
        doc: "An empty message.",
        call: |args| message::new_object(args, sys::Message::new()),
    },
    Method {
        names: &["msg_init_size"],
        args: "size",
        doc: "A message of `size` bytes, all 0. ENOMEM.",
        call: msg_init_size,
    },
    Method {
        names: &["msg_init_data"],
        args: "string",
        doc: "A message that holds a copy of the string. ENOMEM.",
        call: msg_init_data,
    },
    Method {
        names: &["msg_init_data_multi"],
        args: "...",
        doc: "A message that holds its arguments, joined. ENOMEM.",
        call: |args| {
            let strings = (1..=args.count()).map(|number| args.bytes(number));
            joined(args, strings.collect::<Result<_, Fail>>()?)
        },
    },
    Method {
        names: &["msg_init_data_array"],
        args: "list",
        doc: "A message that holds the strings of a list, joined. ENOMEM.",
        call: |args| joined(args, args.strings(1, args.table(1)?)?),
    },
    Method {
        names: &["version"],
        args: "[unpack]",
        doc: "The version of libzmq: a table of major, minor and patch, or three numbers if `unpack` is true.",
        call: version,
    },
    Method {
        names: &["has"],
        args: "capability",
        doc: "Tells whether libzmq was built with a capability: ipc, pgm, tipc, norm, curve, gssapi, draft, WS, WSS, \
              vmci, in upper or lower case (zmq_has(3)).",
        call: has,
    },
    Method {
        names: &["error_text"],
        args: "errno",
        doc: "libzmq's text for an errno (zmq_strerror(3)).",
        call: |args| args.one(Errno(args.int(1)?).text()),
    },
    Method {
        names: &["failure_text"],
        args: "errno",
        doc: "The text that a failure returns: \"timeout\", \"interrupted\", \"closed\", or libzmq's.",
        call: |args| args.one(Error::from(Errno(args.int(1)?)).text()),
    },
    Method {
        names: &["exit_linger"],
        args: "[ms]",
        doc: "Reads or sets how long the end of the program, or of a Lua state, waits for unsent messages in total: \
              1000 ms at first; -1 waits for ever.",
        call: exit_linger,
    },
    Method {
        names: &["retry_interrupted"],
        args: "[retry]",
        doc: "Reads or sets whether calls that a signal interrupts go on for the remaining time; false at first. They \
              still return \"interrupted\" when the interpreter has set a hook, as it does on Ctrl-C.",
        call: retry_interrupted,
    },
    Method {
        names: &["sleep"],
        args: "seconds",
        doc: "Sleeps for a number of seconds, fractions allowed; blocks that long, or until a signal: nil, \
              \"interrupted\", EINTR.",
        call: sleep,
    },
    Method {
        names: &["clock"],
        args: "",
        doc: "Microseconds on a clock that only goes forward, from an unspecified start.",
        call: clock,
    },
    Method {
        names: &["time"],
        args: "",
        doc: "Microseconds since 1970-01-01 UTC, on the system's clock, which may be set.",
        call: time,
    },
];

fn init_ctx(args: &Args) -> Return {
    let pointer = lifetime::address(args, 1)?;
    let shared = match Shared::find(pointer.as_ptr() as usize) {
        Some(shared) => shared,
        None => Shared::borrow(sys::Context::borrowed(pointer)),
    };
    context::new_object(args, shared)
}

fn msg_init_size(args: &Args) -> Return {
    let size = message::size(args, 1)?;
    let about = |errno: Errno| Error::new(errno.0, format!("a message of {size} bytes"));
    let mut inner = sys::Message::with_size(size).map_err(about)?;
    inner.bytes_mut().fill(0);
    message::new_object(args, inner)
}

fn msg_init_data(args: &Args) -> Return {
    let inner = sys::Message::from_bytes(&args.string(1)?.as_bytes()).map_err(Error::from)?;
    message::new_object(args, inner)
}

fn joined(args: &Args, strings: Vec<Vec<u8>>) -> Return {
    let bytes = strings.concat();
    let about = |errno: Errno| Error::new(errno.0, format!("a message of {} bytes", bytes.len()));
    message::new_object(args, sys::Message::from_bytes(&bytes).map_err(about)?)
}

fn version(args: &Args) -> Return {
    let (major, minor, patch) = sys::version();
    let numbers = [major, minor, patch];
    if args.boolean(1)? {
        return Ok(numbers
            .map(|n| Value::Integer(n.into()))
            .into_iter()
            .collect());
    }
    args.one(args.lua.create_sequence_from(numbers)?)
}

fn has(args: &Args) -> Return {
    let name = CString::new(args.bytes(1)?);
    args.one(name.is_ok_and(|name| sys::has(&name)))
}

fn exit_linger(args: &Args) -> Return {
    if args.count() > 0 {
        ending::set_exit_linger(args.int(1)?);
    }
    args.one(ending::exit_linger())
}

fn retry_interrupted(args: &Args) -> Return {
    if args.count() > 0 {
        ending::set_retry_interrupted(args.boolean(1)?);
    }
    args.one(ending::retry_interrupted())
}

fn sleep(args: &Args) -> Return {
    let seconds = args.number(1)?;
    if seconds > 0.0 {
        let time = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        sys::sleep(time).map_err(Error::from)?;
    }
    args.yes()
}

fn clock(args: &Args) -> Return {
    use std::sync::OnceLock;
    static START: OnceLock<Instant> = OnceLock::new();
    args.one(START.get_or_init(Instant::now).elapsed().as_micros() as f64)
}

fn time(args: &Args) -> Return {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    // A clock set to before 1970 counts as 1970.
    args.one(since.unwrap_or_default().as_micros() as f64)
}
