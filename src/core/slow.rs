//! Why a send or receive may not take its fast path: one word for the process, which hot calls look at once.
//!
//! Each bit is for something rare, so that what is common pays one load for all of them.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Calls that a signal interrupts go on, and so note when they began.
pub const RETRY: u32 = 1;
/// A RADIO or DGRAM was made: libzmq does not check what these are asked to send.
pub const WATCH: u32 = 2;
/// A DISH has joined a group too long for libzmq to copy safely, so messages may come with one.
pub const GROUPS: u32 = 4;
/// Strings that were lent came back, and their Lua state is to let go of them.
pub const RETURNED: u32 = 8;

static WHY: AtomicU32 = AtomicU32::new(0);

/// Whether anything asks for the slow path.
#[inline(always)]
pub fn any() -> bool {
    WHY.load(Relaxed) != 0
}

/// Whether `bit` does.
#[inline(always)]
pub fn has(bit: u32) -> bool {
    WHY.load(Relaxed) & bit != 0
}

/// Sets or clears `bit`.
pub fn set(bit: u32, on: bool) {
    match on {
        true => WHY.fetch_or(bit, Relaxed),
        false => WHY.fetch_and(!bit, Relaxed),
    };
}
