//! Memory lent to libzmq instead of copied. libzmq lets go of it on any thread and at any time; it then comes back here
//! as a number, under which whoever lent it keeps it alive.

use super::{check, Errno, Event, Message};
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::os::raw::c_int;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::*};
use std::sync::Arc;

/// How many loans came back in this process that nobody took note of.
static WAITING: AtomicUsize = AtomicUsize::new(0);

/// Whether there are such, whoever lent them.
pub fn loans_wait() -> bool {
    WAITING.load(SeqCst) != 0
}

/// What one Lua state has lent. Nothing here locks: a forked child would find the lock of a thread that it has not.
#[derive(Debug)]
pub struct Loans {
    /// Those that came back: a list that any thread adds to, and the owner takes as a whole.
    back: AtomicPtr<Loan>,
    /// How many did not come back.
    out: AtomicUsize,
    /// Called, on any thread, when one came back.
    notify: fn(),
}

#[derive(Debug)]
struct Loan {
    next: *mut Loan,
    number: c_int,
    /// None once it is in the list.
    home: Option<Arc<Loans>>,
    /// Set when it comes back.
    event: Option<Arc<Event>>,
}

impl Loans {
    /// Nothing lent yet.
    pub fn new(notify: fn()) -> Arc<Loans> {
        Arc::new(Loans {
            back: AtomicPtr::new(null_mut()),
            out: AtomicUsize::new(0),
            notify,
        })
    }

    /// How many libzmq still has.
    pub fn out(&self) -> usize {
        self.out.load(Acquire)
    }

    /// Whether some came back.
    pub fn wait(&self) -> bool {
        !self.back.load(Relaxed).is_null()
    }

    /// One that came back is noted.
    fn noted(loan: *mut Loan) -> Box<Loan> {
        WAITING.fetch_sub(1, SeqCst);
        // SAFETY: the address came from a Box in `Message::lend`; whoever took it out of the list has it alone.
        unsafe { Box::from_raw(loan) }
    }

    /// The numbers of those that came back.
    pub fn take(&self) -> impl Iterator<Item = c_int> {
        let mut next = self.back.swap(null_mut(), Acquire);
        std::iter::from_fn(move || {
            if next.is_null() {
                return None;
            }
            let loan = Loans::noted(next);
            next = loan.next;
            Some(loan.number)
        })
    }
}

impl Drop for Loans {
    fn drop(&mut self) {
        self.take().for_each(drop);
    }
}

impl Message {
    /// `zmq_msg_init_data`: a message over memory that stays where it is. When libzmq lets go of it, `number` comes
    /// back to `home` and `event` is set. ENOMEM.
    ///
    /// # Safety
    /// `bytes` are there, unchanged, until their number comes out of `home.take()`, or for ever if it doesn't.
    pub unsafe fn lend(
        bytes: *const [u8],
        number: c_int,
        home: &Arc<Loans>,
        event: Option<Arc<Event>>,
    ) -> Result<Message, Errno> {
        let loan = Box::into_raw(Box::new(Loan {
            next: null_mut(),
            number,
            home: Some(home.clone()),
            event,
        }));
        let mut raw = MaybeUninit::uninit();
        // SAFETY: the caller's promise; libzmq only reads. On success the memory is an initialised message, and the
        // loan is `give_back`'s; on failure it is still ours.
        unsafe {
            let made = check(zmq_sys::zmq_msg_init_data(
                raw.as_mut_ptr(),
                bytes.cast_mut().cast(),
                bytes.len(),
                Some(give_back),
                loan.cast(),
            ));
            if let Err(errno) = made {
                drop(Box::from_raw(loan));
                return Err(errno);
            }
            home.out.fetch_add(1, Relaxed);
            let mut message = Message::from_raw(raw.assume_init());
            // The bytes of one that never was shared are libzmq's to change: a ws client masks them where they are.
            // To share two messages does not fail.
            let _ = Message::new().share(&mut message);
            Ok(message)
        }
    }
}

/// libzmq lets go of the memory: calls no Lua, which may be in the middle of anything.
unsafe extern "C" fn give_back(_: *mut c_void, loan: *mut c_void) {
    let loan = loan.cast::<Loan>();
    // SAFETY: `lend` made it, and libzmq calls this once. It is this call's until the exchange; from then on it may be
    // gone.
    unsafe {
        let (home, event) = ((*loan).home.take(), (*loan).event.take());
        if let Some(event) = event {
            event.set();
        }
        let Some(home) = home else { return };
        home.out.fetch_sub(1, Release);
        WAITING.fetch_add(1, SeqCst);
        let mut first = home.back.load(Relaxed);
        loop {
            (*loan).next = first;
            match home
                .back
                .compare_exchange_weak(first, loan, Release, Relaxed)
            {
                Ok(_) => break,
                Err(now) => first = now,
            }
        }
        (home.notify)();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loans_come_back_from_any_thread() {
        static BYTES: [u8; 100] = [7; 100];
        let (home, event) = (Loans::new(|| {}), Arc::new(Event::default()));
        // SAFETY: the bytes are static.
        let lend = |number, event| unsafe { Message::lend(&BYTES, number, &home, event) };
        let (one, two) = (lend(1, None).ok(), lend(2, Some(event.clone())).ok());
        assert_eq!(home.out(), 2);
        assert_eq!(one.as_ref().map(|one| one.bytes()), Some(&BYTES[..]));
        drop(one);
        assert!(home.wait() && loans_wait() && !event.is_set());
        assert!(std::thread::spawn(move || drop(two)).join().is_ok());
        assert!(event.is_set());
        assert_eq!(home.out(), 0);
        let mut numbers: Vec<i32> = home.take().collect();
        numbers.sort_unstable();
        assert_eq!(numbers, [1, 2]);
        assert!(!home.wait());
    }
}
