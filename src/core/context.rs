//! Contexts: shared by the Lua states of a process, ended once, guarded where libzmq would abort.

use super::ending;
use super::error::{About, Error, Result};
use super::option::{explain, Setting};
use super::registry::{self, registry, Owner};
use super::socket::Socket;
use super::tag::{self, Kind, State};
use super::{guard, loan};
use crate::schema::{self, Access, OptionRow};
use crate::sys::{self, Errno};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};

/// What libzmq gets above the user's `max_sockets`: closed sockets keep their slot until they are reaped, and at
/// termination libzmq opens one socket for each inproc connect without a bind and aborts if it can't.
fn slots_for(max_sockets: i32) -> i32 {
    max_sockets.saturating_mul(2).saturating_add(64)
}

/// libzmq's default for `max_sockets`.
const MAX_SOCKETS_DEFAULT: i32 = 1023;

enum Phase {
    Open(sys::Context),
    /// A thread waits in zmq_ctx_term.
    Ending,
    Ended,
}

/// A libzmq context, counted: each payload and each open socket holds one reference.
pub struct Shared {
    phase: Mutex<Phase>,
    changed: Condvar,
    address: usize,
    /// False for a context that somebody else made: it is never terminated here.
    ours: bool,
    generation: u64,
    started: AtomicBool,
    shut_down: AtomicBool,
    max_sockets: AtomicI32,
    /// What was set of it: libzmq can't tell.
    scheduling: Mutex<sys::Scheduling>,
    open_sockets: AtomicI32,
    /// The number of the socket with which it is shut down; 0 for none.
    ends_with: AtomicU64,
    /// Contexts that are shut down with this one.
    followers: Mutex<Vec<Weak<Shared>>>,
    /// From which size on its sockets lend strings.
    lend_from: AtomicUsize,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Phase> {
        // Nothing panics while it holds the lock.
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wrap(context: sys::Context, ours: bool) -> Arc<Shared> {
        let address = context.as_ptr() as usize;
        let shared = Arc::new(Shared {
            phase: Mutex::new(Phase::Open(context)),
            changed: Condvar::new(),
            address,
            ours,
            generation: tag::generation(),
            started: AtomicBool::new(!ours),
            shut_down: AtomicBool::new(false),
            max_sockets: AtomicI32::new(MAX_SOCKETS_DEFAULT),
            scheduling: Mutex::default(),
            open_sockets: AtomicI32::new(0),
            ends_with: AtomicU64::new(0),
            followers: Mutex::default(),
            lend_from: AtomicUsize::new(loan::THRESHOLD),
        });
        if ours {
            registry()
                .lock()
                .contexts
                .insert(address, Arc::downgrade(&shared));
        }
        shared
    }

    /// A new context with libzmq's defaults.
    pub fn new() -> Result<Arc<Shared>> {
        ending::install();
        let context = sys::Context::new()?;
        context.set(row("max_sockets").number, slots_for(MAX_SOCKETS_DEFAULT))?;
        let shared = Shared::wrap(context, true);
        if ending::process_ends() {
            // The exiting thread may have told all contexts before this one was there.
            shared.shutdown()?;
        }
        Ok(shared)
    }

    /// The context that the whole process shares: made when first asked for, and anew once it was ended or in a forked
    /// child. It lives as long as somebody holds it.
    pub fn instance() -> Result<Arc<Shared>> {
        let mut instance = registry().instance();
        if let Some(shared) = instance.upgrade() {
            if !shared.is_closed() && !shared.is_shut_down() {
                return Ok(shared);
            }
        }
        let shared = Shared::new()?;
        *instance = Arc::downgrade(&shared);
        Ok(shared)
    }

    /// The context of ours at `address`, if it is still open.
    pub fn find(address: usize) -> Option<Arc<Shared>> {
        registry()
            .lock()
            .contexts
            .get(&address)
            .and_then(Weak::upgrade)
    }

    /// A context that somebody else made and ends.
    pub fn borrow(context: sys::Context) -> Arc<Shared> {
        ending::install();
        Shared::wrap(context, false)
    }

    /// The address of libzmq's context.
    pub fn address(&self) -> usize {
        self.address
    }

    /// Whether it was ended, or is being ended.
    pub fn is_closed(&self) -> bool {
        !matches!(*self.lock(), Phase::Open(_))
    }

    /// Whether `shutdown` was called.
    pub fn is_shut_down(&self) -> bool {
        self.shut_down.load(Relaxed)
    }

    /// Runs `call` with the handle; ETERM once it is being ended.
    fn with<T>(&self, call: impl FnOnce(&sys::Context) -> Result<T>) -> Result<T> {
        match &*self.lock() {
            Phase::Open(context) => call(context),
            _ => Err(terminated()),
        }
    }

    /// Sets an integer option.
    pub fn set(&self, option: &OptionRow, value: i32) -> Result<()> {
        if option.access == Access::ReadOnly {
            let hint = format!("option {} can be read but not set", option.name);
            return Err(Error::new(libc::EINVAL, hint));
        }
        let about = || format!("{} {value}", option.name);
        let result = self.with(|context| match option.name {
            "max_sockets" if self.ours => {
                let limit = context.get(row("socket_limit").number)?;
                if !(1..=limit).contains(&value) {
                    let hint = format!("max_sockets {value} (1 to {limit})");
                    return Err(Error::new(libc::EINVAL, hint));
                }
                if self.started.load(Relaxed) {
                    let hint = "max_sockets must be set before the first socket";
                    return Err(Error::new(libc::EINVAL, hint));
                }
                context.set(option.number, slots_for(value)).about(about)?;
                self.max_sockets.store(value, Relaxed);
                Ok(())
            }
            _ => {
                context.set(option.number, value).about(about)?;
                self.note_scheduling(option.name, value);
                Ok(())
            }
        });
        result.map_err(|error| explain(option, error))
    }

    fn note_scheduling(&self, option: &str, value: i32) {
        let mut scheduling = self
            .scheduling
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match option {
            "thread_sched_policy" => scheduling.policy = Some(value),
            "thread_priority" => scheduling.priority = Some(value),
            "thread_affinity_cpu_add" => scheduling.cpus.push(value),
            "thread_affinity_cpu_remove" => scheduling.cpus.retain(|&cpu| cpu != value),
            _ => {}
        }
    }

    /// Reads an integer option.
    pub fn get(&self, option: &OptionRow) -> Result<i32> {
        if option.access == Access::WriteOnly {
            let hint = format!("option {} can be set but not read", option.name);
            return Err(Error::new(libc::EINVAL, hint));
        }
        self.with(|context| match option.name {
            "max_sockets" if self.ours => Ok(self.max_sockets.load(Relaxed)),
            _ => context.get(option.number).about(|| option.name.to_owned()),
        })
    }

    /// Sets a string option (thread_name_prefix): 1 to 15 bytes without NUL.
    pub fn set_bytes(&self, option: &OptionRow, value: &[u8]) -> Result<()> {
        let about = || {
            format!(
                "{} {} (1 to 15 characters)",
                option.name,
                value.escape_ascii()
            )
        };
        if value.len() > 15 || value.contains(&0) {
            return Err(Error::new(libc::EINVAL, about()));
        }
        let mut value = value.to_vec();
        if value.len() == 4 {
            // libzmq takes 4 bytes for a number; a NUL behind them changes nothing else.
            value.push(0);
        }
        self.with(|context| {
            context
                .set_ext(option.number, &value)
                .map_err(|errno| ext_error(errno, option, about()))
        })
    }

    /// Reads a string option.
    pub fn get_bytes(&self, option: &OptionRow) -> Result<Vec<u8>> {
        self.with(|context| {
            // libzmq writes the bytes without a NUL and without telling their count, of which there are 16 at most.
            let mut buffer = vec![0; 17];
            context
                .get_ext(option.number, &mut buffer)
                .map_err(|errno| ext_error(errno, option, option.name.to_owned()))?;
            let size = buffer.iter().position(|&byte| byte == 0);
            buffer.truncate(size.unwrap_or(buffer.len()));
            Ok(buffer)
        })
    }

    /// Opens a socket of libzmq's type number `kind`.
    pub(super) fn open(&self, kind: i32) -> Result<sys::Socket> {
        let name =
            || schema::socket_type_name(kind).map_or(format!("socket type {kind}"), Into::into);
        self.with(|context| {
            if self.ours && self.open_sockets.load(Relaxed) >= self.max_sockets.load(Relaxed) {
                let most = self.max_sockets.load(Relaxed);
                let hint = format!("{most} sockets are open, and max_sockets allows no more");
                return Err(Error::new(libc::EMFILE, hint));
            }
            if !self.started.load(Relaxed) {
                // libzmq starts its threads with the first socket, and aborts where one won't start.
                let threads = context.get(row("io_threads").number)? as usize + 1;
                let scheduling = self
                    .scheduling
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner);
                guard::check_threads(threads, &scheduling)?;
            }
            let socket = context.socket(kind).about(name)?;
            self.started.store(true, Relaxed);
            self.open_sockets.fetch_add(1, Relaxed);
            Ok(socket)
        })
    }

    /// A reader for a monitor that may get none. It doesn't count as a socket of the program.
    pub(super) fn spare_reader(&self) -> Result<sys::SpareReader> {
        self.with(|context| Ok(sys::SpareReader::new(context)?))
    }

    /// A socket of this context was opened elsewhere.
    pub(super) fn opened_one(&self) {
        self.open_sockets.fetch_add(1, Relaxed);
    }

    /// A socket of this context was closed.
    pub(super) fn closed_one(&self, number: u64) {
        self.open_sockets.fetch_sub(1, Relaxed);
        if self.ends_with.load(Relaxed) == number {
            // A context that is gone needs no shutting down.
            let _ = self.shutdown();
        }
    }

    /// From now on it is shut down when `socket` closes, and when `leader` is shut down or ends.
    pub fn end_with(self: &Arc<Self>, socket: &Socket, leader: Option<&Shared>) -> Result<()> {
        self.ends_with.store(socket.number(), Relaxed);
        let Some(leader) = leader else { return Ok(()) };
        let mut followers = leader.followers();
        followers.retain(|follower| follower.strong_count() > 0);
        followers.push(Arc::downgrade(self));
        drop(followers);
        // One that was shut down before now found no follower.
        match leader.is_shut_down() || leader.is_closed() {
            true => self.shutdown(),
            false => Ok(()),
        }
    }

    fn followers(&self) -> MutexGuard<'_, Vec<Weak<Shared>>> {
        // Nothing panics while it holds the lock.
        self.followers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn shutdown_followers(&self) {
        let followers = std::mem::take(&mut *self.followers());
        for follower in followers.iter().filter_map(Weak::upgrade) {
            // One that is gone needs no shutting down.
            let _ = follower.shutdown();
        }
    }

    /// From which size on, in bytes, sockets opened from now on lend strings to libzmq instead of copying them.
    pub fn lend_from(&self) -> usize {
        self.lend_from.load(Relaxed)
    }

    /// Sets it.
    pub fn set_lend_from(&self, size: usize) {
        self.lend_from.store(size, Relaxed);
    }

    /// How many sockets are open in it.
    pub fn socket_count(&self) -> i32 {
        self.open_sockets.load(Relaxed)
    }

    /// `zmq_ctx_shutdown`: blocking calls on its sockets, in every thread, return ETERM from now on.
    pub fn shutdown(&self) -> Result<()> {
        let result = match &*self.lock() {
            Phase::Open(context) if self.ours => {
                self.shut_down.store(true, Relaxed);
                context.shutdown()
            }
            _ => Ok(()),
        };
        self.shutdown_followers();
        Ok(result?)
    }

    /// `zmq_ctx_term`: blocks until every socket of the context is closed and its linger period over. EINTR leaves it
    /// as it is, to be called again. Does nothing on a context that is ended or that somebody else made.
    pub fn terminate(&self) -> Result<()> {
        if !self.ours {
            return Ok(());
        }
        let mut phase = self.lock();
        loop {
            match std::mem::replace(&mut *phase, Phase::Ending) {
                Phase::Open(context) => {
                    drop(phase);
                    self.shutdown_followers();
                    let result = context.term();
                    phase = self.lock();
                    self.changed.notify_all();
                    return match result {
                        Ok(()) => {
                            *phase = Phase::Ended;
                            registry().lock().contexts.remove(&self.address);
                            Ok(())
                        }
                        Err((context, errno)) => {
                            *phase = Phase::Open(context);
                            Err(errno.into())
                        }
                    };
                }
                Phase::Ending => {
                    phase = self
                        .changed
                        .wait(phase)
                        .unwrap_or_else(PoisonError::into_inner);
                }
                Phase::Ended => {
                    *phase = Phase::Ended;
                    return Ok(());
                }
            }
        }
    }

    /// Lets a helper thread terminate it.
    pub(super) fn terminate_later(&self) {
        if !self.ours {
            return;
        }
        let mut phase = self.lock();
        if let Phase::Open(_) = *phase {
            if let Phase::Open(context) = std::mem::replace(&mut *phase, Phase::Ended) {
                registry().lock().contexts.remove(&self.address);
                ending::terminate_later(context);
            }
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if self.generation == tag::generation() {
            self.terminate_later();
        }
    }
}

/// The error of a `zmq_ctx_*_ext` call, which a libzmq without drafts does not have.
fn ext_error(errno: Errno, option: &OptionRow, about: String) -> Error {
    match errno.0 {
        libc::ENOTSUP => Error::new(errno.0, super::draft::needs_draft(option.name)),
        number => Error::new(number, about),
    }
}

fn row(name: &str) -> &'static OptionRow {
    schema::context_option(name).expect("the schema has every context option")
}

fn terminated() -> Error {
    Error::from(Errno(
        schema::error_by_name("ETERM").map_or(libc::EINVAL, |row| row.number),
    ))
}

/// A context as one user holds it: the payload of a context object.
#[repr(C)]
pub struct Context {
    tag: u64,
    shared: Arc<Shared>,
    /// Whether `term` ended it.
    ended: bool,
    /// Options for later sockets.
    pub defaults: Vec<Setting>,
}

impl Context {
    /// Wraps a counted context.
    pub fn new(shared: Arc<Shared>) -> Context {
        Context {
            tag: Kind::Context.live(),
            shared,
            ended: false,
            defaults: Vec::new(),
        }
    }

    /// Whether it can be used: a context of this process that its user did not end. Calls on one that somebody else
    /// ended, in another thread, are refused with ETERM instead.
    pub fn state(&self) -> State {
        match Kind::Context.state(self.tag) {
            State::Live if self.ended => State::Closed,
            state => state,
        }
    }

    /// Whether its fields may be used: a payload of this process whose finaliser has not run.
    pub fn is_ours(&self) -> bool {
        Kind::Context.state(self.tag) == State::Live
    }

    /// The counted context.
    pub fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Opens a socket of libzmq's type number `kind` for `owner`, with the context's default options.
    pub fn socket(&self, kind: i32, owner: Owner) -> Result<Socket> {
        let mut socket = Socket::open(&self.shared, kind, owner)?;
        for setting in &self.defaults {
            // A default that this type of socket does not know is not for it.
            match socket.apply(setting) {
                Err(error) if error.errno != libc::EINVAL => {
                    socket.close();
                    return Err(error);
                }
                _ => {}
            }
        }
        Ok(socket)
    }

    /// Closes the sockets of `owner` in this context (with `linger` ms when given), then terminates it. Blocks until
    /// the sockets of other owners are closed too and every linger period is over; EINTR: call it again.
    pub fn term(&mut self, owner: Owner, linger: Option<i32>) -> Result<()> {
        let closed = registry::close_sockets(owner, self.shared.address, linger);
        self.shared.open_sockets.fetch_sub(closed, Relaxed);
        self.shared.terminate()?;
        ending::stop_if_another_exits();
        self.ended = self.shared.is_closed();
        Ok(())
    }
}
