//! Threads that run something and leave a result: the payload of a thread object. What they run is no business of
//! this file.

use super::ending;
use super::error::{Error, Result};
use super::parcel::Parcel;
use super::tag::{Kind, State};
use crate::sys::{self, Event};
use std::io::Write;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

/// What a thread leaves: values, or the text of an error.
pub type Outcome = std::result::Result<Parcel, Vec<u8>>;

type Work = Box<dyn FnOnce() -> Outcome + Send>;

/// As much as the main thread of a program usually has: what runs there runs in a thread too.
const STACK: usize = 8 << 20;

/// What the thread and its object share.
struct Task {
    content: Mutex<Content>,
    over: Event,
}

enum Content {
    Work(Work),
    Nothing,
    Outcome(Outcome),
}

impl Task {
    fn take(&self) -> Content {
        std::mem::replace(&mut *self.lock(), Content::Nothing)
    }

    fn lock(&self) -> MutexGuard<'_, Content> {
        // Nothing panics while it holds the lock.
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        if let Content::Work(work) = self.take() {
            // A panic would be a fault of ours; it must not take the outcome with it.
            let outcome = catch_unwind(AssertUnwindSafe(work))
                .unwrap_or_else(|_| Err(b"rzmq: a panic ended the thread".to_vec()));
            *self.lock() = Content::Outcome(outcome);
        }
        self.over.set();
    }
}

impl Drop for Task {
    /// An error that nobody joined is told, but for those that the end of the process itself brings about.
    fn drop(&mut self) {
        if let Content::Outcome(Err(text)) = self.take() {
            if !ending::process_ends() {
                let text = String::from_utf8_lossy(&text);
                // Where there is no stderr there is nobody to tell.
                let _ = writeln!(std::io::stderr(), "error in a thread: {text}");
            }
        }
    }
}

enum Phase {
    New(Arc<Task>),
    Joinable(Arc<Task>, JoinHandle<()>),
    Detached(Weak<Task>),
    Joined,
}

/// A thread as its maker holds it. Dropped, the thread goes on by itself.
#[repr(C)]
pub struct Thread {
    tag: u64,
    phase: Phase,
    detached: bool,
}

impl Thread {
    /// A thread that will do `work`.
    pub fn new(work: impl FnOnce() -> Outcome + Send + 'static) -> Thread {
        let task = Task {
            content: Mutex::new(Content::Work(Box::new(work))),
            over: Event::default(),
        };
        Thread {
            tag: Kind::Thread.live(),
            phase: Phase::New(Arc::new(task)),
            detached: false,
        }
    }

    /// Whether this is a thread of this process.
    pub fn state(&self) -> State {
        Kind::Thread.state(self.tag)
    }

    /// Starts it, once. EALREADY the second time; EAGAIN where the system allows no more threads: it may be tried again.
    pub fn start(&mut self, detached: bool, joinable: bool) -> Result<()> {
        let Phase::New(task) = &self.phase else {
            return Err(Error::new(libc::EALREADY, "the thread was started before"));
        };
        let (task, running) = (task.clone(), task.clone());
        let handle = sys::spawn_joinable("rzmq-lua", STACK, move || {
            if detached {
                ending::set_detached();
            }
            running.run();
        })
        .map_err(|errno| Error::new(errno.0, "the system allows no more threads"))?;
        self.detached = detached;
        self.phase = if joinable {
            Phase::Joinable(task, handle)
        } else {
            Phase::Detached(Arc::downgrade(&task))
        };
        Ok(())
    }

    /// Waits until it is over, at most `time` (None: as long as it takes), and gives what it left, once. EAGAIN when it
    /// is not over by then, EINTR when a signal handler ran, EINVAL where there is nothing to join.
    pub fn join(&mut self, time: Option<Duration>) -> Result<Outcome> {
        let nothing = |why| Err(Error::new(libc::EINVAL, why));
        match &self.phase {
            Phase::New(_) => return nothing("the thread was not started"),
            Phase::Detached(_) => return nothing("the thread was started as not joinable"),
            Phase::Joined => return nothing("the thread was joined before"),
            Phase::Joinable(task, _) => task.over.wait(time)?,
        }
        let Phase::Joinable(task, handle) = std::mem::replace(&mut self.phase, Phase::Joined)
        else {
            return nothing("the thread was joined before");
        };
        // It has nothing left to do, and does not panic outside of its work.
        let _ = handle.join();
        match task.take() {
            Content::Outcome(outcome) => Ok(outcome),
            _ => nothing("the thread left nothing"),
        }
    }

    /// Whether it was started.
    pub fn is_started(&self) -> bool {
        !matches!(self.phase, Phase::New(_))
    }

    /// Whether it was started and is not over.
    pub fn is_alive(&self) -> bool {
        match &self.phase {
            Phase::Joinable(task, _) => !task.over.is_set(),
            Phase::Detached(task) => task.upgrade().is_some_and(|task| !task.over.is_set()),
            Phase::New(_) | Phase::Joined => false,
        }
    }

    /// Whether it was started as detached.
    pub fn is_detached(&self) -> bool {
        self.detached
    }

    /// Whether `join` has something to wait for.
    pub fn is_joinable(&self) -> bool {
        matches!(self.phase, Phase::Joinable(..))
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        if self.state() != State::Live {
            // A forked child has neither the thread nor the locks to let go of it.
            std::mem::forget(std::mem::replace(&mut self.phase, Phase::Joined));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::parcel::Item;

    fn number(value: f64) -> Outcome {
        Ok(Parcel {
            items: vec![Item::Number(value)],
            tables: Vec::new(),
        })
    }

    #[test]
    fn a_thread_is_started_and_joined_once() {
        let mut thread = Thread::new(|| number(7.0));
        assert!(thread.join(None).is_err_and(|e| e.errno == libc::EINVAL));
        assert!(!thread.is_started() && !thread.is_alive());
        assert!(thread.start(false, true).is_ok());
        assert!(thread
            .start(false, true)
            .is_err_and(|e| e.errno == libc::EALREADY));
        let outcome = thread.join(None);
        assert!(
            matches!(&outcome, Ok(Ok(parcel)) if matches!(parcel.items[..], [Item::Number(7.0)]))
        );
        assert!(!thread.is_alive() && thread.is_started());
        assert!(thread.join(None).is_err_and(|e| e.errno == libc::EINVAL));
    }

    #[test]
    fn a_join_with_a_time_comes_back_and_can_be_repeated() {
        let go = Arc::new(Event::default());
        let wait = go.clone();
        let mut thread = Thread::new(move || {
            let _ = wait.wait(None);
            Err(b"no".to_vec())
        });
        assert!(thread.start(true, true).is_ok());
        let join = thread.join(Some(Duration::ZERO));
        assert!(join.is_err_and(|e| e.errno == libc::EAGAIN));
        assert!(thread.is_alive() && thread.is_detached() && thread.is_joinable());
        go.set();
        assert!(matches!(thread.join(None), Ok(Err(text)) if text == b"no"));
    }

    #[test]
    fn a_panic_is_an_outcome() {
        let mut thread = Thread::new(|| panic!("expected by a test"));
        assert!(thread.start(false, true).is_ok());
        assert!(matches!(thread.join(None), Ok(Err(text)) if text.starts_with(b"rzmq: a panic")));
    }
}
