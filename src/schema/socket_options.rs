//! Socket options: zmq_setsockopt(3) and zmq_getsockopt(3). The rows live in files by theme.

mod messages;
mod multicast;
mod pattern;
mod security;
mod state;
mod transport;

use super::option::{is_named, OptionRow};

/// Number of the one option that is ours: lua-zmq's `hwm`, which libzmq does not know. Setting it
/// sets sndhwm, then rcvhwm; getting it gives their value when they agree, else rcvhwm.
pub const HWM: i32 = 1;

/// The option of that name or alias, in any ASCII case, with or without `ZMQ_`.
pub fn socket_option(name: &str) -> Option<&'static OptionRow> {
    let name = super::bare(name);
    SOCKET_OPTIONS.iter().find(|row| is_named(row, name))
}

/// The option of that number.
pub fn socket_option_by_number(number: i32) -> Option<&'static OptionRow> {
    SOCKET_OPTIONS.iter().find(|row| row.number == number)
}

const PARTS: &[&[OptionRow]] = &[
    messages::ROWS,
    state::ROWS,
    pattern::ROWS,
    transport::ROWS,
    security::ROWS,
    multicast::ROWS,
];

const COUNT: usize = {
    let (mut count, mut part) = (0, 0);
    while part < PARTS.len() {
        count += PARTS[part].len();
        part += 1;
    }
    count
};

/// Every socket option.
pub static SOCKET_OPTIONS: &[OptionRow] = &super::join::<OptionRow, COUNT>(PARTS[0][0], PARTS);
