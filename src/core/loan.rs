//! Strings lent to libzmq: handed over where they are, without a copy. The Lua state that owns them keeps them until
//! they come back, which only a call that has the state at hand can look after: calls that have not answer `ASKS_LUA`.
//! Must not know how a Lua state keeps a string.

use super::error::{Error, Result};
use super::tag::{Kind, State};
use super::{slow, Socket};
use crate::sys::{self, Errno, Loans};
use std::sync::Arc;

/// What a call answers that can't go on without its Lua state, before it did anything. No system call returns it.
pub const ASKS_LUA: Errno = Errno(libc::ERESTART);

/// From which size on strings are lent unless the context says otherwise, in bytes: below, a copy takes less time.
pub const THRESHOLD: usize = 32 * 1024;

/// What a new Lua state lends by.
pub fn new_loans() -> Arc<Loans> {
    Loans::new(|| slow::set(slow::RETURNED, true))
}

/// To be called when loans were taken back: ends the slow path if nobody's wait any more.
pub fn taken_back() {
    if !sys::loans_wait() {
        slow::set(slow::RETURNED, false);
        // One may have come back in between.
        if sys::loans_wait() {
            slow::set(slow::RETURNED, true);
        }
    }
}

impl Socket {
    /// Lends strings of the Lua state that has these loans.
    pub fn lend_by(&mut self, loans: Arc<Loans>) {
        self.lend_from = (self.context()).map_or(THRESHOLD, |context| context.lend_from());
        self.loans = Some(loans);
    }

    /// What its Lua state has lent.
    pub fn loans(&self) -> Option<&Arc<Loans>> {
        self.loans.as_ref()
    }

    /// Whether a string of `size` bytes is to be lent.
    #[inline(always)]
    pub fn lends(&self, size: usize) -> bool {
        size >= self.lend_from
    }

    /// Whether strings came back for the Lua state to let go of.
    pub(super) fn asks_lua(&self) -> bool {
        if !slow::has(slow::RETURNED) {
            return false;
        }
        let asks = self.loans.as_ref().is_some_and(|loans| loans.wait());
        if !asks {
            taken_back();
        }
        asks
    }

    /// Adds a part that was lent to those for `send_gathered`; ENOMEM.
    pub fn add_lent(&mut self, part: sys::Message) -> Result<()> {
        let outgoing = &mut self.parts.outgoing;
        (outgoing.try_reserve(1)).map_err(|_| Error::from(Errno(libc::ENOMEM)))?;
        outgoing.push(part);
        Ok(())
    }

    /// Forgets the parts that were gathered.
    pub fn ungather(&mut self) {
        self.parts.outgoing.clear();
    }
}

/// Tells when libzmq has let go of a string: the payload of a tracker object.
#[repr(C)]
pub struct Tracker {
    tag: u64,
    event: Arc<sys::Event>,
}

impl Tracker {
    /// For a string that is about to be lent.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Tracker {
        Tracker {
            tag: Kind::Tracker.live(),
            event: Arc::default(),
        }
    }

    /// Live, or the parent's.
    pub fn state(&self) -> State {
        Kind::Tracker.state(self.tag)
    }

    /// What is set then.
    pub fn event(&self) -> &Arc<sys::Event> {
        &self.event
    }
}
