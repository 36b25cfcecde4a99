//! `zmq_timers_*`.
//!
//! libzmq calls a C function for each timer that is due; here it only notes which, so that nobody's code runs inside
//! `zmq_timers_execute`.

use super::{check, Errno};
use std::ffi::c_void;
use std::marker::PhantomData;
use std::os::raw::c_int;
use std::ptr::NonNull;

/// A set of timers. It stays on its thread: libzmq does not lock it.
#[derive(Debug)]
pub struct Timers {
    handle: NonNull<c_void>,
    /// Where `note` writes; boxed, since libzmq keeps its address.
    #[allow(clippy::box_collection)]
    due: Box<Vec<c_int>>,
    count: usize,
    _stays_on_its_thread: PhantomData<*mut c_void>,
}

/// Notes a timer that is due. libzmq calls it within `execute` alone.
unsafe extern "C" fn note(id: c_int, due: *mut c_void) {
    // SAFETY: `add` gave the address of `Timers::due`, which nothing else uses while `execute` runs; it has room for
    // every timer, so that pushing can't fail here.
    unsafe { (*due.cast::<Vec<c_int>>()).push(id) }
}

impl Timers {
    /// `zmq_timers_new`: no timer yet.
    pub fn new() -> Result<Timers, Errno> {
        // SAFETY: no preconditions.
        let handle = NonNull::new(unsafe { zmq_sys::zmq_timers_new() }).ok_or_else(Errno::last)?;
        let (due, count) = (Box::default(), 0);
        let _stays_on_its_thread = PhantomData;
        Ok(Timers {
            handle,
            due,
            count,
            _stays_on_its_thread,
        })
    }

    /// `zmq_timers_add`: a timer that is due every `interval` ms (at least 1); returns its id.
    pub fn add(&mut self, interval: usize) -> Result<c_int, Errno> {
        let due: *mut Vec<c_int> = &mut *self.due;
        // SAFETY: live handle; `due` stays where it is for as long as the timers live.
        let id = check(unsafe {
            zmq_sys::zmq_timers_add(self.handle.as_ptr(), interval, Some(note), due.cast())
        })?;
        self.count += 1;
        Ok(id)
    }

    /// `zmq_timers_cancel`; EINVAL for an id that is not there.
    pub fn cancel(&mut self, id: c_int) -> Result<(), Errno> {
        // SAFETY: live handle. So for the next four.
        check(unsafe { zmq_sys::zmq_timers_cancel(self.handle.as_ptr(), id) }).map(drop)
    }

    /// `zmq_timers_set_interval`: begins anew with another interval; EINVAL.
    pub fn set_interval(&mut self, id: c_int, interval: usize) -> Result<(), Errno> {
        // SAFETY: as `cancel`.
        check(unsafe { zmq_sys::zmq_timers_set_interval(self.handle.as_ptr(), id, interval) })
            .map(drop)
    }

    /// `zmq_timers_reset`: begins the interval anew; EINVAL.
    pub fn reset(&mut self, id: c_int) -> Result<(), Errno> {
        // SAFETY: as `cancel`.
        check(unsafe { zmq_sys::zmq_timers_reset(self.handle.as_ptr(), id) }).map(drop)
    }

    /// `zmq_timers_timeout`: ms until the next timer is due; None where there is none.
    pub fn timeout(&mut self) -> Option<i64> {
        // SAFETY: as `cancel`. -1 means that there is none: a live handle has no failure.
        let ms = unsafe { zmq_sys::zmq_timers_timeout(self.handle.as_ptr()) };
        (ms >= 0).then_some(ms)
    }

    /// `zmq_timers_execute`: the ids of the timers that are due, in the order of their times; each begins anew.
    pub fn execute(&mut self) -> Result<Vec<c_int>, Errno> {
        self.due.clear();
        self.due.reserve(self.count);
        // SAFETY: as `cancel`; `note` calls nothing of libzmq's.
        check(unsafe { zmq_sys::zmq_timers_execute(self.handle.as_ptr()) })?;
        Ok(self.due.to_vec())
    }
}

impl Drop for Timers {
    fn drop(&mut self) {
        let mut handle = self.handle.as_ptr();
        // SAFETY: a live handle, not used again.
        unsafe { zmq_sys::zmq_timers_destroy(&mut handle) };
    }
}
