//! How a process, a Lua state or a forked child ends: always, and with what was accepted delivered if a peer takes it.
//!
//! A context whose last user is gone is terminated by a helper thread, which waits for its unsent messages. When a
//! Lua state closes, its thread waits for the terminations that it began, and when the process exits, the exiting
//! thread waits for all of them, at most `exit_linger` ms in total; what is left then is abandoned.

use super::registry::{self, registry, Ending};
use super::{slow, tag};
use crate::sys;
use std::cell::Cell;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering::Relaxed};
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
        // Handlers run in reverse order.
        sys::at_exit(after_exit);
        sys::at_exit(at_exit);
        sys::at_fork_child(at_fork_child);
    });
}

extern "C" fn at_fork_child() {
    tag::next_generation();
    registry::forget_parents();
}

/// The thread that ends the process; 0 until one does.
static EXITING: AtomicUsize = AtomicUsize::new(0);

/// Whether the process is ending.
pub fn process_ends() -> bool {
    EXITING.load(Relaxed) != 0
}

extern "C" fn at_exit() {
    EXITING.store(sys::thread(), Relaxed);
    // A panic must not cross into the C library; there is nobody left to tell.
    let _ = std::panic::catch_unwind(|| {
        registry::close_thread(exit_linger());
        // Threads that block on a socket are told so, and close theirs.
        for context in registry::contexts() {
            context.terminate_later();
        }
        wait_for(|_| true);
    });
}

/// Another thread that exits while this one waits in `at_exit`, because its sockets were ended, would choose the exit
/// status in its place: the C library runs no handler twice, so it comes straight here.
extern "C" fn after_exit() {
    if EXITING.load(Relaxed) != sys::thread() {
        stop_here();
    }
}

/// Keeps this thread from going on while another one ends the process.
fn stop_here() -> ! {
    // The other one may wait for these.
    registry::close_thread(exit_linger());
    loop {
        std::thread::park();
    }
}

thread_local! {
    static DETACHED: Cell<bool> = const { Cell::new(false) };
}

/// Notes that this thread is one whose end nobody waits for.
pub(super) fn set_detached() {
    DETACHED.set(true);
}

/// A detached thread whose context the end of the process has shut down stops here: it would only be told "closed",
/// again and again if it doesn't look.
pub fn stop_if_detached() {
    if DETACHED.get() {
        stop_if_another_exits();
    }
}

/// A thread that waited for a context, which the end of the process has ended, stops here: nothing waits for it in
/// `at_exit`, and it might choose the exit status first.
pub(super) fn stop_if_another_exits() {
    if process_ends() && EXITING.load(Relaxed) != sys::thread() {
        stop_here();
    }
}

/// Waits for the terminations that this thread started, at most `exit_linger` ms, then abandons them: a later wait
/// doesn't wait for them again.
pub fn wait() {
    let thread = sys::thread();
    wait_for(|ending| ending.thread == thread);
}

thread_local! {
    /// When this thread's last wait began and ended.
    static LAST_WAIT: Cell<Option<(Instant, Instant)>> = const { Cell::new(None) };
}

/// A program's end comes in two steps, of its Lua state and of the process, and is one wait: so long after the first
/// the second still belongs to it.
const ONE_END: Duration = Duration::from_millis(100);

fn wait_for(whose: impl Fn(&Ending) -> bool) {
    let (registry, linger, now) = (registry(), exit_linger(), Instant::now());
    let began = match LAST_WAIT.get() {
        Some((began, ended)) if now < ended + ONE_END => began,
        _ => now,
    };
    let deadline = (linger >= 0).then(|| began + Duration::from_millis(linger as u64));
    let mut open = registry.lock();
    while open.endings.values().any(&whose) {
        let left = match deadline {
            None => Duration::from_secs(3600),
            Some(at) => at.saturating_duration_since(Instant::now()),
        };
        if left.is_zero() {
            open.endings.retain(|_, e| !whose(e));
            break;
        }
        open = registry
            .ended
            .wait_timeout(open, left)
            .unwrap_or_else(PoisonError::into_inner)
            .0;
    }
    drop(open);
    LAST_WAIT.set(Some((began, Instant::now())));
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
