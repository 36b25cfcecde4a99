//! Methods of the draft sockets (cold): SERVER CLIENT RADIO DISH GATHER SCATTER DGRAM PEER CHANNEL.
//!
//! A libzmq without the draft functions refuses each by name.

use super::args::{Args, Return};
use super::Method;
use crate::core::{Error, Socket};

/// Socket methods.
pub const SOCKET: &[Method] = &[
    Method {
        names: &["join"],
        args: "group",
        doc: "Joins a DISH socket to a group, or to each of a list: at most 255 bytes each. Does not block. EINVAL if \
              it has joined already or the name is too long, ENOTSUP on other sockets (zmq_join(3)).",
        call: |args| groups(args, Socket::join),
    },
    Method {
        names: &["leave"],
        args: "group",
        doc: "Takes a DISH socket out of a group, or of each of a list. Does not block. EINVAL if it has not joined, \
              ENOTSUP on other sockets (zmq_leave(3)).",
        call: |args| groups(args, Socket::leave),
    },
    Method {
        names: &["connect_peer"],
        args: "endpoint",
        doc: "Connects a PEER socket and returns the routing id of the new connection. Does not block. ENOTSUP on \
              other sockets, EFAULT with the option immediate, and what `connect` has (zmq_connect_peer(3)).",
        call: connect_peer,
    },
    Method {
        names: &["disconnect_peer"],
        args: "routing_id",
        doc: "Ends one connection of a SERVER or PEER socket. Always ENOTSUP: no release of libzmq up to 4.3.5 can.",
        call: disconnect_peer,
    },
    Method {
        names: &["get_peer_state"],
        args: "routing_id",
        doc: "POLLIN and POLLOUT bits of the peer that has this routing id on a ROUTER socket. Does not block. \
              EHOSTUNREACH where there is none, ENOTSUP on other sockets (zmq_socket_get_peer_state(3)).",
        call: get_peer_state,
    },
];

/// Message methods.
pub const MESSAGE: &[Method] = &[
    Method {
        names: &["routing_id"],
        args: "[id]",
        doc: "Reads the peer's routing id, or sets that of the peer to send to (SERVER, PEER): a whole number below \
              2^32; nil where none is set. EINVAL for 0 (zmq_msg_routing_id(3)).",
        call: routing_id,
    },
    Method {
        names: &["group"],
        args: "[name]",
        doc: "Reads or sets the group that the message is for (RADIO, DISH): at most 14 bytes, beyond which libzmq \
              4.3.5 corrupts memory; \"\" where none is set. EINVAL (zmq_msg_group(3)).",
        call: group,
    },
];

fn groups(args: &Args, call: fn(&mut Socket, &[u8]) -> crate::core::Result<()>) -> Return {
    let socket = args.this_socket()?;
    args.each_string(1, |group| call(socket, group))?;
    args.yes()
}

fn connect_peer(args: &Args) -> Return {
    let socket = args.this_socket()?;
    args.one(socket.connect_peer(&args.bytes(1)?)?)
}

fn disconnect_peer(args: &Args) -> Return {
    args.this_socket()?;
    args.unsigned(1)?;
    let (major, minor, patch) = crate::sys::version();
    let about = format!("libzmq {major}.{minor}.{patch} has no zmq_disconnect_peer");
    Err(Error::new(libc::ENOTSUP, about).into())
}

fn get_peer_state(args: &Args) -> Return {
    let socket = args.this_socket()?;
    args.one(socket.peer_state(&args.bytes(1)?)?)
}

fn routing_id(args: &Args) -> Return {
    let message = args.this_message()?;
    if args.count() == 0 {
        return args.one(message.routing_id()?);
    }
    message.set_routing_id(args.unsigned(1)?)?;
    args.yes()
}

fn group(args: &Args) -> Return {
    let message = args.this_message()?;
    if args.count() == 0 {
        let name = message.group()?;
        return args.one(args.lua.create_string(name.as_bytes())?);
    }
    message.set_group(&args.bytes(1)?)?;
    args.yes()
}
