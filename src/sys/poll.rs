//! `zmq_poll` and `zmq_poller_*`.
//!
//! A socket leaves the pollers it is in before it is closed (`Socket::close` calls `leave`), so no poller ever holds a
//! handle that is gone.

use super::{check, Errno, Socket};
use std::ffi::c_void;
use std::marker::PhantomData;
use std::os::raw::{c_int, c_long, c_short};
use std::ptr::{null_mut, NonNull};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// `ZMQ_POLLIN`.
pub const POLLIN: c_short = zmq_sys::ZMQ_POLLIN as c_short;
/// `ZMQ_POLLOUT`.
pub const POLLOUT: c_short = zmq_sys::ZMQ_POLLOUT as c_short;
/// `ZMQ_POLLERR`.
pub const POLLERR: c_short = zmq_sys::ZMQ_POLLERR as c_short;
/// `ZMQ_POLLPRI`.
pub const POLLPRI: c_short = zmq_sys::ZMQ_POLLPRI as c_short;

/// What can be waited for: a socket or a descriptor of the system.
#[derive(Clone, Copy, Debug)]
pub enum Target<'s> {
    /// A socket.
    Socket(&'s Socket),
    /// A descriptor.
    Descriptor(c_int),
}

impl Target<'_> {
    fn item(&self, events: c_short) -> zmq_sys::zmq_pollitem_t {
        let (socket, fd) = match self {
            Target::Socket(socket) => (socket.as_ptr(), 0),
            Target::Descriptor(fd) => (null_mut(), *fd),
        };
        zmq_sys::zmq_pollitem_t {
            socket,
            fd,
            events,
            revents: 0,
        }
    }
}

/// One thing to wait for in one `poll`.
#[repr(transparent)]
pub struct PollItem<'s>(zmq_sys::zmq_pollitem_t, PhantomData<&'s Socket>);

impl<'s> PollItem<'s> {
    /// Waits for `events` (POLLIN, POLLOUT, POLLERR, POLLPRI) on an open socket or a descriptor.
    pub fn new(target: Target<'s>, events: c_short) -> PollItem<'s> {
        PollItem(target.item(events), PhantomData)
    }

    /// What the last `poll` found.
    pub fn revents(&self) -> c_short {
        self.0.revents
    }
}

/// `zmq_poll`: waits up to `timeout` ms (-1 for ever, 0 not at all) and returns the count of ready items. ETERM, EINTR,
/// ENOTSUP for a thread-safe socket where the library has no poller.
pub fn poll(items: &mut [PollItem], timeout: c_long) -> Result<c_int, Errno> {
    // One socket alone never meets what `refuse_terminated` is for.
    if items.len() > 1 {
        items
            .iter()
            .try_for_each(|item| refuse_terminated(item.0.socket))?;
    }
    // SAFETY: PollItem is transparent over zmq_pollitem_t. A socket closed since its item was made could be asked for
    // here only by this thread, whose `&Socket` the item holds.
    let ready = check(unsafe {
        zmq_sys::zmq_poll(items.as_mut_ptr().cast(), items.len() as c_int, timeout)
    });
    match ready {
        // Such a socket has no descriptor to tell.
        Err(Errno(libc::EINVAL)) => Err(Errno(libc::ENOTSUP)),
        ready => ready,
    }
}

/// ETERM for a socket that knows its context to be terminated: libzmq's poller would abort over it when it asks for
/// the descriptor. The socket learns that only in calls of its own thread, hence not between this call and that one.
fn refuse_terminated(socket: *mut c_void) -> Result<(), Errno> {
    if socket.is_null() {
        return Ok(());
    }
    let (mut value, mut size) = (0 as c_int, size_of::<c_int>());
    let data: *mut c_int = &mut value;
    let option = zmq_sys::ZMQ_TYPE as c_int;
    // SAFETY: an open socket of this thread, for a closed one has left; `size` tells the room in `value`.
    check(unsafe { zmq_sys::zmq_getsockopt(socket, option, data.cast(), &mut size) }).map(drop)
}

/// What a poller has registered, shared with the sockets in it.
pub(super) struct Registered {
    /// libzmq's poller; None where the library has none, and `zmq_poll` does the work.
    poller: Option<NonNull<c_void>>,
    /// In the order of adding, each with its key.
    items: Vec<zmq_sys::zmq_pollitem_t>,
    keys: Vec<usize>,
    /// Keys of sockets that were closed.
    gone: Vec<usize>,
    found: Vec<zmq_sys::zmq_poller_event_t>,
    /// Whether libzmq will ask the sockets for their descriptors in the next wait.
    changed: bool,
}

// SAFETY: libzmq's poller may be used by one thread at a time, which the lock around `Registered` sees to.
unsafe impl Send for Registered {}

/// The pollers that a socket is in.
pub(super) type Memberships = Vec<Weak<Mutex<Registered>>>;

/// Takes the socket `handle` out of its pollers, before it is closed.
pub(super) fn leave(pollers: &mut Memberships, handle: *mut c_void) {
    for poller in pollers.drain(..).filter_map(|poller| poller.upgrade()) {
        // It is locked only while it waits: then a signal handler ends the process, and it never wakes up.
        if let Ok(mut registered) = poller.try_lock() {
            if let Some(at) = registered.items.iter().position(|i| i.socket == handle) {
                // The handle is open still, and of this thread: nothing can fail.
                let _ = registered.remove(at);
                let key = registered.keys.remove(at);
                registered.gone.push(key);
            }
        }
    }
}

impl Registered {
    fn at(&self, target: Target) -> Result<usize, Errno> {
        let wanted = target.item(0);
        self.items
            .iter()
            .position(|item| item.socket == wanted.socket && item.fd == wanted.fd)
            .ok_or(Errno(libc::EINVAL))
    }

    /// Takes item `at` out; its key is left to the caller.
    fn remove(&mut self, at: usize) -> Result<(), Errno> {
        let item = self.items[at];
        if let Some(poller) = self.poller {
            let missing = Errno(libc::ENOTSUP);
            // SAFETY: libzmq's own poller, and a socket in it that is open: it leaves before it is closed.
            check(unsafe {
                if item.socket.is_null() {
                    zmq_sys::late::zmq_poller_remove_fd().ok_or(missing)?(poller.as_ptr(), item.fd)
                } else {
                    zmq_sys::late::zmq_poller_remove().ok_or(missing)?(poller.as_ptr(), item.socket)
                }
            })?;
        }
        self.items.remove(at);
        self.changed = true;
        Ok(())
    }

    fn wait(
        &mut self,
        timeout: c_long,
        each: &mut impl FnMut(usize, c_short),
    ) -> Result<(), Errno> {
        if self.changed {
            self.items
                .iter()
                .try_for_each(|item| refuse_terminated(item.socket))?;
        }
        let count = self.items.len() as c_int;
        let Some(poller) = self.poller else {
            // SAFETY: as many items as told, whose sockets are open: they leave before they are closed.
            check(unsafe { zmq_sys::zmq_poll(self.items.as_mut_ptr(), count, timeout) })?;
            for (item, &key) in self.items.iter().zip(&self.keys) {
                if item.revents != 0 {
                    each(key, item.revents);
                }
            }
            return Ok(());
        };
        let call = zmq_sys::late::zmq_poller_wait_all().ok_or(Errno(libc::ENOTSUP))?;
        self.found.resize_with(self.items.len(), Default::default);
        // SAFETY: libzmq's own poller, and room for as many events as told.
        let ready =
            check(unsafe { call(poller.as_ptr(), self.found.as_mut_ptr(), count, timeout) });
        self.changed = false;
        match ready {
            Ok(ready) => {
                for event in &self.found[..ready as usize] {
                    each(event.user_data as usize, event.events);
                }
                Ok(())
            }
            Err(Errno(libc::EAGAIN)) => Ok(()),
            Err(errno) => Err(errno),
        }
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        if let (Some(poller), Some(destroy)) = (self.poller, zmq_sys::late::zmq_poller_destroy()) {
            let mut pointer = poller.as_ptr();
            // SAFETY: libzmq's own poller, not used again; the sockets in it are open.
            unsafe { destroy(&mut pointer) };
        }
    }
}

/// A `zmq_poller`, or its stand-in over `zmq_poll` where the library has none. It stays on its thread.
pub struct Poller {
    shared: Arc<Mutex<Registered>>,
    _stays_on_its_thread: PhantomData<*mut c_void>,
}

impl Poller {
    /// `zmq_poller_new`; ENOMEM.
    pub fn new() -> Result<Poller, Errno> {
        let poller = match zmq_sys::late::zmq_poller_new() {
            // SAFETY: no preconditions.
            Some(new) => Some(NonNull::new(unsafe { new() }).ok_or_else(Errno::last)?),
            None => None,
        };
        let shared = Arc::new(Mutex::new(Registered {
            poller,
            items: Vec::new(),
            keys: Vec::new(),
            gone: Vec::new(),
            found: Vec::new(),
            changed: false,
        }));
        Ok(Poller {
            shared,
            _stays_on_its_thread: PhantomData,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Registered> {
        // Nothing panics while it holds the lock.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers an open socket or a descriptor that is not registered yet; events found carry `key`. EINVAL for an
    /// unknown event, EMFILE where a thread-safe socket's signal gets no descriptor, ENOTSUP for such a socket where the
    /// library has no poller.
    pub fn add(&self, target: Target, key: usize, events: c_short) -> Result<(), Errno> {
        let mut registered = self.lock();
        if let Some(poller) = registered.poller {
            let (poller, user_data) = (poller.as_ptr(), key as *mut c_void);
            let missing = Errno(libc::ENOTSUP);
            // SAFETY: libzmq's own poller; an open socket of this thread.
            check(unsafe {
                match target {
                    Target::Socket(s) => zmq_sys::late::zmq_poller_add().ok_or(missing)?(
                        poller,
                        s.as_ptr(),
                        user_data,
                        events,
                    ),
                    Target::Descriptor(fd) => zmq_sys::late::zmq_poller_add_fd().ok_or(missing)?(
                        poller, fd, user_data, events,
                    ),
                }
            })?;
        }
        if let (None, Target::Socket(socket)) = (registered.poller, target) {
            if socket.get_int(zmq_sys::ZMQ_FD as c_int) == Err(Errno(libc::EINVAL)) {
                return Err(Errno(libc::ENOTSUP));
            }
        }
        registered.items.push(target.item(events));
        registered.keys.push(key);
        registered.changed = true;
        if let Target::Socket(socket) = target {
            let mut pollers = socket.pollers();
            pollers.retain(|poller| poller.strong_count() > 0);
            pollers.push(Arc::downgrade(&self.shared));
        }
        Ok(())
    }

    /// Changes what a registered target is waited for; EINVAL for one that isn't registered.
    pub fn modify(&self, target: Target, events: c_short) -> Result<(), Errno> {
        let mut registered = self.lock();
        let at = registered.at(target)?;
        if let Some(poller) = registered.poller {
            let (poller, missing) = (poller.as_ptr(), Errno(libc::ENOTSUP));
            // SAFETY: as `add`.
            check(unsafe {
                match target {
                    Target::Socket(s) => zmq_sys::late::zmq_poller_modify().ok_or(missing)?(
                        poller,
                        s.as_ptr(),
                        events,
                    ),
                    Target::Descriptor(fd) => {
                        zmq_sys::late::zmq_poller_modify_fd().ok_or(missing)?(poller, fd, events)
                    }
                }
            })?;
        }
        registered.items[at].events = events;
        registered.changed = true;
        Ok(())
    }

    /// Takes a target out; EINVAL for one that isn't registered.
    pub fn remove(&self, target: Target) -> Result<(), Errno> {
        let mut registered = self.lock();
        let at = registered.at(target)?;
        registered.remove(at)?;
        registered.keys.remove(at);
        if let Target::Socket(socket) = target {
            socket
                .pollers()
                .retain(|poller| !std::ptr::eq(poller.as_ptr(), Arc::as_ptr(&self.shared)));
        }
        Ok(())
    }

    /// Waits up to `timeout` ms (-1 for ever, 0 not at all) and calls `each` with the key and the events of everything
    /// ready, in the order of adding. ETERM, EINTR.
    pub fn wait(&self, timeout: c_long, mut each: impl FnMut(usize, c_short)) -> Result<(), Errno> {
        self.lock().wait(timeout, &mut each)
    }

    /// The keys of sockets that were closed since the last call.
    pub fn take_gone(&self) -> Vec<usize> {
        std::mem::take(&mut self.lock().gone)
    }
}
