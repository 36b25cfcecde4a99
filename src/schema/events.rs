//! What a socket monitor reports: zmq_socket_monitor(3), zmq_socket_monitor_versioned(3).

use super::constants::{Constant, Group};

/// What the number that comes with an event means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventValue {
    /// The connection's file descriptor, which may be closed or reused already.
    Fd,
    /// An errno.
    Errno,
    /// Milliseconds until the next try.
    Interval,
    /// One of the `PROTOCOL_ERROR_` constants.
    ProtocolError,
    /// The status code of the ZAP handler: 300, 400 or 500.
    ZapStatus,
    /// Two numbers (v2 only): messages in the outbound and in the inbound queue.
    PipesStats,
    /// Nothing.
    None,
}

/// One event.
#[derive(Clone, Copy, Debug)]
pub struct EventRow {
    /// libzmq's name in lower case without `ZMQ_EVENT_`.
    pub name: &'static str,
    /// Its bit; masks are made of these.
    pub number: u64,
    /// Meaning of the number that comes with it.
    pub value: EventValue,
    /// Whether it belongs to the draft API.
    pub draft: bool,
    /// One sentence.
    pub doc: &'static str,
}

/// The event of that name, in any ASCII case, with or without `ZMQ_EVENT_` or `EVENT_`.
pub fn event(name: &str) -> Option<&'static EventRow> {
    let name = super::bare(name);
    let name = match name.get(..6) {
        Some(prefix) if prefix.eq_ignore_ascii_case("EVENT_") => &name[6..],
        _ => name,
    };
    EVENTS
        .iter()
        .find(|row| row.name.eq_ignore_ascii_case(name))
}

/// The event of that number.
pub fn event_by_number(number: u64) -> Option<&'static EventRow> {
    EVENTS.iter().find(|row| row.number == number)
}

/// Makes of each line a row and the constant of the same event.
macro_rules! events {
    ($($upper:ident $name:literal $number:literal $value:ident $draft:literal $doc:literal;)*) => {
        /// Every event.
        pub static EVENTS: &[EventRow] = &[$(EventRow {
            name: $name,
            number: $number,
            value: EventValue::$value,
            draft: $draft,
            doc: $doc,
        }),*];

        /// `EVENT_CONNECTED` and so on, for `CONSTANTS`.
        pub(super) const EVENT_CONSTANTS: &[Constant] = &[$(Constant {
            name: concat!("EVENT_", stringify!($upper)),
            value: $number,
            group: Group::Event,
            draft: $draft,
            doc: $doc,
        }),*];
    };
}

events! {
    CONNECTED "connected" 0x0001 Fd false "A connection to a peer was made.";
    CONNECT_DELAYED "connect_delayed" 0x0002 None false "A connection is being made.";
    CONNECT_RETRIED "connect_retried" 0x0004 Interval false
        "Connecting failed and will be tried again.";
    LISTENING "listening" 0x0008 Fd false "The socket was bound and listens.";
    BIND_FAILED "bind_failed" 0x0010 Errno false "The socket could not be bound.";
    ACCEPTED "accepted" 0x0020 Fd false "A peer's connection was accepted.";
    ACCEPT_FAILED "accept_failed" 0x0040 Errno false "A peer's connection could not be accepted.";
    CLOSED "closed" 0x0080 Fd false "A connection or listener was closed.";
    CLOSE_FAILED "close_failed" 0x0100 Errno false "Closing failed (ipc only).";
    DISCONNECTED "disconnected" 0x0200 Fd false "A connection broke.";
    MONITOR_STOPPED "monitor_stopped" 0x0400 None false "Monitoring ended; no event follows.";
    HANDSHAKE_FAILED_NO_DETAIL "handshake_failed_no_detail" 0x0800 Errno false
        "The handshake failed for a reason ZMTP has no code for.";
    HANDSHAKE_SUCCEEDED "handshake_succeeded" 0x1000 None false
        "The handshake ended well: the connection carries messages from now on.";
    HANDSHAKE_FAILED_PROTOCOL "handshake_failed_protocol" 0x2000 ProtocolError false
        "The handshake failed because a peer or the ZAP handler broke the protocol.";
    HANDSHAKE_FAILED_AUTH "handshake_failed_auth" 0x4000 ZapStatus false
        "The ZAP handler refused the peer.";
    PIPES_STATS "pipes_stats" 0x10000 PipesStats true
        "Queue lengths of one connection, sent after zmq_socket_monitor_pipes_stats.";
}
