//! `gettid`: each worker has a number of its own, though one thread carries them all.
//!
//! Reentrant locks, caches and logs tell threads apart by it. The number is no thread's, and the same in
//! each iteration; the kernel knows none of that name. `pthread_self` is in `pthread/thread.rs`.

use cct::engine::{self, WorkerId};
use libc::pid_t;

use super::real::system_call;

/// A number that no thread of Linux reaches: a worker's id is this and its own number.
const FIRST_WORKER: pid_t = 1 << 22;

/// Takes over the C library's `gettid`.
#[unsafe(no_mangle)]
pub(super) extern "C" fn gettid() -> pid_t {
    match engine::current_thread() {
        Some(me) => FIRST_WORKER + me.0.cast_signed(),
        None => carrier(),
    }
}

/// The thread that runs this, whoever it is run for.
pub(super) fn carrier() -> pid_t {
    // SAFETY: asks for a number.
    unsafe { system_call(libc::SYS_gettid, [0; 6]) as pid_t }
}

/// The worker that has this number, where workers are under control.
pub(super) fn worker_of(thread: pid_t) -> Option<WorkerId> {
    let number = thread.checked_sub(FIRST_WORKER)?;
    let worker = WorkerId(u32::try_from(number).ok()?);
    (engine::is_controlled() && engine::exists(worker)).then_some(worker)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_no_workers() {
        assert_eq!(gettid(), carrier());
        for thread in [carrier(), FIRST_WORKER - 1, FIRST_WORKER] {
            assert_eq!(worker_of(thread), None, "nobody is under control");
        }
    }
}
