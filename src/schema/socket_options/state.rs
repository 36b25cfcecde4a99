//! Options that tell what a socket is and does; all can only be read.

use crate::schema::option::{unset, Access::*, Kind::*, OptionRow, When::*, ROW};

/// For all of them.
const READ: OptionRow = OptionRow {
    access: ReadOnly,
    when: Anytime,
    test: unset("PULL"),
    ..ROW
};

pub(super) const ROWS: &[OptionRow] = &[
    OptionRow {
        name: "type",
        number: 16,
        doc: "The socket's type as a number.",
        ..READ
    },
    OptionRow {
        name: "rcvmore",
        number: 13,
        kind: Bool,
        default: "0",
        doc: "1 if the part received last has another part after it.",
        ..READ
    },
    OptionRow {
        name: "fd",
        number: 14,
        kind: Fd,
        doc:
            "A descriptor for the program's own event loop. Readable means only that `events` may \
              have changed and has to be read; thread-safe sockets have none.",
        ..READ
    },
    OptionRow {
        name: "events",
        number: 15,
        unit: "POLLIN, POLLOUT",
        doc: "Whether a message can be received (POLLIN) or sent (POLLOUT) now.",
        ..READ
    },
    OptionRow {
        name: "last_endpoint",
        number: 32,
        kind: Str,
        since: (3, 2, 1),
        doc: "The endpoint bound or connected last, with the port that a wildcard got.",
        ..READ
    },
    OptionRow {
        name: "mechanism",
        number: 43,
        default: "0",
        since: (4, 0, 0),
        doc: "The security mechanism, which follows from the security options set last: NULL, \
              PLAIN, CURVE or GSSAPI.",
        ..READ
    },
    OptionRow {
        name: "thread_safe",
        number: 81,
        kind: Bool,
        since: (4, 2, 0),
        doc: "1 if the socket may be used by several threads at once, as SERVER and the later \
              draft types may.",
        ..READ
    },
    OptionRow {
        name: "topics_count",
        number: 116,
        unit: "topics",
        default: "0",
        since: (4, 3, 5),
        sockets: "PUB, XPUB, SUB, XSUB",
        draft: true,
        doc: "How many topics peers subscribed to (PUB, XPUB), or this socket did (SUB, XSUB).",
        test: unset("PUB"),
        ..READ
    },
];
