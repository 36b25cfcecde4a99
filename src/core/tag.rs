//! The 64-bit tag at the start of every payload: one compare tells a live object of this process.
//!
//! The live tag of sockets, contexts and pollers holds the fork generation, so that after a fork the parent's objects no
//! longer match. A tag that doesn't match is looked at again, slowly, to say why.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const SOCKET: u64 = 0x7a6d_7173_0000_0000;
const CONTEXT: u64 = 0x7a6d_7163_0000_0000;
const POLLER: u64 = 0x7a6d_7170_0000_0000;
/// Live messages; they are values, so a fork does not end them.
pub const MESSAGE: u64 = 0x7a6d_716d_0000_0000;
const TIMERS: u64 = 0x7a6d_7174_0000_0000;
/// Live buffers: values as well.
pub const BUFFER: u64 = 0x7a6d_7162_0000_0000;
const TRACKER: u64 = 0x7a6d_7177_0000_0000;
const THREAD: u64 = 0x7a6d_7172_0000_0000;
const KIND: u64 = 0xffff_ffff_0000_0000;
const GENERATION: u64 = 0x0000_0000_7fff_ffff;
const CLOSED: u64 = 0x0000_0000_8000_0000;

static SOCKET_LIVE: AtomicU64 = AtomicU64::new(SOCKET);

/// Why an object can or can't be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Ready.
    Live,
    /// Closed or terminated.
    Closed,
    /// Made before a fork, in the parent.
    Parents,
    /// Another kind of object.
    Other,
}

/// What a payload is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A `core::Socket`.
    Socket,
    /// A `core::Context`.
    Context,
    /// A `core::Message`.
    Message,
    /// A `core::Timers`.
    Timers,
    /// A `core::Thread`.
    Thread,
    /// A `core::Poller`.
    Poller,
    /// A `core::Buffer`.
    Buffer,
    /// A `core::Tracker`.
    Tracker,
}

impl Kind {
    fn base(self) -> u64 {
        match self {
            Kind::Socket => SOCKET,
            Kind::Context => CONTEXT,
            Kind::Message => MESSAGE,
            Kind::Timers => TIMERS,
            Kind::Thread => THREAD,
            Kind::Poller => POLLER,
            Kind::Buffer => BUFFER,
            Kind::Tracker => TRACKER,
        }
    }

    /// Whether it is plain memory, which a fork does not end.
    fn is_value(self) -> bool {
        matches!(self, Kind::Message | Kind::Buffer)
    }

    /// The tag of a live object of this kind made now.
    pub fn live(self) -> u64 {
        match self.is_value() {
            true => self.base(),
            false => self.base() | generation(),
        }
    }

    /// The state that `tag` tells for an object of this kind.
    pub fn state(self, tag: u64) -> State {
        if tag & KIND != self.base() {
            State::Other
        } else if tag & CLOSED != 0 {
            State::Closed
        } else if !self.is_value() && tag & GENERATION != generation() {
            State::Parents
        } else {
            State::Live
        }
    }
}

/// The tag of a live socket of this process: the hot check is one compare with it.
#[inline(always)]
pub fn live_socket() -> u64 {
    SOCKET_LIVE.load(Relaxed)
}

/// The same tag, marked closed.
pub fn closed(tag: u64) -> u64 {
    tag | CLOSED
}

/// How many forks lie between the process that loaded rzmq and this one.
pub fn generation() -> u64 {
    SOCKET_LIVE.load(Relaxed) & GENERATION
}

/// In a forked child: every object made so far belongs to the parent.
pub fn next_generation() {
    SOCKET_LIVE.store(SOCKET | ((generation() + 1) & GENERATION), Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_tells_kind_and_state() {
        let tag = Kind::Socket.live();
        assert_eq!(tag, live_socket());
        assert_eq!(Kind::Socket.state(tag), State::Live);
        assert_eq!(Kind::Socket.state(closed(tag)), State::Closed);
        assert_eq!(Kind::Context.state(tag), State::Other);
        assert_eq!(Kind::Socket.state(tag + 1), State::Parents);
        assert_eq!(Kind::Message.state(closed(MESSAGE)), State::Closed);
    }
}
