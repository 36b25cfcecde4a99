//! Options on authentication and encryption: ZAP, PLAIN, CURVE, GSSAPI, TLS of wss.

use crate::schema::option::{int, text, Access::*, Kind::*, OptionRow, ROW};

/// Any 40 characters of Z85 will do where only setting and reading back is tried.
const KEY: &str = "rzmq0.tests1.key2.schema3.bytes4.0123456";

const CURVE: OptionRow = OptionRow {
    since: (4, 0, 0),
    capability: Some("curve"),
    ..ROW
};
const GSSAPI: OptionRow = OptionRow {
    since: (4, 1, 0),
    capability: Some("gssapi"),
    ..ROW
};
const WSS: OptionRow = OptionRow {
    access: WriteOnly,
    since: (4, 3, 3),
    capability: Some("WSS"),
    draft: true,
    ..ROW
};

pub(super) const ROWS: &[OptionRow] = &[
    OptionRow {
        name: "zap_domain",
        number: 55,
        kind: Str,
        since: (4, 0, 0),
        doc: "The domain told to the ZAP handler: 1 to 255 bytes. A NULL server asks the handler \
              only if one is set.",
        test: text("PULL", "global"),
        ..ROW
    },
    OptionRow {
        name: "zap_enforce_domain",
        number: 93,
        kind: Bool,
        default: "0",
        since: (4, 2, 3),
        draft: true,
        doc: "1 follows RFC 27 to the letter: security needs a domain, and a missing ZAP handler \
              refuses peers.",
        test: int("PULL", 1),
        ..ROW
    },
    OptionRow {
        name: "plain_server",
        number: 44,
        kind: Bool,
        default: "0",
        since: (4, 0, 0),
        doc: "1 makes the socket a PLAIN server; 0 sets the mechanism back to NULL.",
        test: int("PULL", 1),
        ..ROW
    },
    OptionRow {
        name: "plain_username",
        number: 45,
        kind: Str,
        since: (4, 0, 0),
        doc: "User name, at most 255 bytes; makes the socket a PLAIN client. Empty sets the \
              mechanism back to NULL and leaves the name as it was.",
        test: text("PUSH", "user"),
        ..ROW
    },
    OptionRow {
        name: "plain_password",
        number: 46,
        kind: Str,
        since: (4, 0, 0),
        doc: "Password, at most 255 bytes; makes the socket a PLAIN client. Empty sets the \
              mechanism back to NULL and leaves the password as it was.",
        test: text("PUSH", "secret"),
        ..ROW
    },
    OptionRow {
        name: "curve_server",
        number: 47,
        kind: Bool,
        default: "0",
        doc: "1 makes the socket a CURVE server; 0 sets the mechanism back to NULL.",
        test: int("PULL", 1),
        ..CURVE
    },
    OptionRow {
        name: "curve_publickey",
        number: 48,
        kind: Key,
        default: "not set",
        doc: "A CURVE client's own public key.",
        test: text("PUSH", KEY),
        ..CURVE
    },
    OptionRow {
        name: "curve_secretkey",
        number: 49,
        kind: Key,
        default: "not set",
        doc: "The socket's own secret key, for servers and clients.",
        test: text("PUSH", KEY),
        ..CURVE
    },
    OptionRow {
        name: "curve_serverkey",
        number: 50,
        kind: Key,
        default: "not set",
        doc: "The server's public key; makes the socket a CURVE client.",
        test: text("PUSH", KEY),
        ..CURVE
    },
    OptionRow {
        name: "gssapi_server",
        number: 62,
        kind: Bool,
        default: "0",
        doc: "1 makes the socket a GSSAPI server, 0 a GSSAPI client.",
        test: int("PULL", 1),
        ..GSSAPI
    },
    OptionRow {
        name: "gssapi_principal",
        number: 63,
        kind: Str,
        doc: "Name of the principal whose credentials are used: 1 to 255 bytes.",
        test: text("PUSH", "client"),
        ..GSSAPI
    },
    OptionRow {
        name: "gssapi_service_principal",
        number: 64,
        kind: Str,
        doc: "Name of the server's principal, 1 to 255 bytes; makes the socket a GSSAPI client.",
        test: text("PUSH", "server"),
        ..GSSAPI
    },
    OptionRow {
        name: "gssapi_plaintext",
        number: 65,
        kind: Bool,
        default: "0",
        doc: "1 authenticates only and leaves messages unencrypted.",
        test: int("PUSH", 1),
        ..GSSAPI
    },
    OptionRow {
        name: "gssapi_principal_nametype",
        number: 90,
        unit: "GSSAPI_NT_*",
        default: "0",
        since: (4, 3, 0),
        doc: "How gssapi_principal is to be understood.",
        test: int("PUSH", 1),
        ..GSSAPI
    },
    OptionRow {
        name: "gssapi_service_principal_nametype",
        number: 91,
        unit: "GSSAPI_NT_*",
        default: "0",
        since: (4, 3, 0),
        doc: "How gssapi_service_principal is to be understood.",
        test: int("PUSH", 1),
        ..GSSAPI
    },
    OptionRow {
        name: "wss_key_pem",
        number: 103,
        kind: Str,
        doc: "A wss server's private key, as PEM text.",
        test: text("PULL", "key"),
        ..WSS
    },
    OptionRow {
        name: "wss_cert_pem",
        number: 104,
        kind: Str,
        doc: "A wss server's certificate, as PEM text.",
        test: text("PULL", "certificate"),
        ..WSS
    },
    OptionRow {
        name: "wss_trust_pem",
        number: 105,
        kind: Str,
        doc: "Certificates that a wss client trusts, as PEM text.",
        test: text("PUSH", "certificate"),
        ..WSS
    },
    OptionRow {
        name: "wss_hostname",
        number: 106,
        kind: Str,
        doc: "Host name for which a wss server's certificate must be; empty checks none.",
        test: text("PUSH", "localhost"),
        ..WSS
    },
    OptionRow {
        name: "wss_trust_system",
        number: 107,
        kind: Bool,
        default: "0",
        doc: "1 lets a wss client trust the system's certificates.",
        test: int("PUSH", 1),
        ..WSS
    },
];
