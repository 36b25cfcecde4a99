//! Options on connections: reconnecting, heartbeats, TCP, IPC, SOCKS and VMCI.

use crate::schema::option::{int, text, unset, Access::*, Kind::*, OptionRow, ROW};

/// For all of VMCI.
const VMCI: OptionRow = OptionRow {
    since: (4, 2, 0),
    capability: Some("vmci"),
    test: int("PUSH", 4096),
    ..ROW
};

pub(super) const ROWS: &[OptionRow] = &[
    OptionRow {
        name: "affinity",
        number: 4,
        kind: U64,
        unit: "bitmap",
        default: "0",
        doc: "Which I/O threads serve new connections: bit 0 stands for the first. 0 means any.",
        test: int("PUSH", 1),
        ..ROW
    },
    OptionRow {
        name: "backlog",
        number: 19,
        unit: "connections",
        default: "100",
        doc: "Most connections that wait to be accepted, as for listen(2).",
        test: int("PULL", 17),
        ..ROW
    },
    OptionRow {
        name: "sndbuf",
        number: 11,
        unit: "bytes",
        default: "-1",
        doc: "Size of the system's send buffer; -1 leaves it alone.",
        test: int("PUSH", 65536),
        ..ROW
    },
    OptionRow {
        name: "rcvbuf",
        number: 12,
        unit: "bytes",
        default: "-1",
        doc: "Size of the system's receive buffer; -1 leaves it alone.",
        test: int("PULL", 65536),
        ..ROW
    },
    OptionRow {
        name: "in_batch_size",
        number: 101,
        unit: "bytes",
        default: "8192",
        since: (4, 3, 2),
        capability: Some("draft"),
        draft: true,
        doc: "Size of the buffer that one read from a connection fills; 9 or more.",
        test: int("PULL", 65536),
        ..ROW
    },
    OptionRow {
        name: "out_batch_size",
        number: 102,
        unit: "bytes",
        default: "8192",
        since: (4, 3, 2),
        capability: Some("draft"),
        draft: true,
        doc: "Size of the buffer in which small messages are gathered for one write; above 0.",
        test: int("PUSH", 65536),
        ..ROW
    },
    OptionRow {
        name: "reconnect_ivl",
        number: 18,
        unit: "ms",
        default: "100",
        doc: "How long to wait before connecting again; -1 means never again.",
        test: int("PUSH", 250),
        ..ROW
    },
    OptionRow {
        name: "reconnect_ivl_max",
        number: 21,
        unit: "ms",
        default: "0",
        doc: "The wait before connecting again doubles each time up to this; 0 keeps it at \
              reconnect_ivl.",
        test: int("PUSH", 4000),
        ..ROW
    },
    OptionRow {
        name: "reconnect_stop",
        number: 109,
        unit: "RECONNECT_STOP_*",
        default: "0",
        since: (4, 3, 3),
        draft: true,
        doc: "Flags that choose after which failures connecting is given up.",
        test: int("PUSH", 1),
        ..ROW
    },
    OptionRow {
        name: "connect_timeout",
        number: 79,
        unit: "ms",
        default: "0",
        since: (4, 2, 0),
        doc: "How long one try to connect may take over TCP; 0 leaves it to the system.",
        test: int("PUSH", 2000),
        ..ROW
    },
    OptionRow {
        name: "handshake_ivl",
        number: 66,
        unit: "ms",
        default: "30000",
        since: (4, 1, 0),
        doc: "How long the ZMTP handshake may take before the connection is closed; 0 means for \
              ever.",
        test: int("PUSH", 2000),
        ..ROW
    },
    OptionRow {
        name: "heartbeat_ivl",
        number: 75,
        unit: "ms",
        default: "0",
        since: (4, 2, 0),
        doc: "How often to send a ZMTP PING; 0 means never.",
        test: int("PUSH", 250),
        ..ROW
    },
    OptionRow {
        name: "heartbeat_ttl",
        number: 76,
        unit: "ms",
        default: "0",
        since: (4, 2, 0),
        doc: "After how long without traffic the peer shall close the connection; rounded down to \
              tenths of a second, at most 6553599.",
        test: int("PUSH", 2000),
        ..ROW
    },
    OptionRow {
        name: "heartbeat_timeout",
        number: 77,
        unit: "ms",
        default: "-1",
        since: (4, 2, 0),
        doc: "How long after a PING traffic must arrive, else the connection is closed. -1, which \
              can't be set again, means as long as heartbeat_ivl; 0 means for ever.",
        test: int("PUSH", 250),
        ..ROW
    },
    OptionRow {
        name: "ipv6",
        number: 42,
        kind: Bool,
        default: "0",
        since: (4, 0, 0),
        doc: "1 uses IPv6 besides IPv4 for names and addresses.",
        test: int("PUSH", 1),
        ..ROW
    },
    OptionRow {
        name: "ipv4only",
        number: 31,
        kind: Bool,
        default: "1",
        doc: "Old opposite of ipv6.",
        test: int("PUSH", 0),
        ..ROW
    },
    OptionRow {
        name: "tcp_keepalive",
        number: 34,
        default: "-1",
        since: (3, 2, 1),
        doc: "SO_KEEPALIVE: 1 on, 0 off, -1 as the system has it.",
        test: int("PUSH", 1),
        ..ROW
    },
    OptionRow {
        name: "tcp_keepalive_cnt",
        number: 35,
        unit: "probes",
        default: "-1",
        since: (3, 2, 1),
        doc: "TCP_KEEPCNT: unanswered probes before the connection is given up; -1 as the system \
              has it.",
        test: int("PUSH", 5),
        ..ROW
    },
    OptionRow {
        name: "tcp_keepalive_idle",
        number: 36,
        unit: "s",
        default: "-1",
        since: (3, 2, 1),
        doc: "TCP_KEEPIDLE: quiet time before the first probe; -1 as the system has it.",
        test: int("PUSH", 60),
        ..ROW
    },
    OptionRow {
        name: "tcp_keepalive_intvl",
        number: 37,
        unit: "s",
        default: "-1",
        since: (3, 2, 1),
        doc: "TCP_KEEPINTVL: time between probes; -1 as the system has it.",
        test: int("PUSH", 10),
        ..ROW
    },
    OptionRow {
        name: "tcp_maxrt",
        number: 80,
        unit: "ms",
        default: "0",
        since: (4, 2, 0),
        doc: "How long sent data may stay unacknowledged before the connection is given up \
              (TCP_USER_TIMEOUT on Linux); 0 as the system has it.",
        test: int("PUSH", 5000),
        ..ROW
    },
    OptionRow {
        name: "tos",
        number: 57,
        default: "0",
        since: (4, 1, 0),
        doc: "IP_TOS, the DSCP and ECN bits of outgoing packets.",
        test: int("PUSH", 16),
        ..ROW
    },
    OptionRow {
        name: "priority",
        number: 112,
        default: "0",
        since: (4, 3, 4),
        capability: Some("draft"),
        draft: true,
        doc: "SO_PRIORITY, the system's priority of outgoing packets.",
        test: int("PUSH", 3),
        ..ROW
    },
    OptionRow {
        // libzmq 4.3.5 has a case for reading it which fails all the same.
        name: "busy_poll",
        number: 113,
        access: WriteOnly,
        unit: "us",
        default: "0",
        since: (4, 3, 5),
        capability: Some("draft"),
        draft: true,
        doc: "SO_BUSY_POLL: how long the system may spin for data rather than wait for an \
              interrupt; 0 leaves it alone.",
        test: int("PUSH", 1),
        ..ROW
    },
    OptionRow {
        name: "bindtodevice",
        number: 92,
        kind: Str,
        since: (4, 3, 0),
        doc: "Network device for TCP and UDP, such as \"eth0\": at most 15 characters. Needs \
              CAP_NET_RAW on some systems.",
        test: text("PUSH", "lo"),
        ..ROW
    },
    OptionRow {
        // No test value: the number has to be a descriptor of a listening socket of the program.
        name: "use_fd",
        number: 89,
        unit: "descriptor",
        default: "-1",
        since: (4, 2, 0),
        doc: "A listening descriptor that the next bind uses instead of making one, as socket \
              activation needs; -1 for none.",
        test: unset("PULL"),
        ..ROW
    },
    OptionRow {
        name: "tcp_accept_filter",
        number: 38,
        kind: Strings,
        access: WriteOnly,
        since: (3, 2, 1),
        doc: "An address or network, such as \"127.0.0.0/8\", from which TCP connections are \
              accepted; empty accepts all again. Old: ZAP does that.",
        test: text("PULL", "127.0.0.1"),
        ..ROW
    },
    OptionRow {
        name: "ipc_filter_pid",
        number: 58,
        access: WriteOnly,
        since: (4, 1, 0),
        doc: "Adds a process id from which ipc connections are accepted. Old: ZAP does that.",
        test: int("PULL", 1),
        ..ROW
    },
    OptionRow {
        name: "ipc_filter_uid",
        number: 59,
        access: WriteOnly,
        since: (4, 1, 0),
        doc: "Adds a user id from which ipc connections are accepted. Old: ZAP does that.",
        test: int("PULL", 1),
        ..ROW
    },
    OptionRow {
        name: "ipc_filter_gid",
        number: 60,
        access: WriteOnly,
        since: (4, 1, 0),
        doc: "Adds a group id from which ipc connections are accepted. Old: ZAP does that.",
        test: int("PULL", 1),
        ..ROW
    },
    OptionRow {
        name: "loopback_fastpath",
        number: 94,
        kind: Bool,
        default: "0",
        since: (4, 2, 4),
        draft: true,
        doc: "1 uses the faster path for TCP within the machine that Windows has.",
        test: int("PUSH", 1),
        ..ROW
    },
    OptionRow {
        name: "socks_proxy",
        number: 68,
        kind: Str,
        since: (4, 1, 0),
        doc: "Address of a SOCKS5 proxy, \"host:port\", for TCP connects; empty for none.",
        test: text("PUSH", "127.0.0.1:1080"),
        ..ROW
    },
    OptionRow {
        name: "socks_username",
        number: 99,
        kind: Str,
        since: (4, 3, 2),
        draft: true,
        doc: "User name for the SOCKS5 proxy, at most 255 bytes; empty for no authentication.",
        test: text("PUSH", "user"),
        ..ROW
    },
    OptionRow {
        name: "socks_password",
        number: 100,
        kind: Str,
        since: (4, 3, 2),
        draft: true,
        doc: "Password for the SOCKS5 proxy, at most 255 bytes.",
        test: text("PUSH", "secret"),
        ..ROW
    },
    OptionRow {
        name: "vmci_buffer_size",
        number: 85,
        kind: U64,
        unit: "bytes",
        default: "65546",
        doc: "Buffer size of a VMCI connection.",
        ..VMCI
    },
    OptionRow {
        name: "vmci_buffer_min_size",
        number: 86,
        kind: U64,
        unit: "bytes",
        default: "128",
        doc: "Least buffer size that a VMCI peer may ask for.",
        ..VMCI
    },
    OptionRow {
        name: "vmci_buffer_max_size",
        number: 87,
        kind: U64,
        unit: "bytes",
        default: "262144",
        doc: "Greatest buffer size that a VMCI peer may ask for.",
        ..VMCI
    },
    OptionRow {
        name: "vmci_connect_timeout",
        number: 88,
        unit: "ms",
        default: "-1",
        doc: "How long one try to connect may take over VMCI; -1 leaves it to the system.",
        ..VMCI
    },
];
