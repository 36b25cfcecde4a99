//! Threads (cold): thread objects, and the two functions with which `rzmq.threads` makes them.

use super::args::{Args, Fail, Return};
use super::{raw, Method};
use crate::core::tag::State;
use crate::core::{ending, Context, Error, Thread};
use mlua::{MultiValue, Value};
use std::time::{Duration, Instant};

/// Functions for `rzmq.threads`; programs don't see them.
pub const FUNCTIONS: &[Method] = &[
    Method {
        names: &["thread"],
        args: "context, setup, ...",
        doc: "A thread that will run boot.lua in a new Lua state with copies of the arguments. Returns false, the \
              argument's number and the reason where one can't go there; ENOSYS where the host exports no \
              luaL_newstate.",
        call: new,
    },
    Method {
        names: &["context_fault"],
        args: "value",
        doc: "Why a value is no open context of this process; nil where it is one.",
        call: context_fault,
    },
    Method {
        names: &["end_with"],
        args: "context, socket, leader",
        doc: "Makes the context shut down when the socket closes, and when the context `leader` (or nil) shuts down \
              or ends.",
        call: end_with,
    },
];

/// The methods.
pub const METHODS: &[Method] = &[
    Method {
        names: &["start"],
        args: "[detached[, joinable]]",
        doc: "Starts the thread; does not wait for it. `detached` is false unless given; `joinable` is the contrary of \
              `detached` unless given. EALREADY the second time; EAGAIN where the system allows no more threads.",
        call: start,
    },
    Method {
        names: &["join"],
        args: "[ms]",
        doc: "Waits up to `ms` (-1, the default, for ever; 0 tries once) for the thread's end and returns true and what \
              it returned, or false and the text of its error with a traceback; once. False, a reason and EINVAL for a \
              thread that was not started, is not joinable or was joined before; nil, \"timeout\", EAGAIN while it \
              runs; nil, \"interrupted\", EINTR after a signal.",
        call: join,
    },
    Method {
        names: &["alive"],
        args: "",
        doc: "Tells whether the thread was started and is not over.",
        call: |args| args.one(this(args)?.is_alive()),
    },
    Method {
        names: &["started"],
        args: "",
        doc: "Tells whether the thread was started.",
        call: |args| args.one(this(args)?.is_started()),
    },
    Method {
        names: &["detached"],
        args: "",
        doc: "Tells whether the thread was started as detached.",
        call: |args| args.one(this(args)?.is_detached()),
    },
    Method {
        names: &["joinable"],
        args: "",
        doc: "Tells whether `join` has something to wait for.",
        call: |args| args.one(this(args)?.is_joinable()),
    },
    Method {
        names: &["__tostring"],
        args: "",
        doc: "The kind, the address, and what it does.",
        call: text,
    },
];

fn this<'a>(args: &'a Args) -> Result<&'a mut Thread, Fail> {
    let thread = args.this::<Thread>()?;
    match thread.state() {
        State::Live => Ok(thread),
        State::Parents => {
            let name = args.name();
            Err(Fail::Misuse(format!(
                "{name}: the thread belongs to the parent process"
            )))
        }
        _ => Err(Fail::Misuse(format!("{}: the thread is gone", args.name()))),
    }
}

fn new(args: &Args) -> Return {
    if !raw::states_available() {
        return Err(Fail::Refused(Error::new(
            libc::ENOSYS,
            "threads need luaL_newstate, which this program does not export",
        )));
    }
    let values: MultiValue = (1..=args.count())
        .map(|at| args.value(at).clone())
        .collect();
    match raw::pack(args.lua, values)?.finish() {
        Ok(parcel) => {
            let thread = Thread::new(move || raw::run(parcel));
            args.one(raw::new_object(args.lua, thread)?)
        }
        Err((number, reason)) => Ok(MultiValue::from_iter([
            Value::Boolean(false),
            Value::Integer(number as i64),
            Value::String(args.lua.create_string(reason)?),
        ])),
    }
}

fn context_fault(args: &Args) -> Return {
    let fault = match raw::payload::<Context>(args.lua, args.value(1)).map(|c| c.state()) {
        Some(State::Live) => return args.one(Value::Nil),
        Some(State::Closed) => "the context is closed".into(),
        Some(State::Parents) => "the context belongs to the parent process".into(),
        _ => {
            let got = super::args::type_name(args.value(1));
            format!("context expected, got {got}")
        }
    };
    args.one(fault)
}

fn end_with(args: &Args) -> Return {
    let context = |number| {
        raw::payload::<Context>(args.lua, args.value(number))
            .filter(|context| context.is_ours())
            .map(|context| context.shared().clone())
    };
    let follower = context(1).ok_or_else(|| args.bad(1, "context expected"))?;
    follower.end_with(args.socket(2)?, context(3).as_deref())?;
    args.yes()
}

fn start(args: &Args) -> Return {
    let detached = args.boolean(1)?;
    let joinable = match args.value(2) {
        Value::Nil => !detached,
        _ => args.boolean(2)?,
    };
    this(args)?.start(detached, joinable)?;
    args.yes()
}

fn join(args: &Args) -> Return {
    let ms = args.int_or(1, -1)?;
    let thread = this(args)?;
    let began = Instant::now();
    let outcome = loop {
        let time = u64::try_from(ms)
            .ok()
            .map(|ms| Duration::from_millis(ms).saturating_sub(began.elapsed()));
        match thread.join(time) {
            Err(error)
                if error.errno == libc::EINTR
                    && ending::retry_interrupted()
                    && !raw::is_hooked(args.lua)? => {}
            result => break result,
        }
    };
    let failed = |text: &[u8]| -> Result<MultiValue, Fail> {
        let text = Value::String(args.lua.create_string(text)?);
        Ok(MultiValue::from_iter([Value::Boolean(false), text]))
    };
    match outcome {
        Ok(Ok(parcel)) => {
            let mut values = raw::values(args.lua, &parcel)?;
            values.push_front(Value::Boolean(true));
            Ok(values)
        }
        Ok(Err(text)) => failed(&text),
        Err(error) if error.errno == libc::EINVAL => {
            let mut values = failed(error.about.as_bytes())?;
            values.push_back(Value::Integer(error.errno.into()));
            Ok(values)
        }
        Err(error) => Err(error.into()),
    }
}

fn text(args: &Args) -> Return {
    let thread = args.this::<Thread>()?;
    let address = args.value(0).to_pointer();
    let does = match (thread.is_started(), thread.is_alive()) {
        (false, _) => "new",
        (true, true) => "running",
        (true, false) => "over",
    };
    args.one(format!("rzmq.thread {address:?} {does}"))
}
