//! `syscall`: futex waits and wakes of controlled workers go to the engine.
//!
//! Rust programs reach the futex through this function: `parking_lot`, and everything that is made with it
//! or with a futex of its own.

use cct::engine::{self, Wakeup};
use cct::operation::Operation;
use libc::{c_int, c_long, timespec};

use super::clock::{deadline_on, duration_of, epoch};
use super::real::system_call;

/// Takes over the C library's `syscall`.
///
/// The C library's is variadic; on both architectures that are supported, six arguments in registers are
/// passed alike.
///
/// # Safety
///
/// As the C library's.
#[expect(
    clippy::many_single_char_names,
    reason = "what they mean is up to the number"
)]
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn syscall(
    number: c_long,
    a: usize,
    b: usize,
    c: usize,
    d: usize,
    e: usize,
    f: usize,
) -> isize {
    let arguments = [a, b, c, d, e, f];
    if engine::is_controlled() {
        // SAFETY: the caller's arguments are those of the system call.
        let controlled = unsafe {
            match number {
                libc::SYS_futex => futex(arguments),
                libc::SYS_getrandom => Some(super::random::getrandom(a as *mut libc::c_void, b, 0)),
                libc::SYS_clock_gettime => {
                    let clock = register(a);
                    Some(super::clock::clock_gettime(clock, b as *mut timespec) as isize)
                }
                libc::SYS_sched_yield => Some(super::clock::sched_yield() as isize),
                _ => super::descriptors::by_number(number, arguments),
            }
        };
        if let Some(result) = controlled {
            return result;
        }
    }
    // SAFETY: the caller's arguments are those of the system call.
    match unsafe { system_call(number, arguments) } {
        error @ -4095..=-1 => super::fail(-error as c_int),
        result => result,
    }
}

/// Carries out a futex operation on the engine; `None` for the ones that are left to the kernel.
unsafe fn futex([word, operation, value, timeout, ..]: [usize; 6]) -> Option<isize> {
    let operation = register(operation);
    let command = operation & !(libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME);
    match command {
        libc::FUTEX_WAIT | libc::FUTEX_WAIT_BITSET => {
            // SAFETY: the caller gives null or a readable time.
            let timeout = unsafe { (timeout as *const timespec).as_ref() };
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

/// An argument that is an `int`: the register's lower half.
fn register(argument: usize) -> c_int {
    (argument as u32).cast_signed()
}

unsafe fn wait(word: usize, expected: u32, deadline: u64) -> isize {
    // SAFETY: the caller's word; another worker may have changed it up to here, but not from here on.
    let changed = || unsafe { (word as *const u32).read_volatile() != expected };
    // What the word is matters when the worker comes to wait, and so it is a step of its own.
    engine::point_at(Operation::FutexWait, word, engine::last_site()).done();
    if changed() {
        return super::fail(libc::EAGAIN);
    }
    match engine::wait_at(
        Operation::FutexWait,
        word,
        deadline,
        None,
        engine::last_site(),
    ) {
        Wakeup::Woken => 0,
        Wakeup::TimedOut => super::fail(libc::ETIMEDOUT),
    }
}

fn wake(word: usize, count: usize) -> isize {
    engine::point_at(Operation::FutexWake, word, engine::last_site()).done();
    let count = count.min(i32::MAX as usize);
    let mut woken = 0;
    while woken < count && engine::wake_one(word) {
        woken += 1;
    }
    woken.cast_signed()
}
