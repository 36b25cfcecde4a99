//! Waiting on one socket (cold).

use super::args::{Args, Return};
use super::Method;
use crate::core::{ending, Error};
use crate::sys::{self, Errno};
use mlua::{MultiValue, Value};
use std::time::{Duration, Instant};

/// Functions of the module.
pub const FUNCTIONS: &[Method] = &[];

/// Socket methods.
pub const METHODS: &[Method] = &[Method {
    names: &["poll"],
    args: "[ms[, events]]",
    doc: "Waits up to `ms` (-1, the default, for ever; 0 tries once) until one of the events (POLLIN unless given) is \
          there; returns whether one is, and which. \"interrupted\" (EINTR), \"closed\" (ETERM) (zmq_poll(3)).",
    call: poll,
}];

fn poll(args: &Args) -> Return {
    let socket = args.this_socket()?;
    let (ms, events) = (args.int_or(1, -1)?, args.int_or(2, POLLIN)?);
    let events = i16::try_from(events)
        .map_err(|_| args.bad(2, format_args!("events {events} do not fit a short")))?;
    let mut items = [sys::PollItem::socket(socket.handle(), events)];
    wait(args, &mut items, ms)?;
    let found = items[0].revents();
    Ok(MultiValue::from_iter([
        Value::Boolean(found != 0),
        Value::Integer(found.into()),
    ]))
}

const POLLIN: i32 = 1;

/// `zmq_poll`, gone on with when a signal interrupts it and the program asked for that.
fn wait(args: &Args, items: &mut [sys::PollItem], ms: i32) -> Result<i32, Error> {
    let _ = args;
    let deadline = (ms > 0).then(|| Instant::now() + Duration::from_millis(ms as u64));
    let mut left = ms.max(-1);
    loop {
        match sys::poll(items, left.into()) {
            Err(Errno(libc::EINTR)) if ending::retry_interrupted() => {}
            result => return Ok(result?),
        }
        if let Some(deadline) = deadline {
            let time = deadline.saturating_duration_since(Instant::now());
            left = time.as_millis().min(i32::MAX as u128) as i32;
        }
    }
}
