//! Message properties: numbers for zmq_msg_get(3), metadata names for zmq_msg_gets(3).

/// A property that `zmq_msg_get` answers with a number.
#[derive(Clone, Copy, Debug)]
pub struct PropertyRow {
    /// libzmq's name in lower case without `ZMQ_`.
    pub name: &'static str,
    /// libzmq's number.
    pub number: i32,
    /// One sentence.
    pub doc: &'static str,
}

/// A metadata name that libzmq defines. Others come from a ZAP handler or a peer's `metadata`.
#[derive(Clone, Copy, Debug)]
pub struct Metadata {
    /// The constant's name without `ZMQ_`.
    pub name: &'static str,
    /// What `zmq_msg_gets` is asked for.
    pub value: &'static str,
    /// One sentence.
    pub doc: &'static str,
}

/// The property of that name, in any ASCII case, with or without `ZMQ_`.
pub fn message_property(name: &str) -> Option<&'static PropertyRow> {
    let name = super::bare(name);
    MESSAGE_PROPERTIES
        .iter()
        .find(|row| row.name.eq_ignore_ascii_case(name))
}

/// Every numeric property.
pub static MESSAGE_PROPERTIES: &[PropertyRow] = &[
    PropertyRow {
        name: "more",
        number: 1,
        doc: "1 if another part of the message follows.",
    },
    PropertyRow {
        name: "srcfd",
        number: 2,
        doc: "Descriptor of the connection it came from; deprecated, and -1 where there is none.",
    },
    PropertyRow {
        name: "shared",
        number: 3,
        doc: "1 if the bytes are shared with a copy, so that they must not be written.",
    },
];

/// Every metadata name of the header.
pub static METADATA: &[Metadata] = &[
    Metadata {
        name: "MSG_PROPERTY_ROUTING_ID",
        value: "Routing-Id",
        doc: "The routing_id option of the sender.",
    },
    Metadata {
        name: "MSG_PROPERTY_SOCKET_TYPE",
        value: "Socket-Type",
        doc: "The sender's socket type by name.",
    },
    Metadata {
        name: "MSG_PROPERTY_USER_ID",
        value: "User-Id",
        doc: "The user that the ZAP handler told.",
    },
    Metadata {
        name: "MSG_PROPERTY_PEER_ADDRESS",
        value: "Peer-Address",
        doc: "The sender's IP address.",
    },
];
