//! The schema against the real `zmq.h` and the real libzmq: a wrong number, kind, default, access
//! or socket type in a row fails here, and so does a name in the header that is no row.

#[path = "schema/libzmq.rs"]
mod libzmq;

use rzmq_core::schema::*;
use std::collections::{BTreeMap, HashSet};

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
