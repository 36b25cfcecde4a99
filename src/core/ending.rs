//! How a process, a Lua state or a forked child ends: always, and with what was accepted delivered if a peer takes it.
//!
//! A context whose last user is gone is terminated by a helper thread, which waits for its unsent messages. When a
//! Lua state closes or the process exits, the thread that does so waits for those terminations, at most
//! `exit_linger` ms in total, and then abandons them.

use super::registry::{self, registry, Ending};
use super::{slow, tag};
use crate::sys;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};
use std::sync::{Once, PoisonError};
use std::time::{Duration, Instant};

static EXIT_LINGER: AtomicI32 = AtomicI32::new(1000);

/// The most ms that the end of a program or Lua state waits for unsent messages, in total; -1 has no limit.
pub fn exit_linger() -> i32 {
    EXIT_LINGER.load(Relaxed)
}

/// Sets `exit_linger`.
pub fn set_exit_linger(ms: i32) {
    EXIT_LINGER.store(ms.max(-1), Relaxed);
}

/// Whether a blocking call that a signal interrupts goes on for the remaining time.
pub fn retry_interrupted() -> bool {
    slow::has(slow::RETRY)
}

/// Sets `retry_interrupted`.
pub fn set_retry_interrupted(retry: bool) {
    slow::set(slow::RETRY, retry);
}

/// Registers the exit and fork handlers, once a process.
pub fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        sys::at_exit(at_exit);
        sys::at_fork_child(at_fork_child);
    });
}

extern "C" fn at_fork_child() {
    tag::next_generation();
    registry::forget_parents();
}

extern "C" fn at_exit() {
    // A panic must not cross into the C library; there is nobody left to tell.
    let _ = std::panic::catch_unwind(|| {
        registry::close_thread(exit_linger());
        for context in registry::contexts() {
            context.terminate_later();
        }
        wait();
    });
}

/// Waits for the terminations that this thread started, at most `exit_linger` ms, then abandons them: a later wait
/// doesn't wait for them again.
pub fn wait() {
    let (registry, thread) = (registry(), sys::thread());
    let linger = exit_linger();
    let deadline = (linger >= 0).then(|| Instant::now() + Duration::from_millis(linger as u64));
    let mut open = registry.lock();
    while open.endings.values().any(|e| e.thread == thread) {
        let left = match deadline {
            None => Duration::from_secs(3600),
            Some(at) => at.saturating_duration_since(Instant::now()),
        };
        if left.is_zero() {
            open.endings.retain(|_, e| e.thread != thread);
            return;
        }
        open = registry
            .ended
            .wait_timeout(open, left)
            .unwrap_or_else(PoisonError::into_inner)
            .0;
    }
}

/// Terminates a context in a helper thread. It is leaked where the system allows no thread.
pub(super) fn terminate_later(context: sys::Context) {
    let number = {
        let mut open = registry().lock();
        let number = open.number();
        open.endings.insert(
            number,
            Ending {
                thread: sys::thread(),
            },
        );
        number
    };
    let generation = tag::generation();
    let started = sys::spawn("rzmq-ending", move || {
        let mut context = Some(context);
        while let Some(again) = context.take() {
            context = again.term().err().map(|(context, _)| context);
        }
        over(number, generation);
    });
    if !started {
        over(number, generation);
    }
}

fn over(number: u64, generation: u64) {
    if generation == tag::generation() {
        registry().lock().endings.remove(&number);
        registry().ended.notify_all();
    }
}
