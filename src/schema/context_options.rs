//! Context options: zmq_ctx_set(3), zmq_ctx_get(3) and their `_ext` forms.

use super::option::{int, is_named, text, unset, Access::*, Kind::*, OptionRow, When::*, ROW};

/// The option of that name, in any ASCII case, with or without `ZMQ_`.
pub fn context_option(name: &str) -> Option<&'static OptionRow> {
    let name = super::bare(name);
    CONTEXT_OPTIONS.iter().find(|row| is_named(row, name))
}

/// The option of that number as `zmq_ctx_get` understands it: 3 is `socket_limit`.
pub fn context_option_by_number(number: i32) -> Option<&'static OptionRow> {
    CONTEXT_OPTIONS.iter().find(|row| row.number == number)
}

/// The option of that number as `zmq_ctx_set` understands it: 3 is `thread_priority`.
pub fn context_option_to_set(number: i32) -> Option<&'static OptionRow> {
    let mut same = CONTEXT_OPTIONS.iter().filter(|row| row.number == number);
    same.clone()
        .find(|row| row.access != ReadOnly)
        .or_else(|| same.next())
}

/// Every context option. Where two share a number, the one that can be read comes first.
pub static CONTEXT_OPTIONS: &[OptionRow] = &[
    OptionRow {
        name: "io_threads",
        number: 1,
        default: "1",
        since: (3, 2, 1),
        when: BeforeSocket,
        doc: "Number of I/O threads, from 0 up; 0 is enough when only inproc is used.",
        test: int("", 2),
        ..ROW
    },
    OptionRow {
        name: "max_sockets",
        number: 2,
        unit: "sockets",
        default: "1023",
        since: (3, 2, 1),
        when: BeforeSocket,
        doc: "How many sockets may be open at once; at most socket_limit.",
        test: int("", 64),
        ..ROW
    },
    OptionRow {
        name: "socket_limit",
        number: 3,
        access: ReadOnly,
        unit: "sockets",
        since: (4, 1, 0),
        when: Anytime,
        doc: "The largest value max_sockets accepts.",
        test: unset(""),
        ..ROW
    },
    OptionRow {
        name: "thread_priority",
        number: 3,
        access: WriteOnly,
        default: "-1",
        since: (4, 1, 0),
        when: BeforeSocket,
        doc: "Scheduling priority of the I/O threads, for the policies that have one. With the \
              others a value above 0 asks for the highest nice value, which libzmq aborts over \
              when the system forbids it.",
        test: int("", 0),
        ..ROW
    },
    OptionRow {
        // -1 is its default, so a result of -1 is an error only if errno is set too.
        name: "thread_sched_policy",
        number: 4,
        default: "-1",
        since: (4, 1, 0),
        when: BeforeSocket,
        doc: "Scheduling policy of the I/O threads, a SCHED_ number of the system; -1 leaves it \
              alone. libzmq aborts when the system forbids the policy.",
        test: int("", 0),
        ..ROW
    },
    OptionRow {
        name: "max_msgsz",
        number: 5,
        unit: "bytes",
        default: "2147483647",
        since: (4, 2, 0),
        when: Anytime,
        doc: "Meant as a limit on messages sent, which libzmq stores but doesn't heed. The socket \
              option maxmsgsize limits what is received.",
        test: int("", 1_000_000),
        ..ROW
    },
    OptionRow {
        name: "msg_t_size",
        number: 6,
        access: ReadOnly,
        unit: "bytes",
        default: "64",
        since: (4, 3, 0),
        when: Anytime,
        doc: "Size of zmq_msg_t.",
        test: unset(""),
        ..ROW
    },
    OptionRow {
        name: "thread_affinity_cpu_add",
        number: 7,
        access: WriteOnly,
        default: "not set",
        since: (4, 3, 0),
        when: BeforeSocket,
        doc: "Adds a CPU to those on which the I/O threads may run; none added means any.",
        test: int("", 0),
        ..ROW
    },
    OptionRow {
        // No test value: libzmq refuses a CPU that was not added.
        name: "thread_affinity_cpu_remove",
        number: 8,
        access: WriteOnly,
        default: "not set",
        since: (4, 3, 0),
        when: BeforeSocket,
        doc: "Takes back a CPU given with thread_affinity_cpu_add.",
        test: unset(""),
        ..ROW
    },
    OptionRow {
        // zmq_ctx_set takes a number only and zmq_ctx_set_ext takes any 4 bytes for one, so text
        // of 4 characters has to be set with its NUL. Reading copies the bytes without a NUL and
        // without telling their count: zero the buffer first, and don't offer 4 bytes.
        name: "thread_name_prefix",
        number: 9,
        kind: Str,
        since: (4, 3, 0),
        when: BeforeSocket,
        doc: "Put before the names of the I/O threads: up to 15 characters, of which the system \
              shows what fits into 15 with the rest of the name.",
        test: text("", "app"),
        ..ROW
    },
    OptionRow {
        name: "zero_copy_recv",
        number: 10,
        kind: Bool,
        default: "1",
        since: (4, 2, 4),
        when: NewSockets,
        draft: true,
        doc: "Whether received messages refer to the receive buffer rather than being copied from \
              it. Faster for big messages, though a kept one keeps the whole buffer.",
        test: int("", 0),
        ..ROW
    },
    OptionRow {
        name: "ipv6",
        number: 42,
        kind: Bool,
        default: "0",
        since: (4, 0, 0),
        when: NewSockets,
        doc: "The ipv6 option that new sockets start with.",
        test: int("", 1),
        ..ROW
    },
    OptionRow {
        name: "blocky",
        number: 70,
        kind: Bool,
        default: "1",
        since: (4, 2, 0),
        when: NewSockets,
        doc: "0 makes new sockets start with linger 0, so that terminating the context doesn't \
              wait for messages that nobody takes.",
        test: int("", 0),
        ..ROW
    },
];
