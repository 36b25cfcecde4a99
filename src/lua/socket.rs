//! Socket methods (cold); the hot ones are in `raw`.

use super::args::{Args, Return};
use super::{context, lifetime, options, raw, Method};
use crate::core::tag::State;
use crate::core::{Error, Socket};
use crate::schema;
use mlua::{LightUserData, Value};

/// The methods.
pub const METHODS: &[Method] = &[
    Method {
        names: &["bind"],
        args: "endpoint",
        doc: "Binds to an endpoint, or to each of a list. Does not block. EADDRINUSE, EADDRNOTAVAIL, ENODEV, \
              EPROTONOSUPPORT, EINVAL, each with the endpoint named (zmq_bind(3)).",
        call: bind,
    },
    Method {
        names: &["bind_to_random_port"],
        args: "address[, from[, tries]]",
        doc: "Binds to a free port of an address such as \"tcp://127.0.0.1\" and returns the port. The system chooses it; \
              given `from` or `tries`, they are tried in turn, from 49152 to 65535 unless told otherwise, those in use \
              or forbidden left out. Does not block. EADDRINUSE where none is free, and what `bind` has.",
        call: bind_to_random_port,
    },
    Method {
        names: &["unbind"],
        args: "endpoint",
        doc: "Undoes a bind, given the text that `bind` was given (of several, the oldest) or its resolved form. \
              Does not block. ENOENT (zmq_unbind(3)).",
        call: |args| each(args, Socket::unbind),
    },
    Method {
        names: &["connect"],
        args: "endpoint",
        doc: "Connects to an endpoint, or to each of a list. Does not block, and the peer need not be there yet. \
              EINVAL, EPROTONOSUPPORT (zmq_connect(3)).",
        call: |args| each(args, |socket, endpoint| socket.connect(endpoint)),
    },
    Method {
        names: &["disconnect"],
        args: "endpoint",
        doc: "Undoes a connect, given the same text. A message that was received in part, or that poll told of, \
              still comes. Does not block. ENOENT (zmq_disconnect(3)).",
        call: |args| each(args, |socket, endpoint| socket.disconnect(endpoint)),
    },
    Method {
        names: &["close"],
        args: "[linger]",
        doc: "Closes the socket, with `linger` ms for unsent messages if given. Does not block; a second call does \
              nothing (zmq_close(3)).",
        call: close,
    },
    Method {
        names: &["closed"],
        args: "",
        doc: "Tells whether the socket is closed.",
        call: closed,
    },
    Method {
        names: &["getopt"],
        args: "option",
        doc: "Reads an option by number or name (zmq_getsockopt(3)). EINVAL.",
        call: getopt,
    },
    Method {
        names: &["setopt"],
        args: "option, value",
        doc: "Sets an option by number or name (zmq_setsockopt(3)). EINVAL.",
        call: setopt,
    },
    Method { names: &["context"], args: "", doc: "The context it belongs to; nil where the socket came from elsewhere (`zmq.init_socket`).", call: its_context },
    Method {
        names: &["lightuserdata", "handle"],
        args: "",
        doc: "The address of libzmq's socket. Using it past this object's life, or from another thread, is the \
              caller's risk.",
        call: lightuserdata,
    },
    Method { names: &["__tostring"], args: "", doc: "The type, the address, and whether it is closed.", call: text },
];

fn each(args: &Args, call: impl Fn(&mut Socket, &[u8]) -> crate::core::Result<()>) -> Return {
    let socket = args.this_socket()?;
    args.each_string(1, |endpoint| call(socket, endpoint))?;
    args.yes()
}

fn bind(args: &Args) -> Return {
    each(args, Socket::bind)
}

fn bind_to_random_port(args: &Args) -> Return {
    let socket = args.this_socket()?;
    let address = args.bytes(1)?;
    let with = |port: &str| [&address[..], b":", port.as_bytes()].concat();
    if args.count() == 1 {
        socket.bind(&with("*"))?;
        let endpoint = String::from_utf8_lossy(&socket.last_endpoint()?).into_owned();
        let port = endpoint.rsplit(':').next().unwrap_or_default();
        let digits = port.split(|c: char| !c.is_ascii_digit()).next();
        return match digits.unwrap_or_default().parse::<u16>() {
            Ok(port) => args.one(port),
            Err(_) => Err(Error::new(libc::EINVAL, format!("{endpoint} has no port")).into()),
        };
    }
    let from = args.int_or(2, 49152)?;
    let tries = args.int_or(3, 65536)?;
    if !(1..=65535).contains(&from) || tries < 1 {
        let number = if tries < 1 { 3 } else { 2 };
        return Err(args.bad(
            number,
            "a port from 1 to 65535 and at least one try expected",
        ));
    }
    for port in from..from.saturating_add(tries).min(65536) {
        match socket.bind(&with(&port.to_string())) {
            Ok(()) => return args.one(port),
            Err(error) if [libc::EADDRINUSE, libc::EACCES].contains(&error.errno) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let shown = String::from_utf8_lossy(&address).into_owned();
    Err(Error::new(
        libc::EADDRINUSE,
        format!("{shown} has no free port from {from} on"),
    )
    .into())
}

fn close(args: &Args) -> Return {
    let socket = args.this::<Socket>()?;
    if socket.state() == State::Live {
        let linger = match args.value(1) {
            Value::Nil => None,
            _ => Some(args.int(1)?),
        };
        lifetime::before_close(args, args.value(0))?;
        let socket = args.this::<Socket>()?;
        if let Some(linger) = linger {
            socket
                .handle()
                .set_int(crate::sys::LINGER, linger)
                .map_err(|errno| Error::new(errno.0, format!("linger {linger}")))?;
        }
        let number = socket.number();
        socket.close();
        args.state.sockets.raw_set(number as f64, Value::Nil)?;
        raw::let_go(args.lua, &args.state.loans)?;
    }
    args.yes()
}

fn closed(args: &Args) -> Return {
    args.one(args.this::<Socket>()?.state() != State::Live)
}

fn getopt(args: &Args) -> Return {
    args.this_socket()?;
    options::get(args, options::socket_option(args, 1)?, false)
}

fn setopt(args: &Args) -> Return {
    args.this_socket()?;
    options::set(args, options::socket_option(args, 1)?, 2)
}

fn its_context(args: &Args) -> Return {
    match args.this_socket()?.context() {
        Some(shared) => context::new_object(args, shared.clone()),
        None => args.one(Value::Nil),
    }
}

fn lightuserdata(args: &Args) -> Return {
    args.one(Value::LightUserData(LightUserData(
        args.this_socket()?.handle().as_ptr(),
    )))
}

fn text(args: &Args) -> Return {
    let socket = args.this::<Socket>()?;
    let address = args.value(0).to_pointer();
    // Only a live payload's fields are there to read.
    args.one(match socket.state() {
        State::Live => {
            let kind = schema::socket_type_name(socket.kind()).unwrap_or("?");
            format!("rzmq.socket({kind}) {address:?}")
        }
        _ => format!("rzmq.socket {address:?} closed"),
    })
}
