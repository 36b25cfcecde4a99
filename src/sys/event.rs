//! Something that happens once, and that threads wait for. A condition variable would not do: no signal ends a wait
//! for one, and Ctrl-C has to.

use super::Errno;
use std::sync::atomic::{AtomicU32, Ordering::Acquire, Ordering::Release};
use std::time::{Duration, Instant};

/// An event: set once, never cleared.
#[derive(Debug, Default)]
pub struct Event(AtomicU32);

impl Event {
    /// Whether it has happened.
    pub fn is_set(&self) -> bool {
        self.0.load(Acquire) != 0
    }

    /// It happens: every thread that waits goes on.
    pub fn set(&self) {
        self.0.store(1, Release);
        // SAFETY: FUTEX_WAKE only takes the address for a name.
        unsafe {
            libc::syscall(
                libc::SYS_futex,
                self.0.as_ptr(),
                libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG,
                i32::MAX,
            )
        };
    }

    /// Waits until it has happened, at most `time` (None: as long as it takes): EAGAIN when the time is over, EINTR
    /// when a signal handler ran.
    pub fn wait(&self, time: Option<Duration>) -> Result<(), Errno> {
        // Without a timeout the system would resume the wait behind handlers installed with SA_RESTART, such as the
        // interpreters' own, so there always is one.
        const SLICE: Duration = Duration::from_secs(86_400);
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        while !self.is_set() {
            let left = deadline.map_or(SLICE, |at| at.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                return Err(Errno(libc::EAGAIN));
            }
            let slice = left.min(SLICE);
            let timeout = libc::timespec {
                tv_sec: slice.as_secs() as libc::time_t,
                tv_nsec: slice.subsec_nanos() as libc::c_long,
            };
            // SAFETY: the word lives as long as `self`; the system reads the word and the timeout during the call.
            let rc = unsafe {
                libc::syscall(
                    libc::SYS_futex,
                    self.0.as_ptr(),
                    libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG,
                    0,
                    &timeout,
                )
            };
            if rc == -1 && std::io::Error::last_os_error().raw_os_error() == Some(libc::EINTR) {
                return Err(Errno(libc::EINTR));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_ends_by_time_or_by_the_event() {
        let event = Event::default();
        assert_eq!(event.wait(Some(Duration::ZERO)), Err(Errno(libc::EAGAIN)));
        let time = Some(Duration::from_millis(5));
        assert_eq!(event.wait(time), Err(Errno(libc::EAGAIN)));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| event.wait(None));
            event.set();
            assert_eq!(waiting.join().ok(), Some(Ok(())));
        });
        assert!(event.is_set());
        assert_eq!(event.wait(Some(Duration::ZERO)), Ok(()));
    }
}
