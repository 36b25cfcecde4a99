//! What libzmq would abort over, overflow, or break in two without a word: refused here first.

use super::draft::GROUP_SAFE;
use super::error::{Error, Result};
use super::option::explain;
use super::{slow, Socket};
use crate::schema;
use crate::sys::{self, Errno, DONTWAIT, SNDMORE};
use std::time::{Duration, Instant};

/// What a socket has to remember for that.
#[derive(Default)]
pub(super) struct Guard {
    /// Whether what it sends is to be looked at first.
    pub watchful: bool,
    /// Whether it sends over udp.
    over_udp: bool,
    /// Whether its way out is gone (DGRAM).
    lost: bool,
}

/// The most bytes that libzmq's buffer for a datagram has (`MAX_UDP_MSG`); it writes past its end.
const DATAGRAM: usize = 8192;

/// Transports that libzmq lets a socket type use, and aborts when a peer sends several parts there (STREAM), or it
/// sends an empty one itself (DGRAM); and those that the type is for.
const UNFIT: &[(&str, &[&str], &str)] = &[
    ("STREAM", &["inproc"], "tcp or ipc"),
    (
        "DGRAM",
        &["tcp", "ipc", "inproc", "tipc", "vmci", "ws", "wss"],
        "udp",
    ),
];

fn kind(name: &str) -> i32 {
    schema::socket_type(name).expect("the schema has every socket type")
}

/// Whether a socket of this type, after losing its peer in the middle of a message, drops what it is given until
/// that message's end (`lb_t`).
pub(super) fn awaits_end(of: i32) -> bool {
    ["PUSH", "DEALER", "REQ"]
        .iter()
        .any(|name| kind(name) == of)
}

/// Refuses what this socket would send as several messages, or in part.
pub(super) fn check_parts(socket: &Socket, count: usize) -> Result<()> {
    if count < 2 {
        return Ok(());
    }
    if count > 2 && [kind("STREAM"), kind("DGRAM")].contains(&socket.kind) {
        return Err(Error::new(libc::EINVAL, "an address and one part expected"));
    }
    let conflate = schema::socket_option("conflate").expect("the schema has every option");
    if socket
        .handle
        .get_int(conflate.number)
        .is_ok_and(|on| on != 0)
    {
        let hint = "with the option conflate only the last part of a message is kept";
        return Err(Error::new(libc::EINVAL, hint));
    }
    Ok(())
}

/// The first of some parts that a datagram can't hold, before any of them is sent.
pub(super) fn too_long(socket: &Socket, parts: &[sys::Message]) -> Option<usize> {
    let datagrams = socket.guard.watchful && socket.kind == kind("DGRAM");
    parts
        .iter()
        .position(|part| datagrams && part.len() > DATAGRAM)
}

impl Socket {
    /// To be called when it is open.
    pub(super) fn guard_new(&mut self) {
        if [kind("DGRAM"), kind("RADIO")].contains(&self.kind) {
            self.guard.watchful = true;
            slow::set(slow::WATCH, true);
        }
    }

    pub(super) fn is_radio(&self) -> bool {
        self.kind == kind("RADIO")
    }

    /// To be called before a bind.
    pub(super) fn check_bind(&self, endpoint: &[u8]) -> Result<()> {
        self.check_transport(endpoint)?;
        // It aborts when it receives from an IPv6 address.
        if self.kind == kind("DGRAM") {
            let ipv6 = schema::socket_option("ipv6").expect("the schema has every option");
            if self.handle.get_int(ipv6.number).is_ok_and(|on| on != 0) {
                return Err(Error::new(
                    libc::EAFNOSUPPORT,
                    "DGRAM knows no IPv6: unset the option ipv6",
                ));
            }
        }
        Ok(())
    }

    /// To be called before a connect.
    pub(super) fn check_connect(&mut self, endpoint: &[u8]) -> Result<()> {
        self.check_transport(endpoint)?;
        self.guard.over_udp |= self.is_radio() && endpoint.starts_with(b"udp://");
        Ok(())
    }

    fn check_transport(&self, endpoint: &[u8]) -> Result<()> {
        let shown = String::from_utf8_lossy(endpoint);
        let transport = shown
            .split_once("://")
            .map_or("", |(transport, _)| transport);
        for (of, transports, takes) in UNFIT {
            if self.kind == kind(of) && transports.contains(&transport) {
                let errno =
                    schema::error_by_name("ENOCOMPATPROTO").map_or(libc::EINVAL, |row| row.number);
                return Err(Error::new(errno, format!("{shown} (a {of} takes {takes})")));
            }
        }
        Ok(())
    }

    /// Sends one part of a RADIO or DGRAM. DGRAM must not be left to wait by itself (see
    /// `sys::Socket::send_datagram`). EMSGSIZE for more than a datagram holds.
    pub(super) fn send_watchfully(
        &mut self,
        part: &mut sys::Message,
        flags: i32,
    ) -> std::result::Result<(), Errno> {
        if self.is_radio() {
            let group = part.group().map_or(0, |group| group.as_bytes().len());
            // To several peers goes one count of it too few. A datagram begins with its length and itself.
            if group > GROUP_SAFE {
                return Err(Errno(libc::EINVAL));
            }
            if self.guard.over_udp && 1 + group + part.len() > DATAGRAM {
                return Err(Errno(libc::EMSGSIZE));
            }
            return Ok(self.handle.send_message(part, flags)?);
        }
        if part.len() > DATAGRAM {
            return Err(Errno(libc::EMSGSIZE));
        }
        if self.guard.lost {
            return Err(Errno(libc::ENOTCONN));
        }
        let limit = self.handle.get_int(sys::SNDTIMEO)?;
        let deadline = u64::try_from(limit)
            .ok()
            .map(|ms| Instant::now() + Duration::from_millis(ms));
        loop {
            match self.handle.send_datagram(part, flags) {
                // No high-water mark stops the second part: the way out is about to go.
                Err(Errno(libc::EAGAIN)) if flags & SNDMORE == 0 => {
                    self.guard.lost = true;
                    return Err(Errno(libc::ENOTCONN));
                }
                Err(Errno(libc::EAGAIN)) if flags & DONTWAIT == 0 => {}
                answer => return answer,
            }
            let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
            let wait = left.map_or(LOOK_AGAIN, |left| left.min(LOOK_AGAIN));
            if wait.is_zero() {
                return Err(Errno(libc::EAGAIN));
            }
            let socket = sys::Target::Socket(&self.handle);
            let mut item = [sys::PollItem::new(socket, sys::POLLOUT)];
            sys::poll(&mut item, wait.as_millis() as i64)?;
        }
    }
}

/// How long a DGRAM waits at most before it looks whether it still has a way out.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// Refuses an option of ROUTER's for a REP, which has one inside and takes them all: with router_mandatory it aborts.
pub(super) fn check_applies(kind_of: i32, option: &schema::OptionRow) -> Result<()> {
    let listed = |name| option.sockets.split(", ").any(|socket| socket == name);
    if kind_of == kind("REP") && listed("ROUTER") && !listed("REP") {
        let about = format!("option {}", option.name);
        return Err(explain(option, Error::new(libc::EINVAL, about)));
    }
    Ok(())
}

/// The least `in_batch_size`: what libzmq's decoders read at once besides a message's bytes has to be shorter, or they
/// write where nothing is.
const LEAST_BATCH: i64 = 9;

/// Refuses a number that libzmq takes for an option, and breaks over later.
pub(super) fn check_number(option: &schema::OptionRow, number: i64) -> Result<()> {
    if option.name == "in_batch_size" && (1..LEAST_BATCH).contains(&number) {
        let about = format!("option {} {number}", option.name);
        return Err(explain(option, Error::new(libc::EINVAL, about)));
    }
    Ok(())
}

/// Refuses bytes for an option whose value is a number, unless they are as many as that number has: libzmq reads four
/// for xsub_verbose_unsubscribe without looking.
pub(super) fn check_bytes(option: &schema::OptionRow, bytes: &[u8]) -> Result<()> {
    use schema::Kind::*;
    let wanted = match option.kind {
        Int | Bool | Fd => 4,
        I64 | U64 => 8,
        Str | Bytes | Key | Strings => return Ok(()),
    };
    if let Ok(number) = bytes.try_into().map(i32::from_ne_bytes) {
        check_number(option, number.into())?;
    }
    let size = bytes.len();
    if size == wanted {
        return Ok(());
    }
    let hint = format!("option {} has {wanted} bytes, not {size}", option.name);
    Err(Error::new(libc::EINVAL, hint))
}

/// Refuses to start `count` threads that the system would not start, or not schedule so.
pub(super) fn check_threads(count: usize, scheduling: &sys::Scheduling) -> Result<()> {
    // Each takes two descriptors, the context and its first socket one each.
    let descriptors = count.saturating_mul(2).saturating_add(4);
    if !sys::descriptors_available(descriptors) {
        let hint = format!("starting {count} threads takes {descriptors} descriptors");
        return Err(Error::new(libc::EMFILE, hint));
    }
    if count <= 2 && *scheduling == sys::Scheduling::default() {
        return Ok(());
    }
    match sys::threads_available(count, scheduling) {
        Ok(()) => Ok(()),
        // EAGAIN would be told as a timeout.
        Err(Errno(libc::EAGAIN)) => {
            let errno = schema::error_by_name("EMTHREAD").map_or(libc::ENOMEM, |row| row.number);
            Err(Error::new(errno, format!("starting {count} threads")))
        }
        Err(errno) => {
            let hint = "thread_sched_policy, thread_priority or thread_affinity_cpu_add";
            Err(Error::new(errno.0, hint))
        }
    }
}
