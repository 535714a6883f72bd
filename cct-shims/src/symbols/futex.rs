//! Futex waits and wakes of controlled workers go to the engine.
//!
//! Rust programs reach the futex through `syscall`: `parking_lot`, and everything that is made with it or
//! with a futex of its own.

use cct::engine::{self, Wakeup};
use cct::object::ObjectId;
use cct::operation::Operation;
use libc::{c_int, timespec};

use super::clock::{deadline_on, duration_of, epoch};
use super::pthread::waited;

/// Carries out a futex operation on the engine; `None` for the ones that are left to the kernel.
///
/// # Safety
///
/// The arguments must be those of the system call.
pub(super) unsafe fn by_number(
    word: usize,
    operation: c_int,
    value: usize,
    timeout: *const timespec,
) -> Option<isize> {
    let command = operation & !(libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME);
    if !engine::is_controlled() {
        if [libc::FUTEX_WAKE, libc::FUTEX_WAKE_BITSET].contains(&command) {
            waited::tell(ObjectId::at(word));
        }
        return None;
    }
    match command {
        libc::FUTEX_WAIT | libc::FUTEX_WAIT_BITSET => {
            // SAFETY: the caller gives null or a readable time.
            let timeout = unsafe { timeout.as_ref() };
            let deadline = match timeout.map(duration_of) {
                None => engine::NEVER,
                Some(time) if command == libc::FUTEX_WAIT => engine::deadline_after(time),
                Some(time) => {
                    let realtime = operation & libc::FUTEX_CLOCK_REALTIME != 0;
                    let clock = if realtime {
                        libc::CLOCK_REALTIME
                    } else {
                        libc::CLOCK_MONOTONIC
                    };
                    deadline_on(epoch(clock)?, time)
                }
            };
            // SAFETY: the caller gives a readable word.
            Some(unsafe { wait(word, value as u32, deadline) })
        }
        libc::FUTEX_WAKE | libc::FUTEX_WAKE_BITSET => Some(wake(word, value)),
        _ => None,
    }
}

unsafe fn wait(word: usize, expected: u32, deadline: u64) -> isize {
    // SAFETY: the caller's word; another worker may have changed it up to here, but not from here on.
    let changed = || unsafe { (word as *const u32).read_volatile() != expected };
    let object = ObjectId::at(word);
    let site = engine::last_site();
    loop {
        // The word's value matters when the worker comes to wait, and so it is a step of its own.
        engine::point_at(Operation::FutexWait, object, site).done();
        waited::enter(object);
        if changed() {
            waited::leave(object);
            return super::fail(libc::EAGAIN);
        }
        let wakeup = engine::wait_at(Operation::FutexWait, object, deadline, None, site);
        waited::leave(object);
        match wakeup {
            Wakeup::Woken => {
                engine::acquire(object);
                return 0;
            }
            Wakeup::TimedOut => return super::fail(libc::ETIMEDOUT),
            Wakeup::Interrupted { restarts: true } if deadline == engine::NEVER => {}
            Wakeup::Interrupted { .. } => return super::fail(libc::EINTR),
        }
    }
}

fn wake(word: usize, count: usize) -> isize {
    let object = ObjectId::at(word);
    engine::point_at(Operation::FutexWake, object, engine::last_site()).done();
    engine::release(object);
    let count = count.min(i32::MAX as usize);
    let mut woken = 0;
    while woken < count && engine::wake_one(object) {
        woken += 1;
    }
    woken.cast_signed()
}
