//! Polling: one socket, a list, and poller objects (cold; what is hot in pollers is in `raw`).

use super::args::{Args, Fail, Return};
use super::{raw, Method};
use crate::core::poller::{check_events, Deadline};
use crate::core::tag::State;
use crate::core::{ending, Error, Poller, Socket};
use crate::sys::{self, Errno, PollItem, Target, POLLIN};
use mlua::{MultiValue, Table, Value};
use std::time::Duration;

/// Functions of the module.
pub const FUNCTIONS: &[Method] = &[
    Method {
        names: &["poll"],
        args: "list[, ms]",
        doc: "Waits up to `ms` (-1, the default, for ever; 0 tries once) until something of a list is ready. An entry \
              is a socket, a descriptor or an object whose method `socket` returns a socket, waited for with POLLIN, \
              or a table of one of these and a mask of POLLIN, POLLOUT, POLLERR and POLLPRI. Returns a list of what \
              is ready, in the same order: tables of the entry's object and its events; an empty one at the timeout. \
              EINVAL if there is nothing to wait for and no limit; \"interrupted\" (EINTR), \"closed\" (ETERM) \
              (zmq_poll(3)).",
        call: poll_list,
    },
];

/// Functions of the core, for the Lua side.
pub const INTERNAL: &[Method] = &[Method {
    names: &["new_poller"],
    args: "[length]",
    doc: "An empty poller with indices. `length` is taken and not needed. ENOMEM.",
    call: new_poller,
}];

/// Socket methods.
pub const METHODS: &[Method] = &[
    Method {
        names: &["poll"],
        args: "[ms[, events]]",
        doc: "Waits up to `ms` (-1, the default, for ever; 0 tries once) until one of the events (POLLIN unless \
              given) is there; returns whether one is, and which. \"interrupted\" (EINTR), \"closed\" (ETERM) \
              (zmq_poll(3)).",
        call: poll,
    },
    Method {
        names: &["has_event"],
        args: "events, ...",
        doc: "Tells for each mask of POLLIN and POLLOUT whether one of its events is there now, as that many booleans. \
              Does not block. \"closed\" (ETERM).",
        call: has_event,
    },
];

/// Poller methods.
pub const POLLER: &[Method] = &[
    Method {
        names: &["add"],
        args: "target, events",
        doc: "Registers a socket, a descriptor or an object whose method `socket` returns a socket; returns its index, \
              which starts at 0 and is given again once this one is removed. What is registered already gets the new \
              events. Does not block. EINVAL for unknown events, EBADF for a descriptor that isn't open, EMFILE.",
        call: add,
    },
    Method {
        names: &["modify"],
        args: "target, events",
        doc: "The same as `add`.",
        call: add,
    },
    Method {
        names: &["remove"],
        args: "target",
        doc: "Takes out a target and returns the index it had, -1 if it wasn't registered. Does not block. A socket \
              that is closed is taken out by that.",
        call: remove,
    },
    Method {
        names: &["count"],
        args: "",
        doc: "How many targets are registered.",
        call: |args| {
            let count = args.this_poller()?.count();
            args.one(count as f64)
        },
    },
    Method {
        names: &["close"],
        args: "",
        doc: "Lets go of everything registered. Does not block; a second call does nothing.",
        call: close,
    },
    Method {
        names: &["closed"],
        args: "",
        doc: "Tells whether the poller is closed.",
        call: |args| args.one(args.this::<Poller>()?.state() != State::Live),
    },
    Method {
        names: &["__tostring"],
        args: "",
        doc: "The kind, the address, and whether it is closed.",
        call: text,
    },
];

/// What a value stands for: itself, or the socket that its method `socket` returns.
fn resolve(value: &Value) -> Result<Value, Fail> {
    if let Value::Table(object) = value {
        if let Value::Function(method) = object.get::<Value>("socket")? {
            return Ok(method.call(object)?);
        }
    }
    Ok(value.clone())
}

/// The open socket or the descriptor that a resolved value is.
fn target<'a>(args: &'a Args, number: usize, value: &'a Value) -> Result<Target<'a>, Fail> {
    match value {
        Value::Integer(_) | Value::Number(_) => descriptor(args, number, value),
        _ => Ok(Target::Socket(args.socket_in(number, value)?.handle())),
    }
}

fn descriptor(args: &Args, number: usize, value: &Value) -> Result<Target<'static>, Fail> {
    match super::args::whole(args.lua, value).map(i32::try_from) {
        Ok(Ok(fd)) if fd >= 0 => Ok(Target::Descriptor(fd)),
        _ => Err(args.bad(number, "a descriptor is a whole number from 0 up")),
    }
}

/// A mask that fits a C short.
fn mask(args: &Args, number: usize, value: i64) -> Result<i16, Fail> {
    i16::try_from(value)
        .map_err(|_| args.bad(number, format_args!("events {value} do not fit a short")))
}

fn poll(args: &Args) -> Return {
    let socket = args.this_socket()?;
    let ms = args.int_or(1, -1)?;
    let events = mask(args, 2, args.int_or(2, POLLIN.into())?.into())?;
    check_events(events)?;
    let held = held(socket, events);
    let mut items = [PollItem::new(Target::Socket(socket.handle()), events)];
    wait(args, &mut items, if held == 0 { ms } else { 0 })?;
    let found = items[0].revents() | held;
    Ok(MultiValue::from_iter([
        Value::Boolean(found != 0),
        Value::Integer(found.into()),
    ]))
}

/// POLLIN for a message that waits in the socket itself.
fn held(socket: &Socket, events: i16) -> i16 {
    if socket.holds_message() {
        events & POLLIN
    } else {
        0
    }
}

fn has_event(args: &Args) -> Return {
    let socket = args.this_socket()?;
    let mut masks = vec![args.int(1)?];
    for number in 2..=args.count() {
        masks.push(args.int(number)?);
    }
    let now = socket.events().map_err(Error::from)?;
    Ok(masks
        .into_iter()
        .map(|mask| Value::Boolean(now & mask != 0))
        .collect())
}

/// An entry's object, what it stands for, and its events.
fn entry(args: &Args, at: usize, value: Value) -> Result<(Value, Value, i16), Fail> {
    if let Value::Table(pair) = &value {
        let first = pair.raw_get::<Value>(1)?;
        if !first.is_nil() {
            let events = match pair.raw_get::<Value>(2)? {
                Value::Nil => POLLIN,
                events => {
                    let reason = || args.bad(1, format_args!("entry {at}: no mask of events"));
                    let events = super::args::whole(args.lua, &events).map_err(|_| reason())?;
                    mask(args, 1, events)?
                }
            };
            return Ok((first.clone(), resolve(&first)?, events));
        }
    }
    let target = resolve(&value)?;
    Ok((value, target, POLLIN))
}

fn poll_list(args: &Args) -> Return {
    let list: &Table = args.table(1)?;
    let ms = args.int_or(2, -1)?;
    let mut entries = Vec::with_capacity(list.raw_len());
    for at in 1..=list.raw_len() {
        entries.push(entry(args, at, list.raw_get(at)?)?);
    }
    let mut items = Vec::with_capacity(entries.len());
    let mut held_now = Vec::with_capacity(entries.len());
    for (_, value, events) in &entries {
        check_events(*events)?;
        let (target, held) = match value {
            Value::Integer(_) | Value::Number(_) => (descriptor(args, 1, value)?, 0),
            _ => {
                let socket = args.socket_in(1, value)?;
                (Target::Socket(socket.handle()), held(socket, *events))
            }
        };
        items.push(PollItem::new(target, *events));
        held_now.push(held);
    }
    if entries.iter().all(|(_, _, events)| *events == 0) {
        if ms < 0 {
            return Err(Fail::Refused(Poller::explain(Errno(libc::EINVAL))));
        }
        if ms > 0 {
            pause(args, ms)?;
        }
    } else {
        let any_held = held_now.iter().any(|&events| events != 0);
        wait(args, &mut items, if any_held { 0 } else { ms })?;
    }
    let ready = args.lua.create_table()?;
    for (((object, ..), item), held) in entries.iter().zip(&items).zip(&held_now) {
        let found = item.revents() | held;
        if found != 0 {
            let pair = args.lua.create_table_with_capacity(2, 0)?;
            pair.raw_set(1, object)?;
            pair.raw_set(2, found)?;
            ready.raw_push(pair)?;
        }
    }
    args.one(ready)
}

/// `zmq_poll`, gone on with when a signal interrupts it and the program asked for that.
fn wait(args: &Args, items: &mut [PollItem], ms: i32) -> Result<i32, Fail> {
    retry(args, ms, |ms| sys::poll(items, ms.into()))
}

/// Waits `ms` for nothing.
fn pause(args: &Args, ms: i32) -> Result<(), Fail> {
    retry(args, ms, |ms| sys::sleep(Duration::from_millis(ms as u64)))
}

/// Calls again, with the ms that are left, while a signal interrupts the call and the program asked for that; but not
/// where a hook is set, as the interpreter does on Ctrl-C.
fn retry<T>(
    args: &Args,
    ms: i32,
    mut call: impl FnMut(i32) -> Result<T, Errno>,
) -> Result<T, Fail> {
    let deadline = Deadline::new(ms);
    loop {
        match call(deadline.left()).map_err(Poller::explain) {
            // The hook may run within the question, and its error comes back from it.
            Err(error)
                if error.errno == libc::EINTR
                    && ending::retry_interrupted()
                    && !raw::is_hooked(args.lua)? => {}
            result => return Ok(result?),
        }
    }
}

fn new_poller(args: &Args) -> Return {
    args.int_or(1, 0)?;
    args.one(raw::new_object(args.lua, Poller::new()?)?)
}

fn add(args: &Args) -> Return {
    args.this_poller()?;
    let value = resolve(args.value(1))?;
    let events = mask(args, 2, args.integer(2)?)?;
    let target = target(args, 1, &value)?;
    // The user's method may have closed the poller.
    let index = args.this_poller()?.add(target, events)?;
    keep(args, index, Some(value.clone()))?;
    args.one(index as f64)
}

fn remove(args: &Args) -> Return {
    args.this_poller()?;
    let value = resolve(args.value(1))?;
    let closed = raw::payload::<Socket>(args.lua, &value).is_some_and(|s| s.state() != State::Live);
    let index = match closed {
        true => None,
        false => args.this_poller()?.remove(target(args, 1, &value)?)?,
    };
    if let Some(index) = index {
        keep(args, index, None)?;
    }
    args.one(index.map_or(-1.0, |index| index as f64))
}

/// Keeps the registered sockets from the collector while the poller lives.
fn keep(args: &Args, index: usize, socket: Option<Value>) -> Result<(), Fail> {
    let anchors = &args.state.anchors;
    let mine = match anchors.raw_get::<Value>(args.value(0))? {
        Value::Table(mine) => mine,
        _ => {
            let mine = args.lua.create_table()?;
            anchors.raw_set(args.value(0), &mine)?;
            mine
        }
    };
    Ok(mine.raw_set(index + 1, socket)?)
}

fn close(args: &Args) -> Return {
    args.this::<Poller>()?.close();
    args.state.anchors.raw_set(args.value(0), Value::Nil)?;
    args.yes()
}

fn text(args: &Args) -> Return {
    let state = match args.this::<Poller>()?.state() {
        State::Live => "",
        _ => " closed",
    };
    args.one(format!(
        "rzmq.poller {:?}{state}",
        args.value(0).to_pointer()
    ))
}
