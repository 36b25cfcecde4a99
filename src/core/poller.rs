//! Pollers: the payload of a poller object. What is registered, under which index, and what the last wait found.
//!
//! An index stays with its target until that is removed or closed, and is given again afterwards. What a wait found is
//! handed out one by one, so that whoever handles it may change the poller meanwhile. No Lua, no callbacks.

use super::ending;
use super::error::{Error, Result};
use super::tag::{Kind, State};
use crate::sys::{self, Errno, Target};
use std::collections::HashMap;
use std::mem::ManuallyDrop;
use std::time::{Duration, Instant};

/// A time limit of a call that goes on after a signal.
#[derive(Clone, Copy)]
pub struct Deadline(Option<Instant>, i32);

impl Deadline {
    /// `ms` from now; below 0 there is none.
    pub fn new(ms: i32) -> Deadline {
        let limit = u64::try_from(ms).map(Duration::from_millis);
        Deadline(limit.ok().map(|limit| Instant::now() + limit), ms)
    }

    /// The ms that are left; -1 without a limit.
    pub fn left(&self) -> i32 {
        match self.0 {
            None => -1,
            Some(at) => {
                let left = at.saturating_duration_since(Instant::now());
                // Rounded up: a wait that a signal ends early doesn't become a busy one.
                let ms = left.as_micros().div_ceil(1000);
                i32::try_from(ms).unwrap_or(self.1).min(self.1)
            }
        }
    }
}

/// What an index stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Id {
    Socket(usize),
    Descriptor(i32),
}

impl Id {
    fn of(target: Target) -> Id {
        match target {
            Target::Socket(socket) => Id::Socket(socket.as_ptr() as usize),
            Target::Descriptor(fd) => Id::Descriptor(fd),
        }
    }
}

/// One registration, or a free place for one.
struct Place {
    id: Option<Id>,
    events: i16,
    /// Differs for each registration, so that what was found for an earlier one isn't taken for this one's.
    serial: u64,
}

/// Something that the last wait found ready.
struct Ready {
    index: usize,
    serial: u64,
    events: i16,
}

const EVENTS: i16 = sys::POLLIN | sys::POLLOUT | sys::POLLERR | sys::POLLPRI;

/// Refuses events that libzmq doesn't know.
pub fn check_events(events: i16) -> Result<()> {
    if events & !EVENTS == 0 {
        Ok(())
    } else {
        Err(Error::new(libc::EINVAL, format!("events {events}")))
    }
}

/// A poller as one Lua state holds it.
#[repr(C)]
pub struct Poller {
    tag: u64,
    /// None once closed.
    inner: ManuallyDrop<Option<sys::Poller>>,
    places: Vec<Place>,
    free: Vec<usize>,
    indices: HashMap<Id, usize>,
    /// How many registrations wait for something.
    waiting: usize,
    ready: Vec<Ready>,
    next: usize,
    last_serial: u64,
    /// When the wait under way ends; noted only while interrupted calls are retried.
    deadline: Deadline,
}

impl Poller {
    /// An empty poller; ENOMEM.
    pub fn new() -> Result<Poller> {
        Ok(Poller {
            tag: Kind::Poller.live(),
            inner: ManuallyDrop::new(Some(sys::Poller::new()?)),
            places: Vec::new(),
            free: Vec::new(),
            indices: HashMap::new(),
            waiting: 0,
            ready: Vec::new(),
            next: 0,
            last_serial: 0,
            deadline: Deadline(None, -1),
        })
    }

    /// Live, closed, or the parent's.
    pub fn state(&self) -> State {
        match Kind::Poller.state(self.tag) {
            State::Live if self.inner.is_none() => State::Closed,
            state => state,
        }
    }

    /// Lets go of everything registered; a second call does nothing.
    pub fn close(&mut self) {
        if self.state() == State::Live {
            *self.inner = None;
            self.places = Vec::new();
            self.free = Vec::new();
            self.indices = HashMap::new();
            self.ready = Vec::new();
            self.next = 0;
            self.waiting = 0;
        }
    }

    fn inner(&self) -> std::result::Result<&sys::Poller, Errno> {
        self.inner.as_ref().ok_or(Errno(libc::EFAULT))
    }

    /// Forgets sockets that were closed.
    fn settle(&mut self) {
        let gone = self.inner.as_ref().map(sys::Poller::take_gone);
        for index in gone.unwrap_or_default() {
            self.vacate(index);
        }
    }

    fn vacate(&mut self, index: usize) {
        let place = &mut self.places[index];
        if let Some(id) = place.id.take() {
            self.waiting -= usize::from(place.events != 0);
            place.serial = 0;
            self.indices.remove(&id);
            self.free.push(index);
        }
    }

    /// How many targets are registered.
    pub fn count(&mut self) -> usize {
        self.settle();
        self.indices.len()
    }

    /// Registers an open socket or descriptor, or changes what a registered one is waited for; returns its index.
    /// EINVAL for unknown events, EBADF for a descriptor that isn't open, EMFILE.
    pub fn add(&mut self, target: Target, events: i16) -> Result<usize> {
        check_events(events)?;
        self.settle();
        let id = Id::of(target);
        if let Some(&index) = self.indices.get(&id) {
            self.inner()?.modify(target, events)?;
            let place = &mut self.places[index];
            self.waiting -= usize::from(place.events != 0);
            self.waiting += usize::from(events != 0);
            place.events = events;
            return Ok(index);
        }
        if let Target::Descriptor(fd) = target {
            if !sys::descriptor_is_open(fd) {
                let hint = format!("{fd} is not an open descriptor");
                return Err(Error::new(libc::EBADF, hint));
            }
        }
        let index = self.free.last().copied().unwrap_or(self.places.len());
        self.inner()?
            .add(target, index, events)
            .map_err(Poller::explain)?;
        self.free.pop();
        self.last_serial += 1;
        let place = Place {
            id: Some(id),
            events,
            serial: self.last_serial,
        };
        if index < self.places.len() {
            self.places[index] = place;
        } else {
            self.places.push(place);
        }
        self.indices.insert(id, index);
        self.waiting += usize::from(events != 0);
        Ok(index)
    }

    /// Takes a target out and returns the index it had; None for one that isn't registered.
    pub fn remove(&mut self, target: Target) -> Result<Option<usize>> {
        self.settle();
        let Some(&index) = self.indices.get(&Id::of(target)) else {
            return Ok(None);
        };
        self.inner()?.remove(target)?;
        self.vacate(index);
        Ok(Some(index))
    }

    /// Waits up to `ms` (below 0 for ever, 0 not at all) and returns how many targets are ready. EINVAL if there is
    /// nothing to wait for and no limit; ETERM, EINTR.
    pub fn wait(&mut self, ms: i32) -> std::result::Result<usize, Errno> {
        if ending::retry_interrupted() {
            self.deadline = Deadline::new(ms);
        }
        self.wait_once(ms)
    }

    /// Goes on with a wait that a signal interrupted, as long as `go_on` says so.
    pub fn resume(&mut self, mut go_on: impl FnMut() -> bool) -> std::result::Result<usize, Errno> {
        while go_on() {
            match self.wait_once(self.deadline.left()) {
                Err(Errno(libc::EINTR)) => {}
                result => return result,
            }
        }
        Err(Errno(libc::EINTR))
    }

    fn wait_once(&mut self, ms: i32) -> std::result::Result<usize, Errno> {
        self.settle();
        self.ready.clear();
        self.next = 0;
        if self.waiting == 0 {
            if ms < 0 {
                return Err(Errno(libc::EINVAL));
            }
            if ms > 0 {
                sys::sleep(Duration::from_millis(ms as u64))?;
            }
            return Ok(0);
        }
        let inner = self.inner.as_ref().ok_or(Errno(libc::EFAULT))?;
        let (ready, places) = (&mut self.ready, &self.places);
        inner.wait(ms.max(-1).into(), |index, events| {
            let serial = places[index].serial;
            ready.push(Ready {
                index,
                serial,
                events,
            });
        })?;
        Ok(ready.len())
    }

    /// The next of what the last wait found: its index and events, of those that it is still registered for. None when
    /// all were handed out.
    pub fn next_ready(&mut self) -> Option<(usize, i16)> {
        self.settle();
        while let Some(ready) = self.ready.get(self.next) {
            self.next += 1;
            let place = &self.places[ready.index];
            if place.serial == ready.serial {
                // Nobody asks for POLLERR: the system tells it.
                let events = ready.events & (place.events | sys::POLLERR);
                if events != 0 {
                    return Some((ready.index, events));
                }
            }
        }
        None
    }

    /// A failed wait's number with what it was about.
    pub fn explain(errno: Errno) -> Error {
        let about = match errno.0 {
            libc::EINVAL => "nothing to wait for",
            libc::ENOTSUP => "waiting for a thread-safe socket needs libzmq's draft API",
            _ => "",
        };
        Error::new(errno.0, about)
    }
}

impl Drop for Poller {
    fn drop(&mut self) {
        // A parent's poller is the parent's to destroy: another thread may have held its locks at the fork.
        if Kind::Poller.state(self.tag) == State::Live {
            *self.inner = None;
        }
    }
}
