//! Options on queues, limits and timeouts of messages.

use crate::schema::option::{bytes, int, text, Access::*, Kind::*, OptionRow, When::*, ROW};

pub(super) const ROWS: &[OptionRow] = &[
    OptionRow {
        name: "hwm",
        number: super::HWM,
        unit: "messages",
        default: "1000",
        when: Anytime,
        doc:
            "Ours, as in lua-zmq: sets sndhwm and rcvhwm; reads their value when they agree, else \
              rcvhwm.",
        test: int("PUSH", 17),
        ..ROW
    },
    OptionRow {
        name: "sndhwm",
        number: 23,
        unit: "messages",
        default: "1000",
        when: Anytime,
        doc: "Most messages waiting to be sent to one peer; 0 means no limit. What happens then \
              depends on the socket type: it blocks or drops.",
        test: int("PUSH", 17),
        ..ROW
    },
    OptionRow {
        name: "rcvhwm",
        number: 24,
        unit: "messages",
        default: "1000",
        when: Anytime,
        doc: "Most messages from one peer waiting to be received; 0 means no limit.",
        test: int("PULL", 17),
        ..ROW
    },
    OptionRow {
        name: "maxmsgsize",
        number: 22,
        kind: I64,
        unit: "bytes",
        default: "-1",
        doc: "Largest message part to accept; a peer that sends a bigger one is disconnected. -1 \
              means no limit.",
        test: int("PULL", 5_000_000_000),
        ..ROW
    },
    OptionRow {
        name: "linger",
        number: 17,
        unit: "ms",
        default: "-1",
        when: Anytime,
        doc:
            "How long unsent messages are kept after close: -1 for ever, 0 not at all; terminating \
              the context waits for that. SUB, XSUB and DISH start with 0, and so do all in a \
              context with blocky 0.",
        test: int("PUSH", 250),
        ..ROW
    },
    OptionRow {
        name: "rcvtimeo",
        number: 27,
        unit: "ms",
        default: "-1",
        when: Anytime,
        doc: "How long recv waits for a message: -1 for ever, 0 not at all.",
        test: int("PULL", 250),
        ..ROW
    },
    OptionRow {
        name: "sndtimeo",
        number: 28,
        unit: "ms",
        default: "-1",
        when: Anytime,
        doc: "How long send waits when the message can't be queued: -1 for ever, 0 not at all.",
        test: int("PUSH", 250),
        ..ROW
    },
    OptionRow {
        name: "immediate",
        number: 39,
        kind: Bool,
        default: "0",
        since: (3, 2, 1),
        aliases: &["delay_attach_on_connect"],
        doc: "1 queues messages only to finished connections, so that none waits for a peer that \
              may never come; with no connection, send blocks.",
        test: int("PUSH", 1),
        ..ROW
    },
    OptionRow {
        name: "conflate",
        number: 54,
        kind: Bool,
        default: "0",
        since: (4, 0, 0),
        sockets: "PULL, PUSH, SUB, PUB, DEALER",
        doc: "1 keeps only the newest message of each queue, whatever the high-water marks. Not \
              for messages of several parts.",
        test: int("PULL", 1),
        ..ROW
    },
    OptionRow {
        name: "hello_msg",
        number: 110,
        kind: Bytes,
        access: WriteOnly,
        since: (4, 3, 3),
        sockets: "DEALER, ROUTER, CLIENT, SERVER, PEER",
        capability: Some("draft"),
        draft: true,
        doc: "A message sent to each new peer by itself; empty for none.",
        test: bytes("DEALER", b"hello\0"),
        ..ROW
    },
    OptionRow {
        name: "disconnect_msg",
        number: 111,
        kind: Bytes,
        access: WriteOnly,
        since: (4, 3, 3),
        sockets: "ROUTER, SERVER, PEER",
        capability: Some("draft"),
        draft: true,
        doc: "A message received, as if from the peer, when an accepted peer's connection ends; \
              empty for none.",
        test: bytes("ROUTER", b"gone\0"),
        ..ROW
    },
    OptionRow {
        name: "hiccup_msg",
        number: 114,
        kind: Bytes,
        access: WriteOnly,
        since: (4, 3, 5),
        sockets: "DEALER, CLIENT, PEER",
        capability: Some("draft"),
        draft: true,
        doc: "A message received, as if from the peer, when a connection that this socket made \
              breaks for a while; empty for none.",
        test: bytes("DEALER", b"hiccup\0"),
        ..ROW
    },
    OptionRow {
        name: "metadata",
        number: 95,
        kind: Strings,
        access: WriteOnly,
        since: (4, 2, 4),
        draft: true,
        doc: "A property \"X-name:value\" that peers can read from each message's metadata; the \
              name begins with X-.",
        test: text("DEALER", "X-key:value"),
        ..ROW
    },
];
