//! What the platform offers libzmq: one row for each define that its own CMake build would find.
//! Must not know how libzmq is compiled or linked.

use std::io::Write;
use std::process::{Child, Stdio};

/// A row: the define, the headers, and the body of a `main` that compiles where the define holds.
pub type Row = (&'static str, &'static [&'static str], &'static str);

const SOCKET: &[&str] = &["sys/types.h", "sys/socket.h"];
const TCP: &[&str] = &["sys/socket.h", "netinet/in.h", "netinet/tcp.h"];
const THREAD: &[&str] = &["pthread.h"];

#[rustfmt::skip]
const ROWS: &[Row] = &[
    // Descriptors that don't leak into child processes.
    ("ZMQ_HAVE_O_CLOEXEC", &["fcntl.h"], "return O_CLOEXEC;"),
    ("ZMQ_HAVE_SOCK_CLOEXEC", SOCKET, "return SOCK_CLOEXEC;"),
    ("ZMQ_HAVE_EVENTFD", &["sys/eventfd.h"], "return eventfd(0, 0);"),
    ("ZMQ_HAVE_EVENTFD_CLOEXEC", &["sys/eventfd.h"], "return eventfd(0, EFD_CLOEXEC);"),
    ("ZMQ_IOTHREAD_POLLER_USE_EPOLL_CLOEXEC", &["sys/epoll.h"], "return epoll_create1(EPOLL_CLOEXEC);"),
    ("HAVE_ACCEPT4", SOCKET, "return accept4(0, 0, 0, 0);"),
    // Addresses and interfaces.
    ("ZMQ_HAVE_IFADDRS", &["ifaddrs.h"], "ifaddrs *list; return getifaddrs(&list);"),
    ("HAVE_IF_NAMETOINDEX", &["net/if.h"], "return if_nametoindex(\"lo\");"),
    ("ZMQ_HAVE_SO_BINDTODEVICE", SOCKET, "return SO_BINDTODEVICE;"),
    ("ZMQ_HAVE_TIPC", &["sys/socket.h", "linux/tipc.h"],
     "sockaddr_tipc to; to.addr.name.name.type = TIPC_TOP_SRV; return tipc_addr(0, 0, PF_TIPC);"),
    ("ZMQ_HAVE_UIO", &["sys/uio.h"], "iovec parts; return readv(0, &parts, 0);"),
    ("ZMQ_HAVE_IPC", &["sys/socket.h", "sys/un.h"], "return socket(AF_UNIX, SOCK_STREAM, 0);"),
    ("ZMQ_HAVE_STRUCT_SOCKADDR_UN", &["sys/un.h"], "sockaddr_un name; return name.sun_path[0];"),
    // Who is at the other end of an ipc connection.
    ("ZMQ_HAVE_SO_PEERCRED", SOCKET, "return SO_PEERCRED;"),
    ("ZMQ_HAVE_LOCAL_PEERCRED", SOCKET, "return LOCAL_PEERCRED;"),
    // Socket options.
    ("ZMQ_HAVE_SO_KEEPALIVE", SOCKET, "return SO_KEEPALIVE;"),
    ("ZMQ_HAVE_TCP_KEEPCNT", TCP, "return TCP_KEEPCNT;"),
    ("ZMQ_HAVE_TCP_KEEPIDLE", TCP, "return TCP_KEEPIDLE;"),
    ("ZMQ_HAVE_TCP_KEEPINTVL", TCP, "return TCP_KEEPINTVL;"),
    ("ZMQ_HAVE_TCP_KEEPALIVE", TCP, "return TCP_KEEPALIVE;"),
    ("ZMQ_HAVE_SO_PRIORITY", SOCKET, "return SO_PRIORITY;"),
    ("ZMQ_HAVE_BUSY_POLL", SOCKET, "return SO_BUSY_POLL;"),
    // Threads.
    ("ZMQ_HAVE_PTHREAD_SETNAME_1", THREAD, "return pthread_setname_np(\"x\");"),
    ("ZMQ_HAVE_PTHREAD_SETNAME_2", THREAD, "return pthread_setname_np(pthread_self(), \"x\");"),
    ("ZMQ_HAVE_PTHREAD_SETNAME_3", THREAD, "return pthread_setname_np(pthread_self(), \"x\", (void *) 0);"),
    ("ZMQ_HAVE_PTHREAD_SET_NAME", THREAD, "pthread_set_name_np(pthread_self(), \"x\");"),
    ("ZMQ_HAVE_PTHREAD_SET_AFFINITY", THREAD,
     "cpu_set_t set; return pthread_setaffinity_np(pthread_self(), sizeof set, &set);"),
    // Time, memory, processes, files. The cache line is what CMake takes where it can't ask.
    ("HAVE_CLOCK_GETTIME", &["time.h"], "timespec now; return clock_gettime(CLOCK_MONOTONIC, &now);"),
    ("HAVE_GETHRTIME", &["sys/time.h"], "return gethrtime() != 0;"),
    ("HAVE_POSIX_MEMALIGN", &["stdlib.h"], "void *p; return posix_memalign(&p, 64, 64);"),
    ("ZMQ_CACHELINE_SIZE=64", &[], ""),
    ("HAVE_FORK", &["unistd.h"], "return fork();"),
    ("HAVE_MKDTEMP", &["stdlib.h", "unistd.h"], "char name[] = \"XXXXXX\"; return !mkdtemp(name);"),
    ("ZMQ_HAVE_PPOLL", &["sys/select.h"], "return pselect(0, 0, 0, 0, 0, 0);"),
    ("HAVE_STRNLEN", &["string.h"], "return strnlen(\"\", 1);"),
    ("ZMQ_HAVE_STRLCPY", &["string.h"], "char to[1]; return strlcpy(to, \"\", 1);"),
    // The language.
    ("ZMQ_HAVE_NOEXCEPT", &[], "struct X { X() noexcept {} } x; (void) x;"),
    // The system's name, where zeromq-src leaves it to the empty platform.hpp.
    ("ZMQ_HAVE_ANDROID", &[], "\n#ifndef __ANDROID__\n#error\n#endif\n"),
    ("ZMQ_HAVE_FREEBSD", &[], "\n#ifndef __FreeBSD__\n#error\n#endif\n"),
    ("ZMQ_HAVE_OSX", &[], "\n#ifndef __APPLE__\n#error\n#endif\n"),
];

/// The compiler flags `-D...` of every row that holds.
pub fn defines(compiler: &cc::Tool) -> Vec<String> {
    let jobs = std::thread::available_parallelism().map_or(2, |n| 2 * n.get());
    let mut found = Vec::new();
    for rows in ROWS.chunks(jobs) {
        let running: Vec<_> = rows
            .iter()
            .map(|row| (row.0, start(compiler, row)))
            .collect();
        for (define, mut child) in running {
            if child.wait().is_ok_and(|status| status.success()) {
                let value = if define.contains('=') { "" } else { "=1" };
                found.push(format!("-D{define}{value}"));
            }
        }
    }
    found
}

/// Whether a row holds.
pub fn holds(compiler: &cc::Tool, row: &Row) -> bool {
    start(compiler, row)
        .wait()
        .is_ok_and(|status| status.success())
}

fn start(compiler: &cc::Tool, (_, headers, body): &Row) -> Child {
    let includes: String = headers
        .iter()
        .map(|header| format!("#include <{header}>\n"))
        .collect();
    let mut child = compiler
        .to_command()
        .args(["-fsyntax-only", "-x", "c++", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap_or_else(|error| {
            let compiler = compiler.path().display();
            crate::fail(format!("can't run the C++ compiler {compiler}: {error}"))
        });
    let mut stdin = child.stdin.take().expect("stdin was piped");
    // A compiler that has already failed closes the pipe: its status says so.
    let _ = writeln!(stdin, "{includes}int main() {{ {body} return 0; }}");
    child
}
