//! CURVE keys and Z85 for programs, and the file calls under `rzmq.auth` (cold).

use super::args::{Args, Fail, Return};
use super::Method;
use crate::core::{curve, files};
use mlua::{MultiValue, Value};

/// Functions of the module.
pub const METHODS: &[Method] = &[
    Method {
        names: &["curve_keypair"],
        args: "[as_binary]",
        doc: "A new CURVE key pair: the public key and the secret key, each 40 Z85 characters, or 32 bytes if \
              `as_binary` is true. Does not block. ENOTSUP where libzmq has no CURVE (zmq_curve_keypair(3)).",
        call: curve_keypair,
    },
    Method {
        names: &["curve_public"],
        args: "secret[, as_binary]",
        doc: "The public key that belongs to a secret key of 40 Z85 characters or 32 bytes: 40 Z85 characters, or 32 \
              bytes if `as_binary` is true. Does not block. EINVAL for what is no key, ENOTSUP where libzmq has no \
              CURVE (zmq_curve_public(3)).",
        call: |args| {
            let public = curve::public(&args.bytes(1)?)?;
            keys(args, 2, [public])
        },
    },
    Method {
        names: &["z85_encode"],
        args: "bytes",
        doc: "The Z85 text of a string whose length is a multiple of 4 bytes. Does not block. EINVAL for other lengths \
              (zmq_z85_encode(3)).",
        call: |args| args.one(args.lua.create_string(curve::encode(&args.bytes(1)?)?)?),
    },
    Method {
        names: &["z85_decode"],
        args: "text",
        doc: "The bytes of a Z85 text. Does not block. EINVAL for what is none (zmq_z85_decode(3)).",
        call: |args| args.one(args.lua.create_string(curve::decode(&args.bytes(1)?)?)?),
    },
];

/// Functions of `rzmq_core` alone.
pub const FILES: &[Method] = &[
    Method {
        names: &["write_file"],
        args: "path, content, private",
        doc: "Replaces a file in one step; a private one is created with mode 600. Blocks as the file system does; the \
              system's errors.",
        call: |args| {
            let (path, content) = (args.bytes(1)?, args.bytes(2)?);
            files::write(&path, &content, args.boolean(3)?)?;
            args.yes()
        },
    },
    Method {
        names: &["read_file"],
        args: "path",
        doc: "The content of a regular file of at most 1 MiB. Blocks as the file system does; EFBIG, EINVAL for a pipe \
              or device, the system's errors.",
        call: |args| args.one(args.lua.create_string(files::read(&args.bytes(1)?)?)?),
    },
    Method {
        names: &["list_files"],
        args: "directory",
        doc: "The names of a directory's regular files, sorted. Blocks as the file system does; the system's errors.",
        call: |args| {
            let names = files::list(&args.bytes(1)?)?;
            let names: Vec<_> = names.iter().map(|n| args.lua.create_string(n)).collect::<Result<_, _>>()?;
            args.one(names)
        },
    },
];

fn curve_keypair(args: &Args) -> Return {
    let pair = curve::keypair()?;
    keys(args, 1, [pair.public, pair.secret])
}

/// Keys as Z85, or as bytes if argument `number` is true.
fn keys<const N: usize>(args: &Args, number: usize, keys: [Vec<u8>; N]) -> Return {
    let binary = args.boolean(number)?;
    let mut values = Vec::with_capacity(N);
    for mut key in keys {
        if binary {
            key = curve::decode(&key)?;
        }
        values.push(Value::String(
            args.lua.create_string(key).map_err(Fail::from)?,
        ));
    }
    Ok(MultiValue::from_iter(values))
}
