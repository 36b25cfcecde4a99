//! Socket methods (cold); the hot ones are in `raw`.

use super::args::{Args, Return};
use super::{context, options, Method};
use crate::core::tag::State;
use crate::core::Socket;
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
        doc: "Undoes a connect, given the same text. Does not block. ENOENT (zmq_disconnect(3)).",
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
    Method { names: &["context"], args: "", doc: "The context it belongs to.", call: its_context },
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

fn close(args: &Args) -> Return {
    let socket = args.this::<Socket>()?;
    if socket.state() == State::Live {
        if !matches!(args.value(1), Value::Nil) {
            let linger = args.int(1)?;
            socket
                .handle()
                .set_int(crate::sys::LINGER, linger)
                .map_err(|errno| crate::core::Error::new(errno.0, format!("linger {linger}")))?;
        }
        socket.close();
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
    context::new_object(args, args.this_socket()?.context().clone())
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
