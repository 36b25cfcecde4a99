//! Timers: the payload of a timers object. libzmq counts the time; who is called is its user's to know.

use super::error::{About, Error, Result};
use super::tag::{Kind, State};
use crate::sys;
use std::collections::BTreeSet;

/// A set of timers.
#[repr(C)]
pub struct Timers {
    tag: u64,
    /// None once closed.
    inner: Option<sys::Timers>,
    /// Those not cancelled: libzmq goes on answering for others until their time has passed.
    ids: BTreeSet<i32>,
}

impl Timers {
    /// No timer yet; ENOMEM.
    pub fn new() -> Result<Timers> {
        let tag = Kind::Timers.live();
        Ok(Timers {
            tag,
            inner: Some(sys::Timers::new()?),
            ids: BTreeSet::new(),
        })
    }

    /// Live or closed.
    pub fn state(&self) -> State {
        match Kind::Timers.state(self.tag) {
            State::Live if self.inner.is_none() => State::Closed,
            state => state,
        }
    }

    fn with<T>(
        &mut self,
        call: impl FnOnce(&mut sys::Timers) -> std::result::Result<T, sys::Errno>,
    ) -> std::result::Result<T, sys::Errno> {
        self.inner
            .as_mut()
            .map_or(Err(sys::Errno(libc::EFAULT)), call)
    }

    /// Adds a timer that is due every `interval` ms; returns its id. EINVAL for less than 1 ms, over which libzmq
    /// would never come to an end.
    pub fn add(&mut self, interval: i32) -> Result<i32> {
        let interval = checked(interval)?;
        let id = self.with(|timers| timers.add(interval))?;
        self.ids.insert(id);
        Ok(id)
    }

    /// Cancels a timer; EINVAL where it is not there.
    pub fn cancel(&mut self, id: i32) -> Result<()> {
        self.known(id)?;
        self.ids.remove(&id);
        self.with(|timers| timers.cancel(id)).about(|| about(id))
    }

    /// Gives a timer another interval, which begins now; EINVAL.
    pub fn set_interval(&mut self, id: i32, interval: i32) -> Result<()> {
        let interval = checked(interval)?;
        self.known(id)?;
        self.with(|timers| timers.set_interval(id, interval))
            .about(|| about(id))
    }

    /// Begins a timer's interval anew; EINVAL where it is not there.
    pub fn reset(&mut self, id: i32) -> Result<()> {
        self.known(id)?;
        self.with(|timers| timers.reset(id)).about(|| about(id))
    }

    /// ms until the next timer is due, 0 if one is; None where there is none.
    pub fn timeout(&mut self) -> Option<i64> {
        self.inner.as_mut().and_then(sys::Timers::timeout)
    }

    /// The ids of the timers that are due, in the order of their times; each begins anew.
    pub fn execute(&mut self) -> Result<Vec<i32>> {
        Ok(self.with(sys::Timers::execute)?)
    }

    /// Lets go of all timers; a second call does nothing.
    pub fn close(&mut self) {
        (self.inner, self.ids) = Default::default();
    }

    fn known(&self, id: i32) -> Result<()> {
        match self.ids.contains(&id) {
            true => Ok(()),
            false => Err(Error::new(libc::EINVAL, about(id))),
        }
    }
}

fn about(id: i32) -> String {
    format!("there is no timer {id}")
}

fn checked(interval: i32) -> Result<usize> {
    usize::try_from(interval)
        .ok()
        .filter(|&ms| ms > 0)
        .ok_or_else(|| Error::new(libc::EINVAL, format!("an interval of {interval} ms")))
}
