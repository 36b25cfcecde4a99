//! Timers objects (cold): libzmq's clockwork. `lua/rzmq/timers.lua` knows whom to call.

use super::args::{Args, Return};
use super::{raw, Method};
use crate::core::Timers;

/// Functions that only Lua files of rzmq's call.
pub const PRIVATE: &[Method] = &[Method {
    names: &["timers_new"],
    args: "",
    doc: "An empty set of timers. ENOMEM.",
    call: |args| args.one(raw::new_object(args.lua, Timers::new()?)?),
}];

/// The methods.
pub const METHODS: &[Method] = &[
    Method {
        names: &["add"],
        args: "interval",
        doc: "Adds a timer that is due every `interval` ms, at least 1, and returns its number. EINVAL.",
        call: |args| args.one(args.this_timers()?.add(args.int(1)?)?),
    },
    Method {
        names: &["cancel"],
        args: "number",
        doc: "Cancels a timer. EINVAL where it is not there.",
        call: |args| {
            args.this_timers()?.cancel(args.int(1)?)?;
            args.yes()
        },
    },
    Method {
        names: &["set_interval"],
        args: "number, interval",
        doc: "Gives a timer another interval in ms, which begins now. EINVAL.",
        call: |args| {
            args.this_timers()?.set_interval(args.int(1)?, args.int(2)?)?;
            args.yes()
        },
    },
    Method {
        names: &["reset"],
        args: "number",
        doc: "Begins a timer's interval anew. EINVAL where it is not there.",
        call: |args| {
            args.this_timers()?.reset(args.int(1)?)?;
            args.yes()
        },
    },
    Method {
        names: &["timeout"],
        args: "",
        doc: "The ms until the next timer is due, 0 if one is, -1 where there is none.",
        call: |args| args.one(args.this_timers()?.timeout().unwrap_or(-1) as f64),
    },
    Method {
        names: &["due"],
        args: "",
        doc: "A list of the numbers of the timers that are due, which begin anew. Does not block.",
        call: |args| {
            let due = args.this_timers()?.execute()?;
            args.one(args.lua.create_sequence_from(due)?)
        },
    },
    Method { names: &["destroy"], args: "", doc: "Lets go of all timers; a second call does nothing.", call: destroy },
    Method { names: &["__tostring"], args: "", doc: "The kind and the address.", call: text },
];

fn destroy(args: &Args) -> Return {
    args.this::<Timers>()?.close();
    args.yes()
}

fn text(args: &Args) -> Return {
    args.this::<Timers>()?;
    args.one(format!("rzmq.timers {:?}", args.value(0).to_pointer()))
}
