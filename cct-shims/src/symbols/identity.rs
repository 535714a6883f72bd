//! `gettid`: each worker has a number of its own, though one thread carries them all.
//!
//! Reentrant locks, caches and logs tell threads apart by it. The number is no thread's, and the same in
//! each iteration; the kernel knows none of that name. `pthread_self` is in `pthread/thread.rs`.

use cct::engine;
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

/// True if this is the number of a worker.
pub(super) fn is_worker(thread: pid_t) -> bool {
    thread >= FIRST_WORKER
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_no_workers() {
        assert_eq!(gettid(), carrier());
        assert!(!is_worker(carrier()) && !is_worker(FIRST_WORKER - 1));
        assert!(is_worker(FIRST_WORKER) && is_worker(FIRST_WORKER + 7));
    }
}
