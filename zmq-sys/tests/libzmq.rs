//! The library that was linked is the one that was meant, and offers what its platform offers.

use std::ffi::{CStr, CString};
use std::ptr;

use libc::{c_int, c_void};
use zmq_sys as zmq;

/// A context with two sockets, closed again in the right order.
struct Pair {
    context: *mut c_void,
    one: *mut c_void,
    other: *mut c_void,
}

impl Pair {
    fn new() -> Pair {
        // SAFETY: plain constructors; what they answer is checked before use.
        unsafe {
            let context = zmq::zmq_ctx_new();
            let [one, other] = [(); 2].map(|()| zmq::zmq_socket(context, zmq::ZMQ_PAIR as c_int));
            assert!(!one.is_null() && !other.is_null(), "{}", error());
            Pair {
                context,
                one,
                other,
            }
        }
    }
}

impl Drop for Pair {
    fn drop(&mut self) {
        // SAFETY: both sockets and the context are open and used by this thread alone.
        unsafe {
            zmq::zmq_close(self.one);
            zmq::zmq_close(self.other);
            zmq::zmq_ctx_term(self.context);
        }
    }
}

fn error() -> String {
    // SAFETY: `zmq_strerror` answers a C string that lives for ever.
    let text = unsafe { CStr::from_ptr(zmq::zmq_strerror(zmq::zmq_errno())) };
    text.to_string_lossy().into_owned()
}

#[track_caller]
fn is(answer: c_int, wanted: c_int) {
    assert_eq!(answer, wanted, "{}", error());
}

fn set(socket: *mut c_void, option: u32, value: c_int) {
    let value: *const c_int = &value;
    // SAFETY: the socket is open and the value an int of the size told.
    let rc =
        unsafe { zmq::zmq_setsockopt(socket, option as c_int, value.cast(), size_of::<c_int>()) };
    assert_eq!(rc, 0, "option {option}: {}", error());
}

fn has(capability: &str) -> bool {
    let name = CString::new(capability).unwrap();
    // SAFETY: the name is a C string.
    unsafe { zmq::zmq_has(name.as_ptr()) == 1 }
}

/// Binds `one`, connects `other` to where it is bound, and waits for a message to arrive.
fn connect(pair: &Pair, endpoint: &str) {
    let endpoint = CString::new(endpoint).unwrap();
    let mut bound = [0u8; 256];
    let mut size = bound.len();
    let mut byte = [0u8; 1];
    // SAFETY: the sockets are open, the strings end in NUL, the buffers have the sizes told.
    unsafe {
        is(zmq::zmq_bind(pair.one, endpoint.as_ptr()), 0);
        let last = zmq::ZMQ_LAST_ENDPOINT as c_int;
        zmq::zmq_getsockopt(pair.one, last, bound.as_mut_ptr().cast(), &mut size);
        is(zmq::zmq_connect(pair.other, bound.as_ptr().cast()), 0);
        is(zmq::zmq_send(pair.other, b"x".as_ptr().cast(), 1, 0), 1);
        is(zmq::zmq_recv(pair.one, byte.as_mut_ptr().cast(), 1, 0), 1);
    }
}

/// The value of an int option of a descriptor; `None` where it doesn't apply.
fn descriptor_option(fd: c_int, level: c_int, option: c_int) -> Option<c_int> {
    let mut value: c_int = 0;
    let mut size = size_of::<c_int>() as libc::socklen_t;
    let place: *mut c_int = &mut value;
    // SAFETY: `value` has the size told; a number that is no socket only fails.
    let rc = unsafe { libc::getsockopt(fd, level, option, place.cast::<c_void>(), &mut size) };
    (rc == 0).then_some(value)
}

#[test]
fn the_version_is_the_one_meant() {
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    // SAFETY: three ints to write to.
    unsafe { zmq::zmq_version(&mut major, &mut minor, &mut patch) };
    if cfg!(feature = "system-libzmq") {
        assert!((major, minor, patch) >= (4, 3, 4));
    } else {
        assert_eq!((major, minor, patch), (4, 3, 5));
    }
}

#[test]
fn capabilities_are_told() {
    assert!(has("ipc") && has("curve"));
    assert!(!has("no such capability"));
    if !cfg!(feature = "system-libzmq") {
        assert!(has("draft") && has("WS"));
        assert!(!has("WSS") && !has("gssapi"));
        assert_eq!(has("tipc"), cfg!(target_os = "linux"));
    }
}

#[test]
#[cfg(all(target_os = "linux", not(feature = "system-libzmq")))]
fn the_source_was_edited() {
    assert_eq!(env!("ZMQ_SYS_EDITED"), "1");
}

/// A machine that has only a C++ compiler builds it: nothing of what libzmq could use besides is in there.
#[test]
#[cfg(not(feature = "system-libzmq"))]
fn it_asks_for_no_library_but_libsodium() {
    let mut flags = env!("ZMQ_SYS_FLAGS").split(' ');
    let archive = flags.find(|flag| flag.ends_with("libzmq.a")).unwrap();
    let listed = std::process::Command::new("nm")
        .args(["-u", archive])
        .output();
    let listed = String::from_utf8(listed.unwrap().stdout).unwrap();
    assert!(listed.contains("crypto_box"), "{archive}");
    for prefix in ["gnutls_", "gss_", "Norm", "pgm_", "bsd_", "strlcpy", "VMCI"] {
        let found = listed
            .lines()
            .find(|line| line.trim_start().starts_with(&format!("U {prefix}")));
        assert_eq!(found, None, "{archive}");
    }
}

/// More messages than the engine takes references at once, and each outlives engine and context.
#[test]
fn messages_keep_their_metadata_when_all_else_is_gone() {
    let pair = Pair::new();
    set(pair.one, zmq::ZMQ_RCVHWM, 0);
    set(pair.other, zmq::ZMQ_SNDHWM, 0);
    connect(&pair, "tcp://127.0.0.1:*");
    let mut messages = vec![zmq::zmq_msg_t::default(); 2500];
    // SAFETY: the sockets are open, the byte is there, and no message moves while it is one.
    unsafe {
        for _ in &messages {
            is(zmq::zmq_send(pair.other, b"x".as_ptr().cast(), 1, 0), 1);
        }
        for message in &mut messages {
            is(zmq::zmq_msg_init(message), 0);
            is(zmq::zmq_msg_recv(message, pair.one, 0), 1);
        }
    }
    drop(pair);
    for message in &mut messages {
        // SAFETY: the message is initialised, and closed only here.
        unsafe {
            let address = zmq::zmq_msg_gets(message, c"Peer-Address".as_ptr());
            assert!(!address.is_null(), "{}", error());
            assert_eq!(CStr::from_ptr(address), c"127.0.0.1");
            is(zmq::zmq_msg_close(message), 0);
        }
    }
}

#[test]
fn curve_makes_keys() {
    let (mut public, mut secret) = ([0u8; 41], [0u8; 41]);
    // SAFETY: both buffers hold 40 characters and a NUL.
    let rc =
        unsafe { zmq::zmq_curve_keypair(public.as_mut_ptr().cast(), secret.as_mut_ptr().cast()) };
    is(rc, 0);
    assert_ne!(public, secret);
}

#[test]
fn interfaces_have_names() {
    let pair = Pair::new();
    let loopback = if cfg!(target_os = "linux") {
        "lo"
    } else {
        "lo0"
    };
    connect(&pair, &format!("tcp://{loopback}:*"));
}

#[test]
fn keepalive_reaches_the_descriptor() {
    // A time nobody else in this process asks for, so that the descriptor can be told.
    const IDLE: c_int = 4711;
    let pair = Pair::new();
    for (option, value) in [
        (zmq::ZMQ_TCP_KEEPALIVE, 1),
        (zmq::ZMQ_TCP_KEEPALIVE_IDLE, IDLE),
        (zmq::ZMQ_TCP_KEEPALIVE_CNT, 3),
        (zmq::ZMQ_TCP_KEEPALIVE_INTVL, 5),
    ] {
        set(pair.other, option, value);
    }
    connect(&pair, "tcp://127.0.0.1:*");
    let tcp = |fd, option| descriptor_option(fd, libc::IPPROTO_TCP, option);
    let fd = (3..1024).find(|&fd| tcp(fd, libc::TCP_KEEPIDLE) == Some(IDLE));
    let fd = fd.expect("no descriptor has the idle time");
    let on = descriptor_option(fd, libc::SOL_SOCKET, libc::SO_KEEPALIVE);
    assert_eq!(on, Some(1));
    assert_eq!(tcp(fd, libc::TCP_KEEPCNT), Some(3));
    assert_eq!(tcp(fd, libc::TCP_KEEPINTVL), Some(5));
}

#[test]
fn ipc_takes_wildcards_and_filters() {
    let pair = Pair::new();
    // SAFETY: getuid and getgid can't fail.
    let (uid, gid) = unsafe { (libc::getuid(), libc::getgid()) };
    set(pair.one, zmq::ZMQ_IPC_FILTER_UID, uid as c_int);
    set(pair.one, zmq::ZMQ_IPC_FILTER_GID, gid as c_int);
    connect(&pair, "ipc://*");
}

#[test]
fn late_functions_are_there_where_drafts_are() {
    assert_eq!(zmq::late::zmq_join().is_some(), has("draft"));
    assert_eq!(zmq::late::zmq_poller_new().is_some(), has("draft"));
    let Some(new) = zmq::late::zmq_poller_new() else {
        return;
    };
    // SAFETY: all are the library's own, with the types of `zmq.h`.
    unsafe {
        let mut poller = new();
        is(zmq::late::zmq_poller_size().unwrap()(poller), 0);
        is(zmq::late::zmq_poller_destroy().unwrap()(&mut poller), 0);
        assert_eq!(poller, ptr::null_mut());
    }
}

#[test]
#[cfg(not(feature = "system-libzmq"))]
fn late_functions_are_all_the_drafts_of_the_header() {
    let (first, _) = env!("ZMQ_SYS_FLAGS").split_once(' ').unwrap();
    let include = first.trim_start_matches("-I");
    let header = std::fs::read_to_string(format!("{include}/zmq.h")).unwrap();
    let (_, drafts) = header.split_once("#ifdef ZMQ_BUILD_DRAFT_API").unwrap();
    let mut names: Vec<&str> = drafts
        .match_indices(" (")
        .map(|(end, _)| &drafts[..end])
        .map(|before| before.rsplit([' ', '*', '\n']).next().unwrap())
        .filter(|name| name.starts_with("zmq_"))
        .collect();
    names.dedup();
    assert_eq!(names, zmq::late::NAMES);
}
