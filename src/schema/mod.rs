//! The truth about libzmq as const rows: options, constants, errors, events, message properties.
//!
//! Everything else (option methods, constants in Lua, docs, annotations, specs) is derived from
//! these rows. They describe libzmq 4.3.5 with its draft API; `tests/schema.rs` checks them
//! against the real header and the real library. This module knows nobody: no libzmq, no Lua.

mod constants;
mod context_options;
mod errors;
mod events;
mod message_properties;
mod option;
mod socket_options;

pub use constants::{
    constant, protocol_error, socket_type, socket_type_name, Constant, Group, CONSTANTS,
};
pub use context_options::{
    context_option, context_option_by_number, context_option_to_set, CONTEXT_OPTIONS,
};
pub use errors::{error_by_name, error_by_number, ErrorRow, ERRORS};
pub use events::{event, event_by_number, EventRow, EventValue, EVENTS};
pub use message_properties::{
    message_property, Metadata, PropertyRow, MESSAGE_PROPERTIES, METADATA,
};
pub use option::{Access, Kind, OptionRow, Test, Value, When};
pub use socket_options::{socket_option, socket_option_by_number, HWM, SOCKET_OPTIONS};

/// The part of a name that the rows hold: without `ZMQ_`, whose case doesn't matter either.
fn bare(name: &str) -> &str {
    match name.get(..4) {
        Some(prefix) if prefix.eq_ignore_ascii_case("ZMQ_") => &name[4..],
        _ => name,
    }
}

/// Concatenates slices of rows at compile time. `first` only gives the array a value to start with.
const fn join<T: Copy, const N: usize>(first: T, parts: &[&[T]]) -> [T; N] {
    let mut all = [first; N];
    let (mut at, mut part) = (0, 0);
    while part < parts.len() {
        let mut row = 0;
        while row < parts[part].len() {
            all[at] = parts[part][row];
            at += 1;
            row += 1;
        }
        part += 1;
    }
    assert!(at == N, "the parts don't fill the array");
    all
}
