//! Trackers (cold): whether libzmq still has a string that was sent.

use super::args::{Args, Fail, Return};
use super::{raw, Method};
use crate::core::tag::State;
use crate::core::{ending, Error, Tracker};
use crate::sys::Errno;
use std::time::{Duration, Instant};

/// The methods.
pub const METHODS: &[Method] = &[
    Method {
        names: &["done"],
        args: "",
        doc: "Tells whether libzmq has let go of the message: the peer's kernel has it, an inproc peer has read it, or \
              it was dropped. Does not block.",
        call: |args| args.one(this(args)?.event().is_set()),
    },
    Method {
        names: &["wait"],
        args: "[ms]",
        doc: "Waits up to `ms` (-1, the default, for ever) until libzmq has let go of the message: true. EAGAIN, \
              EINTR.",
        call: wait,
    },
    Method { names: &["__tostring"], args: "", doc: "The kind, the address, and whether it is done.", call: text },
];

fn this<'a>(args: &'a Args) -> Result<&'a mut Tracker, Fail> {
    let tracker = args.this::<Tracker>()?;
    match tracker.state() {
        State::Live => Ok(tracker),
        State::Parents => {
            let name = args.name();
            let text = format!("{name}: the tracker belongs to the parent process");
            Err(Fail::Misuse(text))
        }
        _ => Err(Fail::Misuse(format!(
            "{}: the tracker is gone",
            args.name()
        ))),
    }
}

fn wait(args: &Args) -> Return {
    let ms = args.int_or(1, -1)?;
    let event = this(args)?.event();
    let began = Instant::now();
    loop {
        let time = u64::try_from(ms)
            .ok()
            .map(|ms| Duration::from_millis(ms).saturating_sub(began.elapsed()));
        match event.wait(time) {
            Ok(()) => return args.yes(),
            Err(Errno(libc::EINTR))
                if ending::retry_interrupted() && !raw::is_hooked(args.lua)? => {}
            Err(errno) => return Err(Error::from(errno).into()),
        }
    }
}

fn text(args: &Args) -> Return {
    let done = match this(args)?.event().is_set() {
        true => "done",
        false => "under way",
    };
    args.one(format!(
        "rzmq.tracker {:?} {done}",
        args.value(0).to_pointer()
    ))
}
