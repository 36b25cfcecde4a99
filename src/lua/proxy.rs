//! Proxies (cold).

use super::args::{Args, Return};
use super::{raw, Method};
use crate::core::ending;
use crate::core::proxy::{self, Sockets};
use mlua::Value;

/// The functions.
pub const FUNCTIONS: &[Method] = &[
    Method {
        names: &["proxy"],
        args: "frontend, backend[, capture]",
        doc: "Carries messages between two sockets, or back to the one that is both, and copies each to `capture`. \
              Blocks until the context ends (\"closed\", ETERM), a signal comes (\"interrupted\", EINTR) or a socket \
              fails: nil, message, errno. The sockets stay open and usable, and no message is lost: one that found no room is the \
              next that is received where it came from (zmq_proxy(3)).",
        call: |args| run(args, [1, 2, 3, 4]),
    },
    Method {
        names: &["proxy_steerable"],
        args: "frontend, backend[, capture][, control]",
        doc: "The same as `proxy`, obeying what comes on `control`, a REP, PAIR, PULL or SUB: PAUSE, RESUME, \
              TERMINATE (returns true) and STATISTICS, answered by 8 parts of 8 bytes in the machine's order: parts \
              and bytes received, parts and bytes sent, by the frontend and then by the backend. A REP answers the \
              others with an empty message. Blocks as `proxy` does (zmq_proxy_steerable(3)).",
        call: |args| run(args, [1, 2, 3, 4]),
    },
    Method {
        names: &["device"],
        args: "type, frontend, backend",
        doc: "The same as `proxy(frontend, backend)`, under ZeroMQ 2's name. The type (QUEUE, FORWARDER or STREAMER) \
              makes no difference.",
        call: |args| {
            args.int(1)?;
            run(args, [2, 3, 4, 5])
        },
    },
];

/// Runs a proxy over the sockets given as the numbered arguments; the last two may be nil.
fn run(args: &Args, [front, back, capture, control]: [usize; 4]) -> Return {
    let given = |number: usize, takes: bool| takes && !matches!(args.value(number), Value::Nil);
    let captures = given(capture, args.name() != "device");
    let steered = given(control, args.name() == "proxy_steerable");
    args.socket(front)?;
    args.socket(back)?;
    // No socket may be two of them, but for both ends.
    let same = |a: usize, b: usize| args.value(a).to_pointer() == args.value(b).to_pointer();
    for (number, others) in [
        (capture, &[front, back][..]),
        (control, &[front, back, capture]),
    ] {
        if (number == capture && captures) || (number == control && steered) {
            args.socket(number)?;
            if others.iter().any(|&other| same(number, other)) {
                return Err(args.bad(number, "the socket is another argument too"));
            }
        }
    }
    let optional = |number: usize, given: bool| given.then(|| args.socket_mut(number)).transpose();
    let sockets = Sockets {
        frontend: args.socket_mut(front)?,
        backend: optional(back, !same(front, back))?,
        capture: optional(capture, captures)?,
        control: optional(control, steered)?,
    };
    // The hook may run within the question whether one is set, and its error comes back from it.
    let mut raised = None;
    let result = proxy::run(sockets, &mut || {
        let hooked = raw::is_hooked(args.lua);
        let go_on = ending::retry_interrupted() && matches!(hooked, Ok(false));
        raised = hooked.err();
        go_on
    });
    match raised {
        Some(error) => Err(error.into()),
        None => {
            result?;
            args.yes()
        }
    }
}
