//! Whether libzmq's threads would start: it aborts where one doesn't, so another thread tries first what its threads
//! do when they begin.

use super::Errno;
use std::mem::MaybeUninit;
use std::os::raw::c_int;
use std::sync::mpsc;

/// How libzmq is told to schedule its threads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scheduling {
    /// `SCHED_*`; None leaves the policy alone.
    pub policy: Option<c_int>,
    /// From 1 to 99 where the policy has priorities; with others, above 0 asks for the highest nice value.
    pub priority: Option<c_int>,
    /// The CPUs to run on; none means any.
    pub cpus: Vec<c_int>,
}

/// What a thread of libzmq's gets of the address space, on the systems that say nothing else.
const STACK: usize = 8 << 20;

/// Starts `count` threads that schedule themselves so, and ends them. EAGAIN: so many are not to be had; EPERM and
/// EINVAL: the system forbids or does not know such scheduling.
pub fn threads_available(count: usize, scheduling: &Scheduling) -> Result<(), Errno> {
    let (answer, answers) = mpsc::channel();
    let mut threads = Vec::new();
    let mut result = Ok(());
    for _ in 0..count {
        let (answer, scheduling) = (answer.clone(), scheduling.clone());
        let (go, wait) = mpsc::channel::<()>();
        let thread = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn(move || {
                // Nobody listens any more where another thread failed.
                let _ = answer.send(apply(&scheduling));
                // Held until all have started: libzmq's run side by side too.
                let _ = wait.recv();
            });
        match thread {
            Ok(thread) => threads.push((thread, go)),
            Err(error) => {
                result = Err(Errno(error.raw_os_error().unwrap_or(libc::EAGAIN)));
                break;
            }
        }
    }
    drop(answer);
    for _ in 0..threads.len() {
        result = result.and(answers.recv().unwrap_or(Ok(())));
    }
    for (thread, go) in threads {
        drop(go);
        // A thread that does so little can't have panicked.
        let _ = thread.join();
    }
    result
}

/// What a thread of libzmq does first (`thread_t::applySchedulingParameters`).
fn apply(scheduling: &Scheduling) -> Result<(), Errno> {
    let system = |rc: c_int| if rc == 0 { Ok(()) } else { Err(Errno(rc)) };
    let mut policy = 0;
    let mut parameters = MaybeUninit::<libc::sched_param>::zeroed();
    // SAFETY: the calling thread and two valid places; all fields of a sched_param may be 0.
    let mut parameters = unsafe {
        system(libc::pthread_getschedparam(
            libc::pthread_self(),
            &mut policy,
            parameters.as_mut_ptr(),
        ))?;
        parameters.assume_init()
    };
    policy = scheduling.policy.unwrap_or(policy);
    let nice = !matches!(policy, libc::SCHED_FIFO | libc::SCHED_RR);
    if nice {
        parameters.sched_priority = 0;
    } else if let Some(priority) = scheduling.priority {
        parameters.sched_priority = priority;
    }
    // SAFETY: the calling thread, and a valid place.
    system(unsafe { libc::pthread_setschedparam(libc::pthread_self(), policy, &parameters) })?;
    if nice && scheduling.priority.is_some_and(|priority| priority > 0) {
        // SAFETY: no preconditions; on Linux it is the calling thread's nice value, which ends with it.
        if unsafe { libc::nice(-20) } == -1 {
            return Err(Errno(libc::EPERM));
        }
    }
    if !scheduling.cpus.is_empty() {
        let mut set = MaybeUninit::<libc::cpu_set_t>::zeroed();
        // SAFETY: a set of zeros is an empty one; numbers beyond its size are left out, as glibc's macro does.
        system(unsafe {
            for &cpu in &scheduling.cpus {
                if (cpu as usize) < 8 * size_of::<libc::cpu_set_t>() {
                    libc::CPU_SET(cpu as usize, &mut *set.as_mut_ptr());
                }
            }
            libc::pthread_setaffinity_np(
                libc::pthread_self(),
                size_of::<libc::cpu_set_t>(),
                set.as_ptr(),
            )
        })?;
    }
    Ok(())
}
