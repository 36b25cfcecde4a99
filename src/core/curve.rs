//! CURVE keys, and the Z85 text they are written in.

use super::error::{Error, Result};
use crate::sys::{self, Errno};

/// The size of a key in bytes.
const KEY: usize = 32;

/// The length of a key as Z85 text.
pub const KEY_TEXT: usize = 40;

/// Two keys that belong together, in Z85.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyPair {
    /// What others may know.
    pub public: Vec<u8>,
    /// What they may not.
    pub secret: Vec<u8>,
}

/// A new key pair; ENOTSUP where libzmq has no CURVE.
pub fn keypair() -> Result<KeyPair> {
    let (public, secret) = sys::curve_keypair().map_err(explain)?;
    Ok(KeyPair { public, secret })
}

/// The public key, in Z85, of a secret key given as 32 bytes or 40 Z85 characters; EINVAL for any other text, ENOTSUP
/// where libzmq has no CURVE.
pub fn public(secret: &[u8]) -> Result<Vec<u8>> {
    let text = match secret.len() {
        KEY => encode(secret)?,
        _ => secret.to_vec(),
    };
    let text = <[u8; KEY_TEXT]>::try_from(text)
        .ok()
        .filter(|text| sys::z85_decode(text).is_some())
        .ok_or_else(|| {
            let hint = format!("a key is {KEY} bytes or {KEY_TEXT} Z85 characters");
            Error::new(libc::EINVAL, hint)
        })?;
    sys::curve_public(&text).map_err(explain)
}

/// Z85 text for bytes whose count is a multiple of 4; EINVAL for other counts.
pub fn encode(bytes: &[u8]) -> Result<Vec<u8>> {
    sys::z85_encode(bytes).ok_or_else(|| {
        let hint = format!("Z85 takes a multiple of 4 bytes, not {}", bytes.len());
        Error::new(libc::EINVAL, hint)
    })
}

/// The bytes of a Z85 text; EINVAL for an empty one, one whose length is no multiple of 5, and one that is no Z85.
pub fn decode(text: &[u8]) -> Result<Vec<u8>> {
    sys::z85_decode(text).ok_or_else(|| {
        let hint = match text.len() {
            length if length % 5 != 0 || length == 0 => {
                format!("Z85 text has a multiple of 5 characters, not {length}")
            }
            _ => "it is no Z85 text".to_owned(),
        };
        Error::new(libc::EINVAL, hint)
    })
}

/// A failure of a CURVE call, saying so where the library is what is missing.
fn explain(errno: Errno) -> Error {
    let hint = match errno.0 {
        libc::ENOTSUP => "CURVE is not built into this libzmq",
        _ => "",
    };
    Error::new(errno.0, hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_without_curve_is_named() {
        let text = explain(Errno(libc::ENOTSUP)).text();
        assert!(
            text.ends_with(": CURVE is not built into this libzmq"),
            "{text}"
        );
    }

    #[test]
    fn keys_come_in_two_forms_and_nothing_else_passes() {
        let pair = keypair().unwrap();
        let secret = decode(&pair.secret).unwrap();
        assert_eq!(secret.len(), KEY);
        assert_eq!(public(&pair.secret).as_ref(), Ok(&pair.public));
        assert_eq!(public(&secret).as_ref(), Ok(&pair.public));
        for bad in [&pair.secret[1..], b"", &[b'~'; 40], &[0; 40], &[0; 41]] {
            assert_eq!(
                public(bad).map_err(|e| e.errno),
                Err(libc::EINVAL),
                "{bad:?}"
            );
        }
    }

    #[test]
    fn z85_round_trips_and_refuses_the_rest() {
        // The test case of RFC 32.
        let bytes = [0x86, 0x4F, 0xD2, 0x6F, 0xB5, 0x59, 0xF7, 0x5B];
        assert_eq!(encode(&bytes).as_deref(), Ok(&b"HelloWorld"[..]));
        assert_eq!(decode(b"HelloWorld").as_deref(), Ok(&bytes[..]));
        assert_eq!(encode(b"").as_deref(), Ok(&b""[..]));
        for bad in [
            &b""[..],
            b"Hello!",
            b"~~~~~",
            b"#####",
            b"\0\0\0\0\0",
            b"abc\0d",
        ] {
            assert_eq!(
                decode(bad).map_err(|e| e.errno),
                Err(libc::EINVAL),
                "{bad:?}"
            );
        }
        assert_eq!(encode(b"abc").map_err(|e| e.errno), Err(libc::EINVAL));
    }
}
