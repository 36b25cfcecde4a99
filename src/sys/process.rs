//! What rzmq asks of the process itself: descriptors, exit and fork handlers, its own file.

use std::ffi::{c_void, CStr};
use std::mem::MaybeUninit;
use std::os::raw::c_int;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicPtr, Ordering::AcqRel, Ordering::Acquire};
use std::thread::JoinHandle;

/// Whether `fd` is an open descriptor.
pub fn descriptor_is_open(fd: c_int) -> bool {
    // SAFETY: F_GETFD only reads the flags of a number, valid or not.
    unsafe { libc::fcntl(fd, libc::F_GETFD) != -1 }
}

/// Whether `count` more descriptors can be opened now: takes them and gives them back.
pub fn descriptors_available(count: usize) -> bool {
    // Not with_capacity: a count that no system allows would be more memory than there is.
    let mut taken = Vec::new();
    for _ in 0..count {
        // SAFETY: eventfd has no preconditions.
        let fd = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC) };
        if fd == -1 {
            break;
        }
        taken.push(fd);
    }
    for &fd in &taken {
        // SAFETY: a descriptor opened above, closed once.
        unsafe { libc::close(fd) };
    }
    taken.len() == count
}

/// Runs `handler` when the process exits (`exit`, or return from `main`).
pub fn at_exit(handler: extern "C" fn()) {
    // SAFETY: the module is never unloaded (-z nodelete), so the address stays valid.
    unsafe { libc::atexit(handler) };
}

/// Runs `handler` in the child after each `fork`.
pub fn at_fork_child(handler: extern "C" fn()) {
    // SAFETY: as `at_exit`; None asks for no handler in the parent.
    unsafe { libc::pthread_atfork(None, None, Some(handler)) };
}

/// The file that holds this very code: the path for `ffi.load`.
pub fn library_path() -> Option<String> {
    let here: fn() -> Option<String> = library_path;
    // SAFETY: dladdr takes any address; the name it returns is NUL-terminated and copied at once.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr(here as *const c_void, &mut info) == 0 || info.dli_fname.is_null() {
            return None;
        }
        CStr::from_ptr(info.dli_fname)
            .to_str()
            .ok()
            .map(str::to_owned)
    }
}

/// A number that tells the calling thread from every other one that lives.
pub fn thread() -> usize {
    // SAFETY: no preconditions.
    unsafe { libc::pthread_self() as usize }
}

/// Starts a thread that no signal reaches: handlers run on the threads that the program knows. Tells whether the
/// system allowed it.
pub fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> bool {
    start(std::thread::Builder::new().name(name.to_owned()), work).is_ok()
}

/// As `spawn`, with a stack of `stack` bytes, for a thread to be joined; EAGAIN where the system allows none.
pub fn spawn_joinable(
    name: &str,
    stack: usize,
    work: impl FnOnce() + Send + 'static,
) -> Result<JoinHandle<()>, super::Errno> {
    let builder = std::thread::Builder::new().name(name.to_owned());
    start(builder.stack_size(stack), work)
        .map_err(|error| super::Errno(error.raw_os_error().unwrap_or(libc::EAGAIN)))
}

fn start(
    builder: std::thread::Builder,
    work: impl FnOnce() + Send + 'static,
) -> std::io::Result<JoinHandle<()>> {
    let (mut all, mut before) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    // SAFETY: two valid sets; a new thread inherits the mask, and the old one is put back below.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
    }
    let started = builder.spawn(work);
    // SAFETY: `before` was filled by the call above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), std::ptr::null_mut()) };
    started
}

/// The address that the process exports under `name`, if it does.
pub fn exported(name: &CStr) -> Option<NonNull<c_void>> {
    // SAFETY: a pseudo-handle and a NUL-terminated name.
    NonNull::new(unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) })
}

/// A process-wide value that a forked child replaces without looking at the old one, whose locks may be held by
/// threads that do not exist there. Old values are leaked.
pub struct Replaceable<T>(AtomicPtr<T>);

impl<T: Sync> Replaceable<T> {
    /// Nothing yet.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Replaceable<T> {
        Replaceable(AtomicPtr::new(std::ptr::null_mut()))
    }

    /// The value, made by `make` the first time.
    pub fn get_or(&self, make: impl FnOnce() -> T) -> &'static T
    where
        T: 'static,
    {
        let mut now = self.0.load(Acquire);
        if now.is_null() {
            let new = Box::into_raw(Box::new(make()));
            now = match self
                .0
                .compare_exchange(std::ptr::null_mut(), new, AcqRel, Acquire)
            {
                Ok(_) => new,
                Err(first) => {
                    // SAFETY: `new` came from a Box above and lost the race: nobody else has seen it.
                    drop(unsafe { Box::from_raw(new) });
                    first
                }
            };
        }
        // SAFETY: values are leaked: every address ever stored stays valid and is only shared.
        unsafe { &*now }
    }

    /// Puts another value in its place.
    pub fn replace(&self, value: T) {
        self.0.store(
            Box::into_raw(Box::new(value)),
            std::sync::atomic::Ordering::Release,
        );
    }
}

/// Sleeps for `time`; EINTR when a signal ends it early.
pub fn sleep(time: std::time::Duration) -> Result<(), super::Errno> {
    let request = libc::timespec {
        tv_sec: libc::time_t::try_from(time.as_secs()).unwrap_or(libc::time_t::MAX),
        tv_nsec: time.subsec_nanos() as libc::c_long,
    };
    // SAFETY: a valid request; NULL asks for no remaining time.
    match unsafe { libc::nanosleep(&request, std::ptr::null_mut()) } {
        0 => Ok(()),
        _ => Err(super::Errno(
            std::io::Error::last_os_error()
                .raw_os_error()
                .unwrap_or(libc::EINTR),
        )),
    }
}
