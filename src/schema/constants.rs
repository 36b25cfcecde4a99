//! Named numbers that are neither options nor errors.

use super::events::EVENT_CONSTANTS;

/// What a constant is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Socket types.
    SocketType,
    /// Flags of send and recv.
    SendFlag,
    /// Poll masks and units.
    Poll,
    /// Values of the `mechanism` option.
    Mechanism,
    /// Values of the GSSAPI name type options.
    GssapiNameType,
    /// Monitor events and masks of them.
    Event,
    /// Values of the handshake_failed_protocol event.
    ProtocolError,
    /// Flags of the `router_notify` option.
    RouterNotify,
    /// Flags of the `reconnect_stop` option.
    ReconnectStop,
    /// Values of the `norm_mode` option.
    NormMode,
    /// Device types.
    Device,
    /// Limits and defaults.
    Limit,
}

/// One constant.
#[derive(Clone, Copy, Debug)]
pub struct Constant {
    /// libzmq's name without `ZMQ_`.
    pub name: &'static str,
    /// Its value.
    pub value: i64,
    /// What it is for.
    pub group: Group,
    /// Whether it belongs to the draft API.
    pub draft: bool,
    /// One sentence.
    pub doc: &'static str,
}

/// The constant of that name, in any ASCII case, with or without `ZMQ_`.
pub fn constant(name: &str) -> Option<&'static Constant> {
    let name = super::bare(name);
    CONSTANTS
        .iter()
        .find(|row| row.name.eq_ignore_ascii_case(name))
}

/// The name of a `PROTOCOL_ERROR_` constant without that, in lower case, as an event's value tells it.
pub fn protocol_error(value: i64) -> Option<String> {
    CONSTANTS
        .iter()
        .find(|row| row.group == Group::ProtocolError && row.value == value)
        .map(|row| row.name.replace("PROTOCOL_ERROR_", "").to_ascii_lowercase())
}

/// The number of a socket type, in any ASCII case, with or without `ZMQ_`.
pub fn socket_type(name: &str) -> Option<i32> {
    constant(name)
        .filter(|row| row.group == Group::SocketType)
        .map(|row| row.value as i32)
}

/// The name of a socket type in upper case; never one of the old names XREQ and XREP.
pub fn socket_type_name(number: i32) -> Option<&'static str> {
    let mut types = CONSTANTS
        .iter()
        .filter(|row| row.group == Group::SocketType);
    types
        .find(|row| row.value == i64::from(number))
        .map(|row| row.name)
}

/// Every constant. Of several names for one value in a group the usual one comes first.
pub static CONSTANTS: &[Constant] = &super::join::<Constant, { PLAIN.len() + EVENT_CONSTANTS.len() }>(
    PLAIN[0],
    &[PLAIN, EVENT_CONSTANTS],
);

const fn stable(name: &'static str, value: i64, group: Group, doc: &'static str) -> Constant {
    Constant {
        name,
        value,
        group,
        draft: false,
        doc,
    }
}

const fn draft(name: &'static str, value: i64, group: Group, doc: &'static str) -> Constant {
    Constant {
        name,
        value,
        group,
        draft: true,
        doc,
    }
}

use Group::*;

/// All but the events, whose home is `events.rs`.
#[rustfmt::skip]
const PLAIN: &[Constant] = &[
    stable("PAIR", 0, SocketType, "One peer, both ways; mostly between threads over inproc."),
    stable("PUB", 1, SocketType, "Sends to every subscriber that wants the topic."),
    stable("SUB", 2, SocketType, "Receives what it subscribed to."),
    stable("REQ", 3, SocketType, "Sends a request, then receives the reply, in turn."),
    stable("REP", 4, SocketType, "Receives a request, then sends the reply, in turn."),
    stable("DEALER", 5, SocketType, "Sends round-robin and receives fairly, in any order."),
    stable("ROUTER", 6, SocketType, "Receives with the sender's routing id first and sends by it."),
    stable("PULL", 7, SocketType, "Receives from PUSH sockets fairly."),
    stable("PUSH", 8, SocketType, "Sends round-robin to PULL sockets."),
    stable("XPUB", 9, SocketType, "PUB that receives the subscriptions as messages."),
    stable("XSUB", 10, SocketType, "SUB that subscribes by sending messages."),
    stable("STREAM", 11, SocketType, "Raw TCP, each part preceded by the connection's routing id."),
    draft("SERVER", 12, SocketType, "Thread-safe ROUTER: the routing id is a number on the message."),
    draft("CLIENT", 13, SocketType, "Thread-safe DEALER for SERVER sockets."),
    draft("RADIO", 14, SocketType, "Sends to the DISH sockets that joined the message's group."),
    draft("DISH", 15, SocketType, "Receives from the groups it joined."),
    draft("GATHER", 16, SocketType, "Thread-safe PULL for SCATTER sockets."),
    draft("SCATTER", 17, SocketType, "Thread-safe PUSH for GATHER sockets."),
    draft("DGRAM", 18, SocketType, "Raw UDP, each message preceded by the address."),
    draft("PEER", 19, SocketType, "SERVER that also connects to other PEER sockets."),
    draft("CHANNEL", 20, SocketType, "Thread-safe PAIR."),
    stable("XREQ", 5, SocketType, "Old name of DEALER."),
    stable("XREP", 6, SocketType, "Old name of ROUTER."),

    stable("DONTWAIT", 1, SendFlag, "Fail with EAGAIN rather than wait."),
    stable("SNDMORE", 2, SendFlag, "More parts of the message follow."),
    stable("NOBLOCK", 1, SendFlag, "Old name of DONTWAIT."),

    stable("POLLIN", 1, Poll, "A message can be received, or a descriptor read."),
    stable("POLLOUT", 2, Poll, "A message can be sent, or a descriptor written."),
    stable("POLLERR", 4, Poll, "A descriptor has an error; sockets never have."),
    stable("POLLPRI", 8, Poll, "A descriptor has urgent data; sockets never have."),
    stable("POLL_MSEC", 1, Poll, "lua-zmq's: how many units of a poll timeout make a millisecond."),

    stable("NULL", 0, Mechanism, "No security."),
    stable("PLAIN", 1, Mechanism, "User name and password in clear."),
    stable("CURVE", 2, Mechanism, "Encryption and authentication by CURVE keys."),
    stable("GSSAPI", 3, Mechanism, "Kerberos through GSSAPI."),
    stable("GSSAPI_NT_HOSTBASED", 0, GssapiNameType, "The name is a service at a host."),
    stable("GSSAPI_NT_USER_NAME", 1, GssapiNameType, "The name is a local user."),
    stable("GSSAPI_NT_KRB5_PRINCIPAL", 2, GssapiNameType, "The name is a Kerberos principal."),

    stable("EVENT_ALL", 0xFFFF, Event, "Mask of all stable events."),
    draft("EVENT_ALL_V1", 0xFFFF, Event, "Mask of all events of version 1."),
    draft("EVENT_ALL_V2", 0x1FFFF, Event, "Mask of all events of version 2."),

    stable("PROTOCOL_ERROR_ZMTP_UNSPECIFIED", 0x1000_0000, ProtocolError,
        "ZMTP: an error without a code of its own."),
    stable("PROTOCOL_ERROR_ZMTP_UNEXPECTED_COMMAND", 0x1000_0001, ProtocolError,
        "ZMTP: a command that the mechanism doesn't expect now."),
    stable("PROTOCOL_ERROR_ZMTP_INVALID_SEQUENCE", 0x1000_0002, ProtocolError,
        "ZMTP: a message out of order; replayed messages look like this."),
    stable("PROTOCOL_ERROR_ZMTP_KEY_EXCHANGE", 0x1000_0003, ProtocolError,
        "ZMTP: the peers could not agree on keys."),
    stable("PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_UNSPECIFIED", 0x1000_0011, ProtocolError,
        "ZMTP: a malformed command without a code of its own."),
    stable("PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_MESSAGE", 0x1000_0012, ProtocolError,
        "ZMTP: a malformed MESSAGE command."),
    stable("PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_HELLO", 0x1000_0013, ProtocolError,
        "ZMTP: a malformed HELLO command."),
    stable("PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_INITIATE", 0x1000_0014, ProtocolError,
        "ZMTP: a malformed INITIATE command."),
    stable("PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_ERROR", 0x1000_0015, ProtocolError,
        "ZMTP: a malformed ERROR command."),
    stable("PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_READY", 0x1000_0016, ProtocolError,
        "ZMTP: a malformed READY command."),
    stable("PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_WELCOME", 0x1000_0017, ProtocolError,
        "ZMTP: a malformed WELCOME command."),
    stable("PROTOCOL_ERROR_ZMTP_INVALID_METADATA", 0x1000_0018, ProtocolError,
        "ZMTP: metadata that can't be read, or socket types that don't fit."),
    stable("PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC", 0x1100_0001, ProtocolError,
        "ZMTP: a box that doesn't open; the keys differ."),
    stable("PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH", 0x1100_0002, ProtocolError,
        "ZMTP: the peers use different security mechanisms."),
    stable("PROTOCOL_ERROR_ZAP_UNSPECIFIED", 0x2000_0000, ProtocolError,
        "ZAP: an error without a code of its own."),
    stable("PROTOCOL_ERROR_ZAP_MALFORMED_REPLY", 0x2000_0001, ProtocolError,
        "ZAP: a malformed reply."),
    stable("PROTOCOL_ERROR_ZAP_BAD_REQUEST_ID", 0x2000_0002, ProtocolError,
        "ZAP: a reply to another request."),
    stable("PROTOCOL_ERROR_ZAP_BAD_VERSION", 0x2000_0003, ProtocolError,
        "ZAP: a reply of another version."),
    stable("PROTOCOL_ERROR_ZAP_INVALID_STATUS_CODE", 0x2000_0004, ProtocolError,
        "ZAP: a status that is not 200, 300, 400 or 500."),
    stable("PROTOCOL_ERROR_ZAP_INVALID_METADATA", 0x2000_0005, ProtocolError,
        "ZAP: metadata that can't be read."),
    stable("PROTOCOL_ERROR_WS_UNSPECIFIED", 0x3000_0000, ProtocolError,
        "WebSocket: the handshake failed."),

    draft("NOTIFY_CONNECT", 1, RouterNotify, "An empty message tells that a peer connected."),
    draft("NOTIFY_DISCONNECT", 2, RouterNotify, "An empty message tells that a peer left."),

    draft("RECONNECT_STOP_CONN_REFUSED", 1, ReconnectStop, "Give up when refused."),
    draft("RECONNECT_STOP_HANDSHAKE_FAILED", 2, ReconnectStop, "Give up when the handshake fails."),
    draft("RECONNECT_STOP_AFTER_DISCONNECT", 4, ReconnectStop, "Give up after disconnect()."),

    draft("NORM_FIXED", 0, NormMode, "Fixed rate, that of the rate option."),
    draft("NORM_CC", 1, NormMode, "Congestion control that is fair to TCP."),
    draft("NORM_CCL", 2, NormMode, "Congestion control that bears losses."),
    draft("NORM_CCE", 3, NormMode, "Congestion control that heeds ECN."),
    draft("NORM_CCE_ECNONLY", 4, NormMode, "Congestion control that heeds nothing but ECN."),

    stable("STREAMER", 1, Device, "Device between PULL and PUSH."),
    stable("FORWARDER", 2, Device, "Device between XSUB and XPUB."),
    stable("QUEUE", 3, Device, "Device between ROUTER and DEALER."),

    stable("IO_THREADS_DFLT", 1, Limit, "Default of io_threads."),
    stable("MAX_SOCKETS_DFLT", 1023, Limit, "Default of max_sockets."),
    stable("THREAD_PRIORITY_DFLT", -1, Limit, "Default of thread_priority."),
    stable("THREAD_SCHED_POLICY_DFLT", -1, Limit, "Default of thread_sched_policy."),
    stable("POLLITEMS_DFLT", 16, Limit, "How many items libzmq polls without allocating."),
    stable("GROUP_MAX_LENGTH", 255, Limit, "Longest group name of RADIO and DISH, in bytes."),
    draft("CURRENT_EVENT_VERSION", 1, Limit, "Version of monitor events that is stable."),
    draft("CURRENT_EVENT_VERSION_DRAFT", 2, Limit, "Version of monitor events in the draft API."),
];
