//! Options on multicast: PGM, NORM and UDP.

use crate::schema::option::{int, Kind::*, OptionRow, ROW};

const NORM: OptionRow = OptionRow {
    since: (4, 3, 5),
    capability: Some("norm"),
    draft: true,
    ..ROW
};

pub(super) const ROWS: &[OptionRow] = &[
    OptionRow {
        name: "rate",
        number: 8,
        unit: "kbit/s",
        default: "100",
        doc: "Highest rate of multicast, sending and receiving.",
        test: int("PUB", 1000),
        ..ROW
    },
    OptionRow {
        name: "recovery_ivl",
        number: 9,
        unit: "ms",
        default: "10000",
        doc: "How long a receiver may be away before data is lost for good; at high rates that \
              takes much memory.",
        test: int("PUB", 2000),
        ..ROW
    },
    OptionRow {
        name: "multicast_hops",
        number: 25,
        unit: "hops",
        default: "1",
        doc: "How many networks a multicast packet may cross; 1 means only the local one.",
        test: int("PUB", 3),
        ..ROW
    },
    OptionRow {
        name: "multicast_maxtpdu",
        number: 84,
        unit: "bytes",
        default: "1500",
        since: (4, 2, 0),
        doc: "Largest multicast packet.",
        test: int("PUB", 1400),
        ..ROW
    },
    OptionRow {
        name: "multicast_loop",
        number: 96,
        kind: Bool,
        default: "1",
        since: (4, 3, 0),
        sockets: "RADIO",
        draft: true,
        doc: "0 keeps UDP multicast packets from coming back to the sending machine.",
        test: int("RADIO", 0),
        ..ROW
    },
    OptionRow {
        name: "norm_mode",
        number: 117,
        unit: "NORM_*",
        default: "1",
        doc: "How the sending rate is controlled: one of NORM_FIXED, NORM_CC, NORM_CCL, NORM_CCE \
              and NORM_CCE_ECNONLY.",
        test: int("PUB", 0),
        ..NORM
    },
    OptionRow {
        name: "norm_unicast_nack",
        number: 118,
        kind: Bool,
        default: "0",
        doc: "1 makes receivers ask for repairs by unicast rather than multicast.",
        test: int("SUB", 1),
        ..NORM
    },
    OptionRow {
        name: "norm_buffer_size",
        number: 119,
        unit: "KiB",
        default: "2048",
        doc: "Buffer size of sender, receiver and stream.",
        test: int("PUB", 4096),
        ..NORM
    },
    OptionRow {
        name: "norm_segment_size",
        number: 120,
        unit: "bytes",
        default: "1400",
        doc: "Payload of one packet; up to 48 bytes of headers come on top.",
        test: int("PUB", 1200),
        ..NORM
    },
    OptionRow {
        name: "norm_block_size",
        number: 121,
        unit: "segments",
        default: "16",
        doc: "Segments in a coding block, which is repaired as one; at most 255 with the parity \
              segments.",
        test: int("PUB", 32),
        ..NORM
    },
    OptionRow {
        name: "norm_num_parity",
        number: 122,
        unit: "segments",
        default: "4",
        doc: "Most parity segments computed for a block.",
        test: int("PUB", 8),
        ..NORM
    },
    OptionRow {
        name: "norm_num_autoparity",
        number: 123,
        unit: "segments",
        default: "0",
        doc: "Parity segments sent with each block unasked.",
        test: int("PUB", 2),
        ..NORM
    },
    OptionRow {
        name: "norm_push",
        number: 124,
        kind: Bool,
        default: "0",
        doc: "1 makes a sender drop its oldest messages rather than wait for slow receivers.",
        test: int("PUB", 1),
        ..NORM
    },
];
