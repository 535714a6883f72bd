//! POSIX threads, as C code and crates that call `libc` use them.
//!
//! An object may be shared by controlled workers and by threads that C libraries make themselves, so the
//! real object always says who has it: a worker carries out the real operation when it does not block,
//! and waits in the engine when it would. All workers are one thread to the C library; what it notes about
//! owners is replaced by the worker's own mark, see `owner`.
//!
//! A shared library keeps its locks from one iteration to the next, and takes them when it likes. Its
//! calls are no scheduling points, but it, too, waits in the engine. In a program with a global allocator
//! of its own that holds for all calls: they may be the allocator's.

mod attributes;
mod barrier;
mod condvar;
mod heir;
mod mutex;
mod once;
mod owner;
mod rwlock;
mod semaphore;
mod specific;
mod spin;
mod thread;
pub(super) mod waited;

pub(crate) use thread::handle;

use cct::engine;
use cct::memory::has_own_allocator;
use cct::object::ObjectId;
use cct::operation::Operation;
use libc::{c_int, clockid_t, timespec};

use super::caller::is_program;
use super::clock::{deadline_on, duration_of, epoch};

/// Declares an operation that does not block, if the program itself carries it out.
fn declare(operation: Operation, object: ObjectId, caller: usize) {
    if is_program(caller) && !has_own_allocator() {
        engine::point_at(operation, object, engine::last_site()).done();
    }
}

/// The virtual deadline of a time on a clock; `EINVAL` if it is no time.
///
/// # Safety
///
/// `time` must be readable.
unsafe fn deadline(clock: clockid_t, time: *const timespec) -> Result<u64, c_int> {
    // SAFETY: the caller's.
    let time = unsafe { &*time };
    if !(0..1_000_000_000).contains(&time.tv_nsec) {
        return Err(libc::EINVAL);
    }
    let epoch = epoch(clock).ok_or(libc::EINVAL)?;
    Ok(deadline_on(epoch, duration_of(time)))
}

/// Until when a worker gives a thread outside the engine, which goes on by itself, to let go of a lock:
/// a fifth of a second, on the real clock.
fn patience() -> timespec {
    const PATIENCE: i64 = 200_000_000;
    let mut now = timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `now` is writable.
    unsafe { libc::clock_gettime(libc::CLOCK_REALTIME, &raw mut now) };
    let nanos = now.tv_nsec + PATIENCE;
    timespec {
        tv_sec: now.tv_sec + nanos / 1_000_000_000,
        tv_nsec: nanos % 1_000_000_000,
    }
}
