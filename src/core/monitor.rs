//! Socket monitors: starting and ending them without a hang, and what their events say.
//!
//! libzmq sends an event to a PAIR socket, and waits for ever if there is none, or there was one and it is gone, in the
//! call that caused the event or in a thread of the context. So a monitor ends before the socket it watches or its
//! reader is closed, and a spare reader stands by for monitors that nobody was ever connected to.

use super::endpoint;
use super::error::{Error, Result};
use super::registry::{registry, Open, OpenSocket, Owner};
use super::security;
use super::socket::Socket;
use crate::schema;
use crate::sys::{self, Closer, Errno, SpareReader};
use std::ffi::CString;
use std::time::Duration;

/// A context's address and an inproc endpoint in it.
pub(super) type Address = (usize, Vec<u8>);

/// A monitor that is on.
pub(super) struct Monitor {
    /// The number of the socket it watches.
    socket: u64,
    watched: Closer,
    spare: Option<SpareReader>,
}

/// Beyond these bits an event needs version 2.
const VERSION_1: u64 = 0xffff;

/// For how many ms `monitor` waits for an address that another monitor of ours is giving up.
const ADDRESS_MS: u32 = 100;

impl Open {
    /// Ends the monitor at an address, if there is one.
    fn stop_monitor(&mut self, address: &Address) {
        if let Some(monitor) = self.monitors.remove(address) {
            if let (Some(spare), Ok(endpoint)) = (&monitor.spare, CString::new(&address.1[..])) {
                spare.connect(&endpoint);
            }
            monitor.watched.stop_monitor();
            if let Some(socket) = self.sockets.get_mut(&monitor.socket) {
                socket.monitor = None;
            }
        }
    }

    /// Ends the monitors of a socket that is about to be closed: the one on it, and those it reads.
    pub fn end_monitors(&mut self, socket: &OpenSocket) {
        for endpoint in socket.monitor.iter().chain(&socket.reads) {
            self.stop_monitor(&(socket.context, endpoint.clone()));
        }
    }
}

impl Socket {
    /// Monitors this socket at an inproc address, by default a new one, and returns it. An earlier monitor ends. The
    /// events go to the PAIR socket that connects there; until one does, whatever causes an event waits. May block for
    /// some ms where the address was just used. EPROTONOSUPPORT, EADDRINUSE, ENOTSUP.
    pub fn monitor(&self, endpoint: Option<&[u8]>, events: u64, version: i32) -> Result<Vec<u8>> {
        self.start_monitor(endpoint, events, version, true)
    }

    fn start_monitor(
        &self,
        endpoint: Option<&[u8]>,
        events: u64,
        version: i32,
        needs_spare: bool,
    ) -> Result<Vec<u8>> {
        let endpoint = match endpoint {
            Some(endpoint) => endpoint.to_vec(),
            None => format!("inproc://rzmq.monitor.{}", registry().lock().number()).into_bytes(),
        };
        let text = endpoint::check(&endpoint)?;
        if !endpoint.starts_with(INPROC) {
            let hint = format!("{} (monitors are inproc:// only)", text.to_string_lossy());
            return Err(Error::new(libc::EPROTONOSUPPORT, hint));
        }
        security::check_zap_handler(PAIR, &endpoint)?;
        self.stop_monitor();
        let spare = match needs_spare {
            true => Some(self.home()?.spare_reader()?),
            false => None,
        };
        let handle = self.handle();
        let mut tries = ADDRESS_MS;
        loop {
            // The v1 call is there in every libzmq.
            let result = match i32::try_from(events) {
                Ok(events) if version == 1 => handle.monitor(Some(&text), events),
                _ => handle.monitor_versioned(Some(&text), events, version, PAIR),
            };
            match result {
                Ok(()) => break,
                Err(Errno(libc::EADDRINUSE)) if tries > 0 => {
                    tries -= 1;
                    sys::sleep(Duration::from_millis(1))?;
                }
                Err(Errno(libc::ENOTSUP)) => {
                    let hint = "monitor events of version 2 need libzmq's draft API";
                    return Err(Error::new(libc::ENOTSUP, hint));
                }
                Err(errno) => return Err(endpoint::explain(errno, &endpoint)),
            }
        }
        let context = self.home()?.address();
        let mut open = registry().lock();
        let monitor = Monitor {
            socket: self.number(),
            watched: handle.closer(),
            spare,
        };
        // Readers that connected before there was anything to read (see `before_connect`).
        for reader in open.sockets.values() {
            if reader.context == context && reader.reads.contains(&endpoint) {
                reader.closer.receive_unlimited();
            }
        }
        open.monitors.insert((context, endpoint.clone()), monitor);
        if let Some(socket) = open.sockets.get_mut(&self.number()) {
            socket.monitor = Some(endpoint.clone());
        }
        Ok(endpoint)
    }

    /// Ends this socket's monitor, whose reader gets monitor_stopped as the last event. Never blocks; does nothing
    /// where there is none.
    pub fn stop_monitor(&self) {
        let mut open = registry().lock();
        let socket = open.sockets.get_mut(&self.number());
        let on = socket.and_then(|socket| Some((socket.context, socket.monitor.take()?)));
        if let Some(address) = on {
            open.stop_monitor(&address);
        }
    }

    /// Monitors this socket and returns the connected PAIR socket that gets the events, monitor_stopped among them,
    /// in any number. EMFILE, ENOTSUP.
    pub fn get_monitor(&self, events: u64, version: i32, owner: Owner) -> Result<Socket> {
        let mut reader = Socket::open(self.home()?, PAIR, owner)?;
        for (option, value) in [(sys::LINGER, 0), (sys::RCVHWM, 0)] {
            reader.handle().set_int(option, value)?;
        }
        let events = events | schema::event("monitor_stopped").map_or(0, |row| row.number);
        let address = self.start_monitor(None, events, version, false)?;
        reader.connect(&address)?;
        Ok(reader)
    }

    /// Before this socket connects to an endpoint: a monitor's reader, of whatever type, takes any number of events, for
    /// one that stops to read would stop the context's threads.
    pub(super) fn before_connect(&self, endpoint: &[u8]) {
        if endpoint.starts_with(INPROC) {
            let mut open = registry().lock();
            let context = open
                .sockets
                .get_mut(&self.number())
                .map(|socket| socket.context);
            let address = (context.unwrap_or(0), endpoint.to_vec());
            if open.monitors.contains_key(&address) {
                let _ = self.handle().set_int(sys::RCVHWM, 0);
            }
        }
    }

    /// After this socket connected to an endpoint.
    pub(super) fn may_read_from(&self, endpoint: &[u8]) {
        if endpoint.starts_with(INPROC) {
            if let Some(socket) = registry().lock().sockets.get_mut(&self.number()) {
                socket.reads.push(endpoint.to_vec());
            }
        }
    }

    /// Before this socket disconnects from an endpoint: a monitor that it reads ends.
    pub(super) fn before_disconnect(&self, endpoint: &[u8]) {
        if endpoint.starts_with(INPROC) {
            let mut open = registry().lock();
            if let Some(socket) = open.sockets.get_mut(&self.number()) {
                socket.reads.retain(|read| read != endpoint);
                let address = (socket.context, endpoint.to_vec());
                open.stop_monitor(&address);
            }
        }
    }
}

const PAIR: i32 = sys::PAIR;

/// Monitors know no other transport.
const INPROC: &[u8] = b"inproc://";

/// The version that a mask of events needs.
pub fn version_for(events: u64) -> i32 {
    if events & !VERSION_1 == 0 {
        1
    } else {
        2
    }
}

/// A monitor's event.
#[derive(Debug, PartialEq, Eq)]
pub struct Event {
    /// Its number.
    pub number: u64,
    /// What comes with it; one value in version 1.
    pub values: Vec<u64>,
    /// Version 1: the endpoint it is about. Version 2: the local one.
    pub endpoint: Vec<u8>,
    /// Version 2: the peer's endpoint.
    pub remote: Option<Vec<u8>>,
}

/// Reads an event from its frames: 2 of version 1, 4 or more of version 2. EINVAL for anything else.
pub fn parse<F: AsRef<[u8]>>(frames: &[F]) -> Result<Event> {
    let invalid = || {
        let sizes: Vec<String> = frames
            .iter()
            .map(|frame| frame.as_ref().len().to_string())
            .collect();
        let hint = format!("not a monitor event: frames of {} bytes", sizes.join(", "));
        Error::new(libc::EINVAL, hint)
    };
    let number = |frame: &F| {
        let bytes = frame.as_ref().try_into().map_err(|_| invalid())?;
        Ok::<u64, Error>(u64::from_ne_bytes(bytes))
    };
    match frames {
        [head, endpoint] => {
            let Ok([a, b, value @ ..]) = <[u8; 6]>::try_from(head.as_ref()) else {
                return Err(invalid());
            };
            Ok(Event {
                number: u16::from_ne_bytes([a, b]).into(),
                values: vec![u32::from_ne_bytes(value).into()],
                endpoint: endpoint.as_ref().to_vec(),
                remote: None,
            })
        }
        [head, count, values @ .., local, remote] if number(count)? == values.len() as u64 => {
            Ok(Event {
                number: number(head)?,
                values: values.iter().map(number).collect::<Result<_>>()?,
                endpoint: local.as_ref().to_vec(),
                remote: Some(remote.as_ref().to_vec()),
            })
        }
        _ => Err(invalid()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_either_version_are_read_and_others_refused() {
        let mut head = 0x8000u16.to_ne_bytes().to_vec();
        head.extend(7u32.to_ne_bytes());
        let event = parse(&[&head[..], b"tcp://a"]).expect("an event");
        assert_eq!((event.number, &event.values[..]), (0x8000, &[7][..]));
        assert_eq!(event.endpoint, b"tcp://a");

        let words: Vec<[u8; 8]> = [0x10000u64, 2, 3, 4].map(u64::to_ne_bytes).to_vec();
        let frames = [&words[0][..], &words[1], &words[2], &words[3], b"l", b"r"];
        let event = parse(&frames).expect("an event");
        assert_eq!(event.values, [3, 4]);
        assert_eq!(event.remote.as_deref(), Some(&b"r"[..]));

        for bad in [
            &frames[..5],
            &frames[..1],
            &[],
            &[b"12345", b"a"],
            &[b"", b""],
        ] {
            assert_eq!(
                parse(bad).map_err(|e| e.errno),
                Err(libc::EINVAL),
                "{bad:?}"
            );
        }
    }
}
