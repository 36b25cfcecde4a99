//! Options of single socket types: what subscribers, routers, requesters and streams do.

use crate::schema::option::{bytes, int, text, Access::*, Kind::*, OptionRow, When::*, ROW};

pub(super) const ROWS: &[OptionRow] = &[
    OptionRow {
        name: "routing_id",
        number: 5,
        kind: Bytes,
        sockets: "REQ, REP, ROUTER, DEALER",
        aliases: &["identity"],
        doc:
            "The name by which a peer ROUTER knows this socket: 1 to 255 bytes, of which the first \
              is not 0. Without one, the ROUTER makes one up.",
        test: bytes("DEALER", b"me\0"),
        ..ROW
    },
    OptionRow {
        name: "connect_routing_id",
        number: 61,
        kind: Bytes,
        access: WriteOnly,
        since: (4, 1, 0),
        sockets: "ROUTER, STREAM",
        when: NextConnect,
        aliases: &["connect_rid"],
        doc: "The routing id for the peer of the next connect, so that it can be sent to at once: \
              1 to 255 bytes, of which the first is not 0, and not in use.",
        test: bytes("ROUTER", b"peer\0"),
        ..ROW
    },
    OptionRow {
        name: "subscribe",
        number: 6,
        kind: Strings,
        access: WriteOnly,
        sockets: "SUB, XPUB",
        when: Anytime,
        doc: "Subscribes to messages that begin with these bytes; \"\" means all. Subscriptions \
              are counted. On XPUB with xpub_manual it answers the subscription received last.",
        test: text("SUB", "topic"),
        ..ROW
    },
    OptionRow {
        name: "unsubscribe",
        number: 7,
        kind: Strings,
        access: WriteOnly,
        sockets: "SUB, XPUB",
        when: Anytime,
        doc: "Takes back one subscription to these bytes.",
        test: text("SUB", "topic"),
        ..ROW
    },
    OptionRow {
        name: "invert_matching",
        number: 74,
        kind: Bool,
        default: "0",
        since: (4, 2, 0),
        sockets: "PUB, XPUB, SUB",
        when: Anytime,
        doc: "1 delivers the messages that match no subscription rather than those that do; all \
              sockets that take part need it.",
        test: int("PUB", 1),
        ..ROW
    },
    OptionRow {
        name: "only_first_subscribe",
        number: 108,
        kind: Bool,
        access: WriteOnly,
        default: "0",
        since: (4, 3, 3),
        sockets: "XPUB, XSUB",
        when: Anytime,
        draft: true,
        doc: "1 takes only the first part of a message for a subscription; the others are plain \
              data, whatever they begin with.",
        test: int("XPUB", 1),
        ..ROW
    },
    OptionRow {
        name: "xpub_verbose",
        number: 40,
        kind: Bool,
        access: WriteOnly,
        default: "0",
        since: (3, 2, 1),
        sockets: "XPUB",
        when: Anytime,
        doc: "1 passes every subscription to the program, not only the first to a topic.",
        test: int("XPUB", 1),
        ..ROW
    },
    OptionRow {
        name: "xpub_verboser",
        number: 78,
        kind: Bool,
        access: WriteOnly,
        default: "0",
        since: (4, 2, 0),
        sockets: "XPUB",
        when: Anytime,
        doc: "1 passes every subscription and unsubscription to the program, not only a topic's \
              first and last.",
        test: int("XPUB", 1),
        ..ROW
    },
    OptionRow {
        name: "xpub_nodrop",
        number: 69,
        kind: Bool,
        access: WriteOnly,
        default: "0",
        since: (4, 1, 0),
        sockets: "XPUB, PUB, RADIO",
        when: Anytime,
        doc: "1 makes send wait or fail with EAGAIN at the high-water mark instead of dropping.",
        test: int("XPUB", 1),
        ..ROW
    },
    OptionRow {
        name: "xpub_manual",
        number: 71,
        kind: Bool,
        access: WriteOnly,
        default: "0",
        since: (4, 2, 0),
        sockets: "XPUB",
        when: Anytime,
        doc: "1 leaves it to the program to grant each subscription it receives with subscribe \
              and unsubscribe.",
        test: int("XPUB", 1),
        ..ROW
    },
    OptionRow {
        name: "xpub_manual_last_value",
        number: 98,
        kind: Bool,
        access: WriteOnly,
        default: "0",
        since: (4, 3, 2),
        sockets: "XPUB",
        when: Anytime,
        draft: true,
        doc:
            "As xpub_manual; in addition, a message sent right after granting a subscription goes \
              to that subscriber alone, as a last-value cache needs.",
        test: int("XPUB", 1),
        ..ROW
    },
    OptionRow {
        name: "xpub_welcome_msg",
        number: 72,
        kind: Bytes,
        access: WriteOnly,
        since: (4, 2, 0),
        sockets: "XPUB",
        doc: "A message sent to each new subscriber, which must have subscribed to it; empty for \
              none.",
        test: bytes("XPUB", b"welcome\0"),
        ..ROW
    },
    OptionRow {
        name: "xsub_verbose_unsubscribe",
        number: 115,
        kind: Bool,
        access: WriteOnly,
        default: "0",
        since: (4, 3, 5),
        sockets: "XSUB",
        when: Anytime,
        capability: Some("draft"),
        draft: true,
        doc: "1 passes every unsubscription upstream, not only a topic's last.",
        test: int("XSUB", 1),
        ..ROW
    },
    OptionRow {
        name: "router_mandatory",
        number: 33,
        kind: Bool,
        access: WriteOnly,
        default: "0",
        since: (3, 2, 1),
        sockets: "ROUTER",
        when: Anytime,
        aliases: &["fail_unroutable", "router_behavior"],
        doc: "1 makes send fail with EHOSTUNREACH when the routing id is not connected, and wait \
              at the high-water mark, instead of dropping the message.",
        test: int("ROUTER", 1),
        ..ROW
    },
    OptionRow {
        name: "router_handover",
        number: 56,
        kind: Bool,
        access: WriteOnly,
        default: "0",
        since: (4, 1, 0),
        sockets: "ROUTER",
        when: Anytime,
        doc: "1 gives a routing id that is in use to the newer peer and disconnects the older; 0 \
              refuses the newer.",
        test: int("ROUTER", 1),
        ..ROW
    },
    OptionRow {
        name: "router_raw",
        number: 41,
        kind: Bool,
        access: WriteOnly,
        default: "0",
        since: (4, 0, 0),
        sockets: "ROUTER",
        doc: "1 makes a ROUTER speak raw TCP. Old: STREAM does that.",
        test: int("ROUTER", 1),
        ..ROW
    },
    OptionRow {
        name: "router_notify",
        number: 97,
        unit: "NOTIFY_CONNECT, NOTIFY_DISCONNECT",
        default: "0",
        since: (4, 3, 0),
        sockets: "ROUTER",
        capability: Some("draft"),
        draft: true,
        doc: "Flags that choose whether a peer's coming and going is told by a routing id and an \
              empty part.",
        test: int("ROUTER", 3),
        ..ROW
    },
    OptionRow {
        name: "probe_router",
        number: 51,
        kind: Bool,
        access: WriteOnly,
        default: "0",
        since: (4, 0, 0),
        sockets: "ROUTER, DEALER, REQ",
        when: Anytime,
        doc: "1 sends an empty message on each new connection, so that a ROUTER at the other end \
              learns this socket's routing id.",
        test: int("DEALER", 1),
        ..ROW
    },
    OptionRow {
        name: "req_correlate",
        number: 52,
        kind: Bool,
        access: WriteOnly,
        default: "0",
        since: (4, 0, 0),
        sockets: "REQ",
        when: Anytime,
        doc: "1 sends a number before each request and drops replies that don't bear it.",
        test: int("REQ", 1),
        ..ROW
    },
    OptionRow {
        name: "req_relaxed",
        number: 53,
        kind: Bool,
        access: WriteOnly,
        default: "0",
        since: (4, 0, 0),
        sockets: "REQ",
        when: Anytime,
        doc: "1 allows a new request before the reply, which then is lost; use it with \
              req_correlate.",
        test: int("REQ", 1),
        ..ROW
    },
    OptionRow {
        name: "stream_notify",
        number: 73,
        kind: Bool,
        access: WriteOnly,
        default: "1",
        since: (4, 2, 0),
        sockets: "STREAM",
        doc: "0 leaves out the empty messages that tell of connections made and ended.",
        test: int("STREAM", 0),
        ..ROW
    },
];
