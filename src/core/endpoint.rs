//! Endpoints: what libzmq gets wrong about them or leaves unexplained.

use super::error::{Error, Result};
use crate::sys::Errno;
use std::ffi::CString;

/// Checks an endpoint before libzmq sees it.
pub fn check(endpoint: &[u8]) -> Result<CString> {
    let text = CString::new(endpoint)
        .map_err(|_| Error::new(libc::EINVAL, "endpoint holds a NUL byte"))?;
    // libzmq takes port 99999 and binds another one.
    let shown = String::from_utf8_lossy(endpoint);
    if let Some(port) = port(&shown) {
        let digits = port.strip_prefix('-').unwrap_or(port);
        let number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        if number && port.parse::<u16>().is_err() {
            let hint = format!("{shown} (a port is a number from 0 to 65535)");
            return Err(Error::new(libc::EINVAL, hint));
        }
    }
    Ok(text)
}

/// The port's text in a `tcp`, `udp`, `ws` or `wss` endpoint.
fn port(endpoint: &str) -> Option<&str> {
    let (scheme, address) = endpoint.split_once("://")?;
    if !matches!(scheme, "tcp" | "udp" | "ws" | "wss") {
        return None;
    }
    // A connect may name its source first: "source;destination". A path may follow in ws.
    let address = if scheme.starts_with("ws") {
        address.split('/').next()?
    } else {
        address
    };
    Some(address.rsplit_once(':')?.1)
}

/// What is wrong with an endpoint that libzmq finds invalid.
fn malformed(endpoint: &str) -> &'static str {
    match endpoint.split_once("://") {
        _ if endpoint.is_empty() => "",
        None => " (an endpoint is transport://address)",
        Some((_, "")) => " (the address is empty)",
        Some(("tcp" | "udp", address)) if !address.contains(':') => " (the port is missing)",
        Some((_, address)) if address.starts_with("*:") => " (* as an address is for bind)",
        _ => "",
    }
}

/// libzmq's failure with the endpoint named and, where the reason is known, a hint.
pub fn explain(errno: Errno, endpoint: &[u8]) -> Error {
    let shown = String::from_utf8_lossy(endpoint);
    let hint = match errno.0 {
        libc::EINVAL => malformed(&shown),
        libc::ENOENT if !shown.starts_with("ipc://") => " (not bound or connected to it)",
        libc::ENODEV if shown.contains('[') => " (for an IPv6 address set the option ipv6 first)",
        libc::ENODEV => " (no such interface or address on this machine)",
        libc::ENAMETOOLONG => " (an ipc path has at most 107 bytes)",
        libc::EPROTONOSUPPORT => " (a transport this libzmq does not know)",
        libc::EADDRINUSE => " (another socket is bound to it)",
        libc::EADDRNOTAVAIL => " (no such address on this machine)",
        _ => "",
    };
    let text = if shown.is_empty() {
        "the endpoint is empty".into()
    } else {
        shown
    };
    Error::new(errno.0, format!("{text}{hint}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_malformed_is_told() {
        for (endpoint, told) in [
            ("foo", "foo (an endpoint is transport://address)"),
            ("inproc://", "inproc:// (the address is empty)"),
            ("tcp://lo", "tcp://lo (the port is missing)"),
            ("tcp://*:1", "tcp://*:1 (* as an address is for bind)"),
            ("tcp://lo:!", "tcp://lo:!"),
            ("", "the endpoint is empty"),
        ] {
            assert_eq!(
                explain(Errno(libc::EINVAL), endpoint.as_bytes()).about,
                told
            );
        }
    }

    #[test]
    fn ports_outside_the_range_are_refused() {
        for bad in [
            "tcp://127.0.0.1:99999",
            "tcp://*:-1",
            "tcp://[::1]:65536",
            "ws://h:70000/p",
        ] {
            assert_eq!(
                check(bad.as_bytes()).map_err(|e| e.errno),
                Err(libc::EINVAL),
                "{bad}"
            );
        }
        for good in [
            "tcp://*:0",
            "tcp://127.0.0.1:*",
            "tcp://[::1]:65535",
            "inproc://a:99999",
            "ipc:///tmp/x:99999",
            "ws://h:80/p",
            "tcp://lo:!",
            "tcp://a:1;b:2",
            "",
            "tcp://h:",
        ] {
            assert!(check(good.as_bytes()).is_ok(), "{good}");
        }
        assert_eq!(
            check(b"inproc://a\0b").map_err(|e| e.about),
            Err("endpoint holds a NUL byte".into())
        );
    }
}
