//! Native bytes that the objects of Lua programs hold. A collector does not see them, and would let them grow while it
//! sees but small objects; so it is asked to go on each time that they have grown by a certain amount.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Fewer bytes are not counted: the object itself weighs enough.
const LEAST: usize = 4096;

/// By how much they grow until the collector is asked, in bytes.
pub const STEP: usize = 16 << 20;

static ALL: AtomicUsize = AtomicUsize::new(0);
static LIMIT: AtomicUsize = AtomicUsize::new(STEP);

/// What one object holds.
#[derive(Debug, Default)]
pub struct Held(usize);

impl Held {
    /// It holds `size` bytes now. Whether the collector is to be asked to go on.
    #[inline(always)]
    pub fn set(&mut self, size: usize) -> bool {
        if size < LEAST && self.0 == 0 {
            return false;
        }
        self.note(if size < LEAST { 0 } else { size });
        size >= LEAST && is_due()
    }

    #[cold]
    #[inline(never)]
    fn note(&mut self, size: usize) {
        // One atomic step each: others go on meanwhile. Between the two the sum is too large, never too small.
        ALL.fetch_add(size, Relaxed);
        let before = std::mem::replace(&mut self.0, size);
        let all = ALL.fetch_sub(before, Relaxed) - before;
        if size < before {
            LIMIT.fetch_min(all.saturating_add(STEP), Relaxed);
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.set(0);
    }
}

/// Whether the collector is to be asked to go on; then it is to be done by whoever asks.
#[inline]
pub fn is_due() -> bool {
    ALL.load(Relaxed) > LIMIT.load(Relaxed)
}

/// The collector went on.
pub fn collected() {
    LIMIT.store(ALL.load(Relaxed).saturating_add(STEP), Relaxed);
}
