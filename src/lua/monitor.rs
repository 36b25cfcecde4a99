//! Monitors and their events (cold).

use super::args::{Args, Fail, Return};
use super::{lifetime, raw, Method};
use crate::core::monitor::{self, Event};
use crate::core::{ending, Error, Message, Socket};
use crate::schema::{self, EventValue};
use crate::sys::{self, Errno};
use mlua::{Function, MultiValue, Table, Value};

/// Functions of the module.
pub const FUNCTIONS: &[Method] = &[Method {
    names: &["parse_event"],
    args: "frame, ...",
    doc: "Reads a monitor's event from its frames, as strings: 2 of version 1, 4 or more of version 2. Returns a table: \
          `event`, the number; `name`, nil if this libzmq's events don't have it; `value`; `endpoint`; and what the \
          value means: `fd`, `errno` with `error_name` and `error` (its text), `interval` (ms), `protocol_error` (a \
          name), `status` (the ZAP handler's code), or `outbound` and `inbound` (messages queued). Version 2 adds \
          `values`, a list, and `remote_endpoint`. Does not block. EINVAL if it is no event.",
    call: parse_event,
}];

/// Socket methods.
pub const METHODS: &[Method] = &[
    Method {
        names: &["monitor"],
        args: "[endpoint][, events[, version]]",
        doc: "Monitors the socket at an inproc endpoint, by default a new one, and returns that. Events are a mask, by \
              default EVENT_ALL; those beyond bit 15 need version 2, which is then the default. An earlier monitor of \
              the socket ends. Connect a PAIR socket to it before anything happens: until then whatever causes an \
              event waits (`get_monitor` has no such risk); that socket's rcvhwm becomes 0. When the PAIR or the \
              monitored socket is closed, the monitor ends. Does not block, but for up to 100 ms where the endpoint \
              was just used. EPROTONOSUPPORT, EADDRINUSE, EINVAL, ENOTSUP (zmq_socket_monitor(3)).",
        call: start,
    },
    Method {
        names: &["get_monitor"],
        args: "[events[, version]]",
        doc: "Monitors the socket and returns a reader of its events, already connected (`zmq.monitor`). Events are a \
              mask, by default EVENT_ALL; monitor_stopped is always among them; those beyond bit 15 need version 2, \
              which is then the default. An earlier monitor of the socket ends. The monitor ends when the socket or \
              the reader is closed, in any order, or by `reset_monitor`. Does not block. EMFILE, EINVAL, ENOTSUP.",
        call: get_monitor,
    },
    Method {
        names: &["reset_monitor"],
        args: "",
        doc: "Ends the socket's monitor; its reader gets monitor_stopped. Does not block; does nothing where there is \
              none.",
        call: |args| {
            args.this_socket()?.stop_monitor();
            args.yes()
        },
    },
    Method {
        names: &["monitor_pipes_stats"],
        args: "",
        doc: "Asks for an event pipes_stats of each connection, on a monitor that was started with \
              EVENT_PIPES_STATS. Does not block. EINVAL without such a monitor, EAGAIN without a connection, ENOTSUP \
              (zmq_socket_monitor_pipes_stats(3)).",
        call: pipes_stats,
    },
    Method {
        names: &["recv_event"],
        args: "[flags]",
        doc: "Receives an event on a PAIR socket that is connected to a monitor; returns number, value and endpoint. \
              Blocks as the option rcvtimeo says, unless DONTWAIT. EINVAL for a message that is no event, which is \
              taken.",
        call: recv_event,
    },
];

/// Arguments `number` and the next: a mask of events and a version.
fn mask(args: &Args, number: usize) -> Result<(u64, i32), Fail> {
    let events = match args.value(number) {
        Value::Nil => sys::EVENT_ALL,
        _ => u64::try_from(args.integer(number)?)
            .map_err(|_| args.bad(number, "a mask of events is not below 0"))?,
    };
    let version = args.int_or(number + 1, monitor::version_for(events))?;
    if version != 1 && version != 2 {
        return Err(args.bad(
            number + 1,
            format_args!("version 1 or 2 expected, got {version}"),
        ));
    }
    if version < monitor::version_for(events) {
        let hint = format!("events {events} need version 2");
        return Err(Fail::Refused(Error::new(libc::EINVAL, hint)));
    }
    Ok((events, version))
}

fn start(args: &Args) -> Return {
    let socket = args.this_socket()?;
    let (endpoint, rest) = match args.value(1) {
        Value::Nil => (None, 2),
        // As in lzmq, the endpoint may be left out altogether.
        Value::Number(_) | Value::Integer(_) => (None, 1),
        _ => (Some(args.bytes(1)?), 2),
    };
    let (events, version) = mask(args, rest)?;
    let endpoint = socket.monitor(endpoint.as_deref(), events, version)?;
    args.one(args.lua.create_string(endpoint)?)
}

fn get_monitor(args: &Args) -> Return {
    let socket = args.this_socket()?;
    let (events, version) = mask(args, 1)?;
    let pair = socket.get_monitor(events, version, args.state.owner)?;
    let pair = lifetime::new_socket(args, pair)?;
    let require: Function = args.lua.globals().get("require")?;
    let module: Table = require.call("rzmq.monitor")?;
    args.one(module.get::<Function>("reader")?.call::<Value>(pair)?)
}

fn pipes_stats(args: &Args) -> Return {
    let about = |errno: Errno| {
        let hint = match errno.0 {
            libc::EINVAL => "no monitor with EVENT_PIPES_STATS is on",
            libc::ENOTSUP => "pipe statistics need libzmq's draft API",
            _ => "",
        };
        Error::new(errno.0, hint)
    };
    args.this_socket()?
        .handle()
        .monitor_pipes_stats()
        .map_err(about)?;
    args.yes()
}

fn recv_event(args: &Args) -> Return {
    let socket = args.this_socket()?;
    let flags = args.int_or(1, 0)?;
    let mut frames = vec![receive(args, socket, flags)?];
    while frames.last().is_some_and(|frame| frame.more()) {
        frames.push(receive(args, socket, sys::DONTWAIT)?);
    }
    let frames: Vec<&[u8]> = frames.iter().map(sys::Message::bytes).collect();
    let event = monitor::parse(&frames)?;
    let value = event.values.first().copied().unwrap_or_default();
    Ok(MultiValue::from_iter([
        Value::Number(event.number as f64),
        Value::Number(value as f64),
        Value::String(args.lua.create_string(affected(&event))?),
    ]))
}

fn receive(args: &Args, socket: &mut Socket, flags: i32) -> Result<sys::Message, Fail> {
    let mut message = Message::new(sys::Message::new());
    let result = socket
        .recv_message(&mut message, flags)
        .map_err(Errno::from);
    // The hook may run within the question whether one is set, and its error comes back from it.
    let mut raised = None;
    let result = match result {
        Err(Errno(libc::EINTR)) if ending::retry_interrupted() => {
            let go_on = || {
                let hooked = raw::is_hooked(args.lua);
                let go_on = matches!(hooked, Ok(false));
                raised = hooked.err();
                go_on
            };
            socket.resume(sys::RCVTIMEO, go_on, |socket| {
                socket.recv_message(&mut message, flags)
            })
        }
        result => result,
    };
    if let Some(error) = raised {
        return Err(error.into());
    }
    result.map_err(Error::from)?;
    Ok(message.inner)
}

/// The endpoint that an event is about: in version 2 the local one, or the peer's where that is empty.
fn affected(event: &Event) -> &[u8] {
    match &event.remote {
        Some(remote) if event.endpoint.is_empty() => remote,
        _ => &event.endpoint,
    }
}

fn parse_event(args: &Args) -> Return {
    let frames = (1..=args.count().max(1)).map(|number| args.bytes(number));
    let event = monitor::parse(&frames.collect::<Result<Vec<_>, Fail>>()?)?;
    let table = args.lua.create_table()?;
    let value = event.values.first().copied().unwrap_or_default();
    table.raw_set("event", event.number as f64)?;
    table.raw_set("value", value as f64)?;
    table.raw_set("endpoint", args.lua.create_string(affected(&event))?)?;
    if let Some(remote) = &event.remote {
        let values = event.values.iter().map(|&value| value as f64);
        table.raw_set("values", args.lua.create_sequence_from(values)?)?;
        table.raw_set("remote_endpoint", args.lua.create_string(remote)?)?;
    }
    if let Some(row) = schema::event_by_number(event.number) {
        table.raw_set("name", row.name)?;
        decode(&table, row.value, &event.values)?;
    }
    args.one(table)
}

/// What the values of an event mean.
fn decode(table: &Table, meaning: EventValue, values: &[u64]) -> Result<(), Fail> {
    let value = values.first().copied().unwrap_or_default();
    match meaning {
        EventValue::Fd => table.raw_set("fd", value as f64)?,
        EventValue::Interval => table.raw_set("interval", value as f64)?,
        EventValue::ZapStatus => table.raw_set("status", value as f64)?,
        EventValue::Errno => {
            let errno = value as i32;
            table.raw_set("errno", errno)?;
            table.raw_set("error", Errno(errno).text())?;
            table.raw_set(
                "error_name",
                schema::error_by_number(errno).map(|row| row.name),
            )?;
        }
        EventValue::ProtocolError => {
            table.raw_set("protocol_error", schema::protocol_error(value as i64))?;
        }
        EventValue::PipesStats => {
            table.raw_set("outbound", value as f64)?;
            table.raw_set("inbound", values.get(1).map(|&value| value as f64))?;
        }
        EventValue::None => {}
    }
    Ok(())
}
