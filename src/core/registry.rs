//! Which sockets and contexts are open in this process, and who owns them.
//!
//! Endings walk it, and `Context::find` looks contexts up by address. A forked child starts with an empty one, so
//! what the parent's threads held locked at the fork does not matter.

use super::context::Shared;
use super::monitor::{Address, Monitor};
use crate::sys::{self, Closer, Replaceable};
use std::collections::HashMap;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};

/// Who makes sockets: one Lua state, or any other user of core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner(u64);

impl Owner {
    /// An owner that differs from every other of the process.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Owner {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Owner(LAST.fetch_add(1, Relaxed) + 1)
    }
}

pub(super) struct OpenSocket {
    pub closer: Closer,
    pub owner: Owner,
    pub context: usize,
    /// The address of the monitor on it.
    pub monitor: Option<Vec<u8>>,
    /// The inproc endpoints that a PAIR is connected to: monitors, maybe.
    pub reads: Vec<Vec<u8>>,
}

/// A termination under way in a helper thread.
pub(super) struct Ending {
    /// The thread that dropped the context.
    pub thread: usize,
}

#[derive(Default)]
pub(super) struct Open {
    pub sockets: HashMap<u64, OpenSocket>,
    pub contexts: HashMap<usize, Weak<Shared>>,
    pub endings: HashMap<u64, Ending>,
    pub monitors: HashMap<Address, Monitor>,
    last_number: u64,
}

impl Open {
    /// Enters a socket under a number not given before, which it returns.
    pub fn enter(&mut self, handle: &sys::Socket, owner: Owner, context: usize) -> u64 {
        let (number, closer) = (self.number(), handle.closer());
        let entry = OpenSocket {
            closer,
            owner,
            context,
            monitor: None,
            reads: Vec::new(),
        };
        self.sockets.insert(number, entry);
        number
    }

    /// A number not given before.
    pub fn number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    /// Forgets a socket that is about to be closed, and ends its monitors.
    pub fn release(&mut self, number: u64) -> Option<OpenSocket> {
        let socket = self.sockets.remove(&number)?;
        self.end_monitors(&socket);
        Some(socket)
    }

    /// Closes those sockets of this thread that `which` picks, with at most `most_linger` ms of linger when given;
    /// returns how many.
    fn close(&mut self, most_linger: Option<i32>, which: impl Fn(&OpenSocket) -> bool) -> i32 {
        let picked: Vec<u64> = (self.sockets.iter())
            .filter(|(_, socket)| socket.closer.is_here() && which(socket))
            .map(|(&number, _)| number)
            .collect();
        let mut closed = 0;
        for number in picked {
            if let Some(socket) = self.release(number) {
                closed += i32::from(socket.closer.close(most_linger));
            }
        }
        closed
    }
}

#[derive(Default)]
pub(super) struct Registry {
    open: Mutex<Open>,
    /// The context that the whole process shares. Whoever holds this lock may take the other, not the reverse.
    instance: Mutex<Weak<Shared>>,
    /// Told when a termination is over.
    pub ended: Condvar,
}

impl Registry {
    pub fn lock(&self) -> MutexGuard<'_, Open> {
        // Nothing panics while it holds the lock; were it so, the tables are still whole.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Registry {
    pub fn instance(&self) -> MutexGuard<'_, Weak<Shared>> {
        self.instance.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

static CURRENT: Replaceable<Registry> = Replaceable::new();

/// The registry of this process.
pub(super) fn registry() -> &'static Registry {
    CURRENT.get_or(Registry::default)
}

/// In a forked child: forget what the parent has open.
pub(super) fn forget_parents() {
    CURRENT.replace(Registry::default());
}

/// The open socket at `pointer`, if it lives on this thread.
pub(super) fn socket_at(pointer: NonNull<c_void>) -> Option<sys::Socket> {
    registry()
        .lock()
        .sockets
        .values()
        .find_map(|open| open.closer.socket_at(pointer))
}

/// Closes the sockets of `owner` in `context`, as an explicit close does (with at most `most_linger` ms of linger
/// when given); returns how many it closed. Those that live on another thread stay open.
pub(super) fn close_sockets(owner: Owner, context: usize, most_linger: Option<i32>) -> i32 {
    let of = |socket: &OpenSocket| socket.owner == owner && socket.context == context;
    registry().lock().close(most_linger, of)
}

/// Closes every socket that lives on this thread, with at most `most_linger` ms of linger.
pub(super) fn close_thread(most_linger: i32) {
    registry().lock().close(Some(most_linger), |_| true);
}

/// The contexts that are still open.
pub(super) fn contexts() -> Vec<Arc<Shared>> {
    registry()
        .lock()
        .contexts
        .values()
        .filter_map(Weak::upgrade)
        .collect()
}
