//! The layer picture of `src/lib.rs`, kept by a test: who imports whom, where `unsafe` may stand, and that no Lua file
//! types a number of ZeroMQ. It reads the sources as text and knows nothing else of them.

use std::fs;
use std::path::{Path, PathBuf};

/// Each layer with those that it may import, itself among them.
const LAYERS: &[(&str, &[&str])] = &[
    ("schema", &["schema"]),
    ("sys", &["sys", "schema"]),
    ("core", &["core", "sys", "schema"]),
    ("abi", &["abi", "core", "sys", "schema"]),
    ("lua", &["lua", "abi", "core", "sys", "schema"]),
    ("gen", &["gen", "lua", "abi", "core", "sys", "schema"]),
];

/// External crates, each with the only places that may name it.
const CRATES: &[(&str, &[&str])] = &[
    ("zmq_sys", &["src/sys/"]),
    ("zmq", &["src/sys/"]),
    ("mlua", &["src/lua/", "src/lib.rs"]),
];

/// Where `unsafe` may stand.
const UNSAFE: &[&str] = &["src/sys/", "src/abi/", "src/lua/raw/", "src/lib.rs"];

fn files(folder: &str, extension: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = vec![root.join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the project") {
            let path = entry.expect("its entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                let name = path.strip_prefix(root).expect("a file under the root");
                let text = fs::read_to_string(&path).expect("a text file");
                found.push((name.to_string_lossy().into_owned(), text));
            }
        }
    }
    assert!(!found.is_empty(), "no .{extension} under {folder}");
    found.sort();
    found
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Rust code without comments, and with every string and character literal empty. Keeps line ends.
fn rust_code(text: &str) -> String {
    let bytes = text.as_bytes();
    let (mut code, mut at) = (Vec::new(), 0);
    let keep_lines = |code: &mut Vec<u8>, part: &[u8]| {
        code.extend(part.iter().filter(|&&byte| byte == b'\n'));
    };
    while at < bytes.len() {
        let rest = &bytes[at..];
        let size = if rest.starts_with(b"//") {
            rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len())
        } else if rest.starts_with(b"/*") {
            text[at..].find("*/").map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with(b"r#\"") {
            text[at..].find("\"#").map_or(rest.len(), |end| end + 2)
        } else if rest[0] == b'"' {
            let mut end = 1;
            while end < rest.len() && rest[end] != b'"' {
                end += if rest[end] == b'\\' { 2 } else { 1 };
            }
            end + 1
        } else if rest.starts_with(b"'\\") || (rest[0] == b'\'' && rest.get(2) == Some(&b'\'')) {
            // A character; a lifetime has no second quote.
            2 + rest[2..].iter().position(|&b| b == b'\'').unwrap_or(0) + 1
        } else {
            code.push(rest[0]);
            at += 1;
            continue;
        };
        let size = size.min(rest.len());
        keep_lines(&mut code, &rest[..size]);
        at += size;
    }
    String::from_utf8(code).expect("code without its literals")
}

/// Every word of the code with its line, and what follows it.
fn words(code: &str) -> Vec<(usize, &str, &str)> {
    let bytes = code.as_bytes();
    let (mut found, mut at, mut line) = (Vec::new(), 0, 1);
    while at < bytes.len() {
        let start = at;
        while at < bytes.len() && is_word(bytes[at]) {
            at += 1;
        }
        if at > start {
            found.push((line, &code[start..at], &code[at..]));
        } else {
            line += usize::from(bytes[at] == b'\n');
            at += 1;
            // The next byte may begin a character of several.
            while at < bytes.len() && !code.is_char_boundary(at) {
                at += 1;
            }
        }
    }
    found
}

/// The layer that a file belongs to; None for the crate's root.
fn layer(file: &str) -> Option<&str> {
    let inside = file.strip_prefix("src/")?;
    let name = inside.split('/').next()?;
    (name != "lib.rs").then(|| name.trim_end_matches(".rs"))
}

/// The first words of each path in what follows `crate`: `::sys`, or `::{core::x, sys}`.
fn roots(after: &str) -> Vec<String> {
    let Some(path) = after.trim_start().strip_prefix("::") else {
        return Vec::new();
    };
    let first = |text: &str| -> String {
        let text = text.trim_start();
        text.chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect()
    };
    if !path.starts_with('{') {
        return vec![first(path)];
    }
    let (mut depth, mut all) = (0, Vec::new());
    for (at, c) in path.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
        if depth == 1 && (c == '{' || c == ',') {
            all.push(first(&path[at + 1..]));
        }
    }
    all.retain(|word| !word.is_empty());
    all
}

/// What is wrong with the imports of one file.
fn wrong_imports(file: &str, text: &str) -> Vec<String> {
    let Some(layer) = layer(file) else {
        return Vec::new();
    };
    let code = rust_code(text);
    let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| *name == layer) else {
        return vec![format!("{file} belongs to no layer of the picture")];
    };
    let mut wrong = Vec::new();
    for (line, word, after) in words(&code) {
        // `super` leads out of a layer too; no module inside one is named like another.
        if word == "crate" || word == "super" {
            for root in roots(after) {
                let is_layer = LAYERS.iter().any(|(name, _)| *name == root);
                if is_layer && !allowed.contains(&root.as_str()) {
                    wrong.push(format!("{file}:{line}: {layer} imports {root}"));
                }
            }
        }
        for (name, places) in CRATES {
            let named = word == *name && after.starts_with("::");
            if named && !places.iter().any(|place| file.starts_with(place)) {
                wrong.push(format!("{file}:{line}: {name} is for {places:?}"));
            }
        }
    }
    wrong
}

#[test]
fn layers_import_downward_only() {
    let wrong: Vec<String> = files("src", "rs")
        .iter()
        .flat_map(|(file, text)| wrong_imports(file, text))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_picture_in_lib_rs_has_the_same_layers() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs"))
        .expect("src/lib.rs");
    let drawn: Vec<&str> = text
        .split("```")
        .nth(1)
        .expect("a picture")
        .lines()
        .filter_map(|line| line.strip_prefix("//! ")?.split_whitespace().next())
        .filter(|word| LAYERS.iter().any(|(name, _)| name == word))
        .collect();
    let present: Vec<&str> = LAYERS
        .iter()
        .map(|(name, _)| *name)
        .filter(|name| {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(name);
            path.is_dir() || path.with_extension("rs").is_file()
        })
        .rev()
        .collect();
    for name in present {
        assert!(drawn.contains(&name), "src/lib.rs draws no layer {name}");
    }
    // From the top of the picture down, nobody imports what stands above.
    for (at, name) in drawn.iter().enumerate() {
        let (_, allowed) = LAYERS
            .iter()
            .find(|(layer, _)| layer == name)
            .expect("a layer");
        for above in &drawn[..at] {
            assert!(
                !allowed.contains(above),
                "{name} may import {above}, drawn above it"
            );
        }
    }
}

#[test]
fn unsafe_stands_only_where_it_may() {
    for (file, text) in files("src", "rs") {
        if UNSAFE.iter().any(|place| file.starts_with(place)) {
            continue;
        }
        for (line, word, _) in words(&rust_code(&text)) {
            assert!(
                word != "unsafe" && word != "unsafe_code",
                "{file}:{line}: unsafe outside {UNSAFE:?}"
            );
        }
    }
}

/// Lua's tokens with their lines; strings are `""`, comments are left out.
fn lua_tokens(text: &str) -> Vec<(usize, String)> {
    let bytes = text.as_bytes();
    let (mut tokens, mut at, mut line) = (Vec::new(), 0, 1);
    // The level of a long bracket that opens at `at`.
    let long = |at: usize| -> Option<usize> {
        let rest = bytes.get(at..)?;
        let level = rest.get(1..)?.iter().take_while(|&&b| b == b'=').count();
        (rest[0] == b'[' && rest.get(level + 1) == Some(&b'[')).then_some(level)
    };
    let long_end = |at: usize, level: usize| {
        let close = format!("]{}]", "=".repeat(level));
        text[at..]
            .find(&close)
            .map_or(text.len(), |end| at + end + close.len())
    };
    while at < bytes.len() {
        let (start, byte) = (at, bytes[at]);
        if text[at..].starts_with("--") {
            at = match long(at + 2) {
                Some(level) => long_end(at, level),
                None => text[at..].find('\n').map_or(text.len(), |end| at + end),
            };
        } else if let Some(level) = long(at) {
            at = long_end(at, level);
            tokens.push((line, "\"\"".into()));
        } else if byte == b'"' || byte == b'\'' {
            at += 1;
            while at < bytes.len() && bytes[at] != byte {
                at += if bytes[at] == b'\\' { 2 } else { 1 };
            }
            at += 1;
            tokens.push((line, "\"\"".into()));
        } else if is_word(byte) {
            let number = byte.is_ascii_digit();
            while at < bytes.len() && (is_word(bytes[at]) || (number && bytes[at] == b'.')) {
                at += 1;
            }
            tokens.push((line, text[start..at].into()));
        } else {
            let two = matches!(text.get(at..at + 2), Some("==" | "~=" | "<=" | ">=" | ".."));
            at += if two { 2 } else { 1 };
            while !text.is_char_boundary(at) {
                at += 1;
            }
            if !byte.is_ascii_whitespace() {
                tokens.push((line, text[start..at].into()));
            }
        }
        line += text[start..at.min(text.len())].matches('\n').count();
    }
    tokens
}

/// What holds numbers of ZeroMQ.
const NAMES: &[&str] = &[
    "errno",
    "err",
    "flags",
    "option",
    "events",
    "revents",
    "event",
    "mask",
    "kind",
    "mechanism",
    "socket_type",
];
/// Calls whose first argument is a number of ZeroMQ.
const FIRST: &[&str] = &[
    "socket",
    "getopt",
    "setopt",
    "get",
    "set",
    "recv",
    "has_event",
    "error",
    "strerror",
];
/// Calls whose second argument or any later one is a number of ZeroMQ.
const LATER: &[&str] = &[
    "send",
    "send_msg",
    "recv_msg",
    "recv_into",
    "poll",
    "monitor",
    "add",
    "modify",
];

/// The call that the token at `at` is an argument of, and which.
fn call_of(tokens: &[(usize, String)], at: usize) -> Option<(&str, usize)> {
    let (mut depth, mut number) = (0, 1);
    for before in (1..at).rev() {
        match tokens[before].1.as_str() {
            ")" | "}" | "]" => depth += 1,
            "(" if depth == 0 => return Some((&tokens[before - 1].1, number)),
            "{" | "[" if depth == 0 => return None,
            "(" | "{" | "[" => depth -= 1,
            "," if depth == 0 => number += 1,
            _ => {}
        }
    }
    None
}

/// Where a Lua file types a number of ZeroMQ: as an argument that is a type, an option or flags; compared with or
/// given to what holds such a number; or a number that only libzmq has. 0 is no flags, and -1 waits for ever.
fn zmq_numbers(text: &str) -> Vec<usize> {
    let tokens = lua_tokens(text);
    let token = |at: Option<usize>| {
        at.and_then(|at| tokens.get(at))
            .map_or("", |t| t.1.as_str())
    };
    let mut found = Vec::new();
    for (at, (line, text)) in tokens.iter().enumerate() {
        if !text.starts_with(|c: char| c.is_ascii_digit()) || text == "0" {
            continue;
        }
        let before = token(at.checked_sub(1));
        if before == "-" && text == "1" {
            continue;
        }
        let alone = matches!(before, "(" | ",") && matches!(token(Some(at + 1)), ")" | ",");
        let argument = alone
            && call_of(&tokens, at).is_some_and(|(name, number)| {
                (number == 1 && FIRST.contains(&name)) || (number > 1 && LATER.contains(&name))
            });
        let held = matches!(before, "==" | "~=" | "=") && NAMES.contains(&token(at.checked_sub(2)))
            || matches!(token(Some(at + 1)), "==" | "~=")
                && NAMES.contains(&token(Some(at + 2)))
                && token(Some(at + 3)) != ".";
        let only_libzmqs = text
            .parse::<f64>()
            .is_ok_and(|n| (156_384_712.0..156_384_812.0).contains(&n));
        if argument || held || only_libzmqs {
            found.push(*line);
        }
    }
    found
}

#[test]
fn no_number_of_zeromq_is_typed_in_lua() {
    for (file, text) in files("lua", "lua") {
        let lines = zmq_numbers(&text);
        assert!(
            lines.is_empty(),
            "{file}: a number of ZeroMQ in lines {lines:?}"
        );
    }
}

#[test]
fn the_checks_find_what_they_look_for() {
    assert_eq!(
        wrong_imports("src/sys/x.rs", "use crate::core::Socket;").len(),
        1
    );
    assert_eq!(
        wrong_imports("src/core/x.rs", "use crate::{sys, abi::{a, b}, lua};").len(),
        2
    );
    assert_eq!(
        wrong_imports("src/core/x.rs", "fn f() { zmq_sys::zmq_errno() }").len(),
        1
    );
    assert_eq!(
        wrong_imports("src/core/x.rs", "use super::super::lua;").len(),
        1
    );
    assert_eq!(wrong_imports("src/other.rs", "").len(), 1);
    let fine = "// crate::lua\nuse crate::{sys::Errno, schema}; const A: &str = \"crate::abi\";";
    assert!(wrong_imports("src/core/x.rs", fine).is_empty());
    assert!(wrong_imports(
        "src/lua/raw/x.rs",
        "use super::super::args; use crate::abi;"
    )
    .is_empty());

    for bad in [
        "s:setopt(17, 1)",
        "ctx:socket(7)",
        "s:recv(1)",
        "s:send(text, 2)",
        "s:send(f(a, b), 2)",
        "s:recv_msg(msg, 1)",
        "if errno == 11 then end",
        "if 4 ~= errno then end",
        "local flags = 2",
        "x = 156384765",
    ] {
        assert_eq!(zmq_numbers(bad), [1], "{bad}");
    }
    for fine in [
        "s:setopt(zmq.LINGER, 17) -- s:setopt(17, 1)",
        "s:send('s:recv(1)') s:recv() s:recv(0) s:poll(-1) s:poll(100)",
        "error('text', 2) assert(n == 3) list[2] = 4",
        "local x = [[ s:recv(1) ]] --[[ s:recv(1) ]]",
        "if flags == nil then flags = 0 end",
    ] {
        assert!(zmq_numbers(fine).is_empty(), "{fine}");
    }
}
