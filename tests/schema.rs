//! The schema against the real `zmq.h` and the real libzmq: a wrong number, kind, default, access
//! or socket type in a row fails here, and so does a name in the header that is no row.
#![allow(unsafe_code)]

use rzmq_core::schema::*;
use std::collections::{BTreeMap, HashSet};
use std::ffi::{c_int, c_void, CString};
use std::ptr;

/// What the header defines that is deliberately no row.
const NOT_ROWS: &[(&str, &str)] = &[
    ("VERSION_MAJOR", "told by zmq.version()"),
    ("VERSION_MINOR", "told by zmq.version()"),
    ("VERSION_PATCH", "told by zmq.version()"),
    ("VERSION", "told by zmq.version()"),
    (
        "HAUSNUMERO",
        "the base of libzmq's own errors, which are rows",
    ),
    ("EXPORT", "how C declares functions"),
    ("DEFINED_STDINT", "whether zmq.h made integer types itself"),
    ("HAS_CAPABILITIES", "whether zmq_has exists; it always does"),
    ("HAVE_TIMERS", "whether the timers exist; they always do"),
    (
        "HAVE_POLLER",
        "whether zmq_poller exists; asked of the library instead",
    ),
];

/// Rows that no header names: what lua-zmq adds.
const OURS: &[&str] = &["HWM", "POLL_MSEC"];

/// Every `#define` of the header libzmq is linked with, without comments.
fn header() -> BTreeMap<String, String> {
    let folder = match option_env!("ZMQ_INCLUDE") {
        Some(folder) => folder,
        // pkg-config leaves out the folder in which compilers look anyway.
        None if SYSTEM => "/usr/include",
        None => panic!("build.rs must pass zmq-sys' DEP_ZMQ_INCLUDE on as ZMQ_INCLUDE"),
    };
    let path = format!("{folder}/zmq.h");
    let text = std::fs::read_to_string(&path).expect(&path);
    let defines = text.lines().filter_map(|line| {
        let define = line
            .trim_start()
            .strip_prefix('#')?
            .trim_start()
            .strip_prefix("define ")?;
        let (name, value) = define.split_once(' ').unwrap_or((define, ""));
        let value = value.split("/*").next().unwrap_or("").trim();
        // A macro with parameters is no constant.
        (!name.contains('(')).then(|| (name.to_string(), value.to_string()))
    });
    defines.collect()
}

/// The number that C would compute: literals, other macros, `+` and `|`.
fn evaluate(header: &BTreeMap<String, String>, text: &str) -> Option<i64> {
    let text = text.trim().trim_start_matches('(').trim_end_matches(')');
    if let Some((a, b)) = text.split_once('|') {
        return Some(evaluate(header, a)? | evaluate(header, b)?);
    }
    if let Some((a, b)) = text.split_once('+') {
        return Some(evaluate(header, a)? + evaluate(header, b)?);
    }
    if let Some(hex) = text.strip_prefix("0x") {
        return i64::from_str_radix(hex, 16).ok();
    }
    text.parse()
        .ok()
        .or_else(|| evaluate(header, header.get(text)?))
}

/// Every name of every row with its number, in the header's spelling without `ZMQ_`.
fn rows() -> Vec<(String, i64)> {
    let mut rows = Vec::new();
    for row in SOCKET_OPTIONS.iter().chain(CONTEXT_OPTIONS) {
        for name in [row.name].iter().chain(row.aliases) {
            rows.push((name.to_uppercase(), row.number.into()));
        }
    }
    rows.extend(
        CONSTANTS
            .iter()
            .map(|row| (row.name.to_string(), row.value)),
    );
    rows.extend(
        MESSAGE_PROPERTIES
            .iter()
            .map(|row| (row.name.to_uppercase(), row.number.into())),
    );
    rows
}

/// Drafts whose number 4.3.5 changed, so that an older header has another.
const CHANGED: &[&str] = &["RECONNECT_STOP_AFTER_DISCONNECT"];

/// Whether libzmq is the system's, which may be older than the rows.
const SYSTEM: bool = cfg!(feature = "system-libzmq");

#[test]
fn every_name_in_the_header_is_a_row_with_its_number() {
    let (header, rows) = (header(), rows());
    let mut checked = 0;
    for (name, text) in &header {
        let Some(name) = name.strip_prefix("ZMQ_") else {
            continue;
        };
        let not_row = NOT_ROWS.iter().any(|(skipped, _)| *skipped == name);
        if not_row || (SYSTEM && CHANGED.contains(&name)) {
            continue;
        }
        checked += 1;
        if let Some(text) = text.strip_prefix('"') {
            let metadata = METADATA.iter().find(|row| row.name == name);
            let value = metadata
                .unwrap_or_else(|| panic!("ZMQ_{name} is no row"))
                .value;
            assert_eq!(value, text.trim_end_matches('"'), "ZMQ_{name}");
            continue;
        }
        let number = evaluate(&header, text).unwrap_or_else(|| panic!("ZMQ_{name} is {text:?}"));
        let mut found = rows.iter().filter(|(row, _)| row == name).peekable();
        assert!(found.peek().is_some(), "ZMQ_{name} ({number}) is no row");
        found.for_each(|(_, row)| assert_eq!(*row, number, "ZMQ_{name}"));
    }
    for name in ["EFSM", "ENOCOMPATPROTO", "ETERM", "EMTHREAD"] {
        let number = error_by_name(name).expect(name).number;
        assert_eq!(
            evaluate(&header, &header[name]),
            Some(number.into()),
            "{name}"
        );
    }
    println!("{checked} names of zmq.h are rows");
    assert!(checked > 150, "only {checked} names found in zmq.h");
}

#[test]
fn every_row_is_in_the_header() {
    if SYSTEM {
        return println!("skipped: the system's zmq.h may be older than the rows");
    }
    let header = header();
    let names = rows().into_iter().map(|(name, _)| name);
    for name in names.chain(METADATA.iter().map(|row| row.name.to_string())) {
        let in_header = header.contains_key(&format!("ZMQ_{name}"));
        assert_eq!(in_header, !OURS.contains(&name.as_str()), "{name}");
    }
    for (name, why) in NOT_ROWS {
        assert!(
            header.contains_key(&format!("ZMQ_{name}")),
            "{name} ({why}) is gone"
        );
    }
}

#[test]
fn names_and_numbers_are_unique() {
    fn unique<T: std::hash::Hash + Eq + std::fmt::Debug>(what: impl IntoIterator<Item = T>) {
        let mut seen = HashSet::new();
        what.into_iter().for_each(|x| {
            let text = format!("{x:?}");
            assert!(seen.insert(x), "{text} twice");
        });
    }
    fn names(rows: &'static [OptionRow]) -> impl Iterator<Item = &'static str> {
        rows.iter()
            .flat_map(|row| [row.name].into_iter().chain(row.aliases.iter().copied()))
    }
    unique(names(SOCKET_OPTIONS));
    unique(names(CONTEXT_OPTIONS));
    unique(SOCKET_OPTIONS.iter().map(|row| row.number));
    // libzmq itself gave socket_limit and thread_priority the same number.
    let two_in_one = |row: &&OptionRow| row.name != "thread_priority";
    unique(
        CONTEXT_OPTIONS
            .iter()
            .filter(two_in_one)
            .map(|row| row.number),
    );
    unique(CONSTANTS.iter().map(|row| row.name));
    unique(ERRORS.iter().map(|row| row.name));
    unique(EVENTS.iter().map(|row| row.name));
    unique(EVENTS.iter().map(|row| row.number));
    // All of them become zmq.NAME, where one name can only have one value.
    let numbers: BTreeMap<_, _> = rows().into_iter().collect();
    for (name, number) in rows() {
        assert_eq!(numbers[&name], number, "{name} means two numbers");
        assert!(error_by_name(&name).is_none(), "{name} is an error too");
    }
    for row in EVENTS {
        let constant = constant(&format!("EVENT_{}", row.name)).expect(row.name);
        assert_eq!(constant.value, row.number as i64, "{}", row.name);
    }
}

#[test]
fn texts_are_well_formed() {
    fn spelled(name: &str, letter: impl Fn(char) -> bool) {
        let ok = |c: char| c.is_ascii_digit() || c == '_' || letter(c);
        assert!(!name.is_empty() && name.chars().all(ok), "{name:?}");
    }
    fn sentences(name: &str, doc: &str) {
        assert!(
            doc.ends_with('.') && !doc.contains("  ") && doc.is_ascii(),
            "{name}: {doc:?}"
        );
    }
    for row in SOCKET_OPTIONS.iter().chain(CONTEXT_OPTIONS) {
        [row.name]
            .iter()
            .chain(row.aliases)
            .for_each(|n| spelled(n, |c| c.is_ascii_lowercase()));
        sentences(row.name, row.doc);
        let settable = row.test.value != Value::None;
        assert!(
            !settable || row.access != Access::ReadOnly,
            "{} can't be set",
            row.name
        );
        if let Value::Int(value) = row.test.value {
            assert_ne!(
                row.default,
                value.to_string(),
                "{}: not another value",
                row.name
            );
        }
        let known = ["curve", "gssapi", "draft", "norm", "vmci", "WSS"];
        assert!(
            row.capability.iter().all(|name| known.contains(name)),
            "{}",
            row.name
        );
        assert!(row.capability != Some("draft") || row.draft, "{}", row.name);
    }
    for row in SOCKET_OPTIONS {
        assert!(socket_type(row.test.socket).is_some(), "{}", row.name);
        assert!(types(row).contains(&row.test.socket), "{}", row.name);
    }
    CONSTANTS
        .iter()
        .for_each(|row| spelled(row.name, |c| c.is_ascii_uppercase()));
    CONSTANTS
        .iter()
        .for_each(|row| sentences(row.name, row.doc));
    EVENTS
        .iter()
        .for_each(|row| spelled(row.name, |c| c.is_ascii_lowercase()));
    EVENTS.iter().for_each(|row| sentences(row.name, row.doc));
    MESSAGE_PROPERTIES
        .iter()
        .for_each(|row| sentences(row.name, row.doc));
    METADATA.iter().for_each(|row| sentences(row.name, row.doc));
}

#[test]
fn look_ups_accept_every_spelling() {
    let number = |name| socket_option(name).map(|row| row.number);
    assert_eq!(number("linger"), Some(17));
    assert_eq!(number("ZMQ_LINGER"), Some(17));
    assert_eq!(number("zmq_Linger"), Some(17));
    assert_eq!(number("IDENTITY"), number("routing_id"));
    assert_eq!(number("delay_attach_on_connect"), number("immediate"));
    for absent in ["", "zmq_", "lingers", "linge\u{e9}", "\u{20ac}", "blocky"] {
        assert_eq!(number(absent), None, "{absent:?}");
    }
    assert_eq!(
        socket_option_by_number(17).map(|row| row.name),
        Some("linger")
    );
    assert!(socket_option_by_number(2).is_none());
    assert_eq!(context_option("ZMQ_BLOCKY").map(|row| row.number), Some(70));
    assert_eq!(
        context_option_by_number(3).map(|row| row.name),
        Some("socket_limit")
    );
    assert_eq!(
        context_option_to_set(3).map(|row| row.name),
        Some("thread_priority")
    );
    assert_eq!(
        context_option_to_set(6).map(|row| row.name),
        Some("msg_t_size")
    );
    assert!(context_option_to_set(99).is_none());
    assert_eq!(socket_type("sub"), Some(2));
    assert_eq!(socket_type("ZMQ_XREQ"), Some(5));
    assert_eq!(socket_type("POLLIN"), None);
    assert_eq!(socket_type_name(5), Some("DEALER"));
    assert_eq!(socket_type_name(99), None);
    assert_eq!(constant("event_connected").map(|row| row.value), Some(1));
    assert_eq!(event("ZMQ_EVENT_CLOSED").map(|row| row.number), Some(0x80));
    assert_eq!(event_by_number(0x80).map(|row| row.name), Some("closed"));
    assert_eq!(message_property("ZMQ_MORE").map(|row| row.number), Some(1));
    let short = |name| error_by_name(name).expect(name).short;
    assert_eq!(short("eagain"), Some("timeout"));
    assert_eq!(short("EINTR"), Some("interrupted"));
    assert_eq!(short("ETERM"), Some("closed"));
    assert_eq!(short("EINVAL"), None);
    assert_eq!(
        error_by_number(libc::EAGAIN).map(|row| row.name),
        Some("EAGAIN")
    );
    assert_eq!(
        error_by_number(libc::ENOTSUP).map(|row| row.name),
        Some("ENOTSUP")
    );
}

#[test]
fn every_error_of_the_system_is_a_row() {
    let known = |n: &i32| {
        !std::io::Error::from_raw_os_error(*n)
            .to_string()
            .contains("Unknown")
    };
    let missing: Vec<_> = (1..200)
        .filter(known)
        .filter(|n| error_by_number(*n).is_none())
        .collect();
    assert_eq!(missing, []);
}

/// The socket types that a row names.
fn types(row: &OptionRow) -> Vec<&'static str> {
    match row.sockets {
        "all" => (0..=20).filter_map(socket_type_name).collect(),
        list => list.split(", ").collect(),
    }
}

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
        assert!(!socket.is_null(), "no {name} socket");
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
    let context = Context::new();
    let mut tried = 0;
    for row in SOCKET_OPTIONS {
        if let Some(why) = absent(row) {
            println!("skipped {}: {why}", row.name);
            continue;
        }
        tried += 1;
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
