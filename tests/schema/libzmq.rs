//! The rows against libzmq itself: each option is set, read and compared with its default on every
//! socket type that its row names. Only what the library linked with lacks is skipped, in words.
#![allow(unsafe_code)]

use super::types;
use rzmq_core::schema::*;
use std::ffi::{c_int, c_void, CString};
use std::ptr;

/// Why this library can't have the option, if it can't.
fn absent(row: &OptionRow) -> Option<String> {
    let has = |name: &str| {
        let name = CString::new(name).unwrap();
        // SAFETY: `name` is a C string.
        unsafe { zmq_sys::zmq_has(name.as_ptr()) == 1 }
    };
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    // SAFETY: three places for an int.
    unsafe { zmq_sys::zmq_version(&mut major, &mut minor, &mut patch) };
    let (a, b, c) = row.since;
    if row.name == "hwm" {
        return Some("ours".into());
    }
    if (major, minor, patch) < (a.into(), b.into(), c.into()) {
        return Some(format!(
            "libzmq is {major}.{minor}.{patch}, it needs {a}.{b}.{c}"
        ));
    }
    row.capability
        .filter(|name| !has(name))
        .map(|name| format!("libzmq lacks {name}"))
}

type Outcome<T> = Result<T, i32>;

fn outcome(rc: c_int) -> Outcome<()> {
    // SAFETY: no arguments.
    (rc != -1)
        .then_some(())
        .ok_or_else(|| unsafe { zmq_sys::zmq_errno() })
}

struct Context(*mut c_void);

impl Context {
    fn new() -> Self {
        // SAFETY: no arguments.
        Context(unsafe { zmq_sys::zmq_ctx_new() })
    }

    fn socket(&self, name: &str) -> Socket {
        // SAFETY: the context is open until `self` is dropped.
        let socket = unsafe { zmq_sys::zmq_socket(self.0, socket_type(name).expect(name)) };
        // SAFETY: no arguments.
        let errno = unsafe { zmq_sys::zmq_errno() };
        assert!(!socket.is_null(), "no {name} socket: errno {errno}");
        Socket(socket)
    }

    fn set(&self, number: i32, value: i32) -> Outcome<()> {
        // SAFETY: the context is open until `self` is dropped.
        outcome(unsafe { zmq_sys::zmq_ctx_set(self.0, number, value) })
    }

    /// -1 is a value as well, so errno decides.
    fn get(&self, number: i32) -> Outcome<i32> {
        // SAFETY: the context is open until `self` is dropped; errno belongs to this thread.
        let (value, errno) = unsafe {
            *libc::__errno_location() = 0;
            (zmq_sys::zmq_ctx_get(self.0, number), zmq_sys::zmq_errno())
        };
        if value == -1 && errno != 0 {
            Err(errno)
        } else {
            Ok(value)
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: closed once; the sockets of a test are dropped before.
        unsafe { zmq_sys::zmq_ctx_term(self.0) };
    }
}

struct Socket(*mut c_void);

impl Socket {
    /// Empty goes as NULL, which is what clears an option.
    fn set(&self, number: i32, value: &[u8]) -> Outcome<()> {
        let at = if value.is_empty() {
            ptr::null()
        } else {
            value.as_ptr()
        };
        // SAFETY: the socket is open until `self` is dropped; `at` has `len` bytes.
        outcome(unsafe { zmq_sys::zmq_setsockopt(self.0, number, at.cast(), value.len()) })
    }

    fn get(&self, number: i32, size: usize) -> Outcome<Vec<u8>> {
        let (mut buffer, mut len) = (vec![0; size], size);
        // SAFETY: the socket is open until `self` is dropped; `buffer` has `len` bytes.
        let rc = unsafe {
            zmq_sys::zmq_getsockopt(self.0, number, buffer.as_mut_ptr().cast(), &mut len)
        };
        outcome(rc)?;
        buffer.truncate(len);
        Ok(buffer)
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        // SAFETY: closed once.
        unsafe { zmq_sys::zmq_close(self.0) };
    }
}

/// The buffer with which a value of that kind is read.
fn size(kind: Kind) -> usize {
    match kind {
        Kind::Int | Kind::Bool | Kind::Fd => 4,
        Kind::I64 | Kind::U64 => 8,
        Kind::Key => 41,
        Kind::Str | Kind::Bytes | Kind::Strings => 256,
    }
}

/// A value as libzmq takes it.
fn encode(row: &OptionRow, value: Value) -> Vec<u8> {
    match value {
        Value::Int(n) if size(row.kind) == 8 => n.to_ne_bytes().into(),
        Value::Int(n) => i32::try_from(n).expect(row.name).to_ne_bytes().into(),
        Value::Str(text) => text.into(),
        Value::Bytes(bytes) => bytes.into(),
        Value::None => panic!("{} has no value", row.name),
    }
}

/// What `encode` would have been given: the kind decides about the NUL.
fn decode(row: &OptionRow, mut bytes: Vec<u8>) -> Vec<u8> {
    if matches!(row.kind, Kind::Str | Kind::Key) {
        assert_eq!(bytes.pop(), Some(0), "{}: no NUL at the end", row.name);
    }
    bytes
}

/// The default as bytes, where the row states one that can be compared.
fn default(row: &OptionRow) -> Option<Vec<u8>> {
    match row.kind {
        Kind::Str | Kind::Bytes => row.default.is_empty().then(Vec::new),
        _ => row.default.parse().ok().map(|n| encode(row, Value::Int(n))),
    }
}

#[test]
fn libzmq_agrees_with_every_socket_option() {
    let mut tried = 0;
    for row in SOCKET_OPTIONS {
        if let Some(why) = absent(row) {
            println!("skipped {}: {why}", row.name);
            continue;
        }
        tried += 1;
        // A context each: its end waits for its sockets' slots and descriptors to be free again.
        let context = Context::new();
        for name in types(row) {
            try_socket_option(row, name, &context.socket(name));
        }
    }
    println!("{tried} socket options tried");
    assert!(tried > 70, "only {tried} options tried");
}

fn try_socket_option(row: &OptionRow, name: &str, socket: &Socket) {
    let what = format!("{} of {name}", row.name);
    let read = || {
        socket
            .get(row.number, size(row.kind))
            .map(|bytes| decode(row, bytes))
    };
    let thread_safe = socket.get(81, 4) == Ok(1i32.to_ne_bytes().to_vec());

    if row.name == "fd" && thread_safe {
        return assert_eq!(read(), Err(libc::EINVAL), "{what}");
    }
    if row.access == Access::WriteOnly {
        for size in [1, 4, 8, 32, 41, 256] {
            assert_eq!(socket.get(row.number, size), Err(libc::EINVAL), "{what}");
        }
    } else {
        let found = read().unwrap_or_else(|errno| panic!("{what} can't be read: {errno}"));
        // Sockets that only receive have nothing to linger for.
        let other = row.name == "linger" && ["SUB", "XSUB", "DISH"].contains(&name);
        let default = if other {
            Some(vec![0; 4])
        } else {
            default(row)
        };
        if let Some(default) = default {
            assert_eq!(found, default, "default of {what}");
        }
    }
    if row.access == Access::ReadOnly {
        for value in [&[0; 4][..], &[0; 8], b"x", b""] {
            assert_eq!(socket.set(row.number, value), Err(libc::EINVAL), "{what}");
        }
        return;
    }
    if row.test.value == Value::None {
        return;
    }
    let value = encode(row, row.test.value);
    // xpub_manual is what lets XPUB take subscriptions.
    if name == "XPUB" && row.name.contains("subscribe") {
        socket.set(71, &1i32.to_ne_bytes()).unwrap();
    }
    assert_eq!(socket.set(row.number, &value), Ok(()), "setting {what}");
    if row.access == Access::ReadWrite {
        assert_eq!(read(), Ok(value), "reading {what} back");
    }
    // Another size of integer is refused. libzmq forgets to look at it for this one.
    if matches!(row.test.value, Value::Int(_)) && row.name != "xsub_verbose_unsubscribe" {
        let wrong = vec![0; 12 - size(row.kind)];
        assert_eq!(
            socket.set(row.number, &wrong),
            Err(libc::EINVAL),
            "{what} of another size"
        );
    }
}

#[test]
fn an_empty_value_clears_where_the_docs_say_so() {
    let context = Context::new();
    let names = [
        "socks_proxy",
        "socks_username",
        "socks_password",
        "bindtodevice",
        "tcp_accept_filter",
        "xpub_welcome_msg",
        "hello_msg",
        "disconnect_msg",
        "hiccup_msg",
    ];
    for row in names.map(|name| socket_option(name).expect(name)) {
        if let Some(why) = absent(row) {
            println!("skipped {}: {why}", row.name);
            continue;
        }
        let socket = context.socket(row.test.socket);
        socket
            .set(row.number, &encode(row, row.test.value))
            .unwrap();
        assert_eq!(socket.set(row.number, b""), Ok(()), "{}", row.name);
        if row.access == Access::ReadWrite {
            assert_eq!(
                socket.get(row.number, 256),
                Ok(b"\0".to_vec()),
                "{}",
                row.name
            );
        }
    }
    let socket = context.socket("PUSH");
    let plain = socket_option("plain_username").unwrap().number;
    let mechanism = socket_option("mechanism").unwrap().number;
    socket.set(plain, b"user").unwrap();
    socket.set(plain, b"").unwrap();
    assert_eq!(socket.get(plain, 256), Ok(b"user\0".to_vec()));
    assert_eq!(socket.get(mechanism, 4), Ok(0i32.to_ne_bytes().to_vec()));
    for refused in ["zap_domain", "routing_id", "connect_routing_id", "metadata"] {
        let row = socket_option(refused).expect(refused);
        let socket = context.socket(row.test.socket);
        assert_eq!(socket.set(row.number, b""), Err(libc::EINVAL), "{refused}");
    }
}

#[test]
fn libzmq_agrees_with_every_context_option() {
    for row in CONTEXT_OPTIONS.iter().filter(|row| row.kind != Kind::Str) {
        if let Some(why) = absent(row) {
            println!("skipped {}: {why}", row.name);
            continue;
        }
        let context = Context::new();
        // Reading number 3 is socket_limit's.
        if row.access == Access::WriteOnly && row.name != "thread_priority" {
            assert_eq!(context.get(row.number), Err(libc::EINVAL), "{}", row.name);
        } else if row.access != Access::WriteOnly {
            let found = context.get(row.number).expect(row.name);
            if let Ok(default) = row.default.parse() {
                assert_eq!(found, default, "default of {}", row.name);
            }
        }
        if let Value::Int(value) = row.test.value {
            let value = value as i32;
            assert_eq!(
                context.set(row.number, value),
                Ok(()),
                "setting {}",
                row.name
            );
            if row.access == Access::ReadWrite {
                assert_eq!(context.get(row.number), Ok(value), "{}", row.name);
            }
        } else if row.name == "msg_t_size" {
            assert_eq!(
                context.set(row.number, 64),
                Err(libc::EINVAL),
                "{}",
                row.name
            );
        }
    }
    let context = Context::new();
    assert_eq!(
        context.set(8, 0),
        Err(libc::EINVAL),
        "a CPU that was not added"
    );
    assert_eq!((context.set(7, 0), context.set(8, 0)), (Ok(()), Ok(())));
}

#[test]
fn a_thread_name_prefix_is_text() {
    let number = context_option("thread_name_prefix").unwrap().number;
    let (Some(set), Some(get)) = (zmq_sys::zmq_ctx_set_ext(), zmq_sys::zmq_ctx_get_ext()) else {
        return println!("skipped: libzmq lacks zmq_ctx_set_ext");
    };
    let context = Context::new();
    let set = |text: &[u8]| {
        // SAFETY: the context is open, `text` has that many bytes.
        outcome(unsafe { set(context.0, number, text.as_ptr().cast(), text.len()) })
    };
    let get = || {
        let (mut buffer, mut len) = ([0u8; 17], 17);
        // SAFETY: the context is open, `buffer` has `len` bytes.
        outcome(unsafe { get(context.0, number, buffer.as_mut_ptr().cast(), &mut len) })?;
        let end = buffer.iter().position(|byte| *byte == 0).unwrap_or(17);
        Ok::<_, i32>(String::from_utf8_lossy(&buffer[..end]).into_owned())
    };
    assert_eq!(get(), Ok(String::new()));
    assert_eq!((set(b"app"), get()), (Ok(()), Ok("app".into())));
    // With its NUL, text of 4 characters is not taken for an int.
    assert_eq!((set(b"appl\0"), get()), (Ok(()), Ok("appl".into())));
    assert_eq!(
        (set(b"exactly15chars!\0"), get()),
        (Ok(()), Ok("exactly15chars!".into()))
    );
    assert_eq!(set(b"far more than 16 bytes"), Err(libc::EINVAL));
}
