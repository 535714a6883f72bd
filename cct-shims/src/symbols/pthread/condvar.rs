//! `pthread_cond_…`: workers wait in the engine, threads outside on the real one.
//!
//! A signal goes to a worker if one waits, which one the strategy says, and else to the threads outside.
//! A wake-up without a signal sends the worker back to wait.

use std::cell::Cell;
use std::mem::MaybeUninit;

use cct::engine::{self, NEVER, Wakeup};
use cct::object::ObjectId;
use cct::operation::{Access, Operation};
use libc::{c_int, clockid_t, pthread_cond_t, pthread_condattr_t, pthread_mutex_t, timespec};

use super::{deadline, mutex, waited};
use crate::symbols::real::Real;

type Wait = unsafe extern "C" fn(*mut pthread_cond_t, *mut pthread_mutex_t) -> c_int;
type TimedWait =
    unsafe extern "C" fn(*mut pthread_cond_t, *mut pthread_mutex_t, *const timespec) -> c_int;
type ClockWait = unsafe extern "C" fn(
    *mut pthread_cond_t,
    *mut pthread_mutex_t,
    clockid_t,
    *const timespec,
) -> c_int;
type Notify = unsafe extern "C" fn(*mut pthread_cond_t) -> c_int;
// SAFETY: the functions' types.
static WAIT: Real<Wait> = unsafe { Real::named(c"pthread_cond_wait") };
// SAFETY: as above.
static TIMEDWAIT: Real<TimedWait> = unsafe { Real::named(c"pthread_cond_timedwait") };
// SAFETY: as above.
static CLOCKWAIT: Real<ClockWait> = unsafe { Real::named(c"pthread_cond_clockwait") };
// SAFETY: as above.
static SIGNAL: Real<Notify> = unsafe { Real::named(c"pthread_cond_signal") };
// SAFETY: as above.
static BROADCAST: Real<Notify> = unsafe { Real::named(c"pthread_cond_broadcast") };

/// Takes over the C library's `pthread_cond_wait`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn pthread_cond_wait(
    cond: *mut pthread_cond_t,
    mutex: *mut pthread_mutex_t,
) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe {
        if engine::is_controlled() {
            return wait_until(cond, mutex, NEVER);
        }
        // The real one unlocks without a word.
        waited::tell(ObjectId::at(mutex.addr()));
        WAIT.get()(cond, mutex)
    }
}

/// Takes over the C library's `pthread_cond_timedwait`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn pthread_cond_timedwait(
    cond: *mut pthread_cond_t,
    mutex: *mut pthread_mutex_t,
    time: *const timespec,
) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe {
        if engine::is_controlled() {
            return match deadline(clock_of(cond), time) {
                Ok(deadline) => wait_until(cond, mutex, deadline),
                Err(error) => error,
            };
        }
        waited::tell(ObjectId::at(mutex.addr()));
        TIMEDWAIT.get()(cond, mutex, time)
    }
}

/// Takes over the C library's `pthread_cond_clockwait`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn pthread_cond_clockwait(
    cond: *mut pthread_cond_t,
    mutex: *mut pthread_mutex_t,
    clock: clockid_t,
    time: *const timespec,
) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe {
        if engine::is_controlled() {
            return match deadline(clock, time) {
                Ok(deadline) => wait_until(cond, mutex, deadline),
                Err(error) => error,
            };
        }
        waited::tell(ObjectId::at(mutex.addr()));
        CLOCKWAIT.get()(cond, mutex, clock, time)
    }
}

/// Takes over the C library's `pthread_cond_signal`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn pthread_cond_signal(cond: *mut pthread_cond_t) -> c_int {
    let object = ObjectId::at(cond.addr());
    if engine::is_controlled() {
        engine::point_at(Operation::NotifyOne, object, engine::last_site()).done();
    }
    if waited::call(object, false) > 0 {
        engine::wake_one(object);
        return 0;
    }
    // SAFETY: the caller's condition variable.
    unsafe { SIGNAL.get()(cond) }
}

/// Takes over the C library's `pthread_cond_broadcast`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn pthread_cond_broadcast(cond: *mut pthread_cond_t) -> c_int {
    let object = ObjectId::at(cond.addr());
    if engine::is_controlled() {
        engine::point_at(Operation::NotifyAll, object, engine::last_site()).done();
    }
    if waited::call(object, true) > 0 {
        engine::wake_all(object);
    }
    // SAFETY: the caller's condition variable.
    unsafe { BROADCAST.get()(cond) }
}

/// A controlled worker's wait.
unsafe fn wait_until(
    cond: *mut pthread_cond_t,
    mutex: *mut pthread_mutex_t,
    deadline: u64,
) -> c_int {
    let site = engine::last_site();
    let operation = if deadline == NEVER {
        Operation::Wait
    } else {
        Operation::WaitTimeout
    };
    let Some(me) = engine::current_thread() else {
        unreachable!("callers are controlled workers");
    };
    let object = ObjectId::at(cond.addr());
    engine::point_on_both(operation, object, ObjectId::at(mutex.addr()), site).done();
    waited::enter(object);
    // SAFETY: the caller's arguments.
    unsafe {
        if let Err(error) = mutex::release_for_wait(mutex, me) {
            waited::leave(object);
            return error;
        }
        let mut result = 0;
        loop {
            let lock = Some(mutex::takes_next(mutex));
            if engine::wait_and_take(operation, object, deadline, None, lock, site)
                == Wakeup::TimedOut
            {
                // A signal that comes now finds one waiter less.
                engine::touch(object, Access::Writes);
                if waited::leave(object) {
                    result = libc::ETIMEDOUT;
                    break;
                }
            }
            if waited::answer(object) {
                break;
            }
        }
        match mutex::reacquire(mutex, me) {
            0 => result,
            error => error,
        }
    }
}

/// The clock that the condition variable's deadlines are on.
///
/// Where the C library keeps that differs from version to version: it is where two fresh ones differ.
unsafe fn clock_of(cond: *const pthread_cond_t) -> clockid_t {
    const WORDS: usize = size_of::<pthread_cond_t>() / size_of::<u32>();
    thread_local! {
        static FLAG: Cell<Option<(usize, u32)>> = const { Cell::new(None) };
    }
    let (word, flag) = FLAG.get().unwrap_or_else(|| {
        let [plain, monotonic] = [libc::CLOCK_REALTIME, libc::CLOCK_MONOTONIC].map(|clock| {
            let mut attributes = MaybeUninit::<pthread_condattr_t>::uninit();
            let mut words = [0_u32; WORDS];
            // SAFETY: both are as large as what they are initialised as; a fresh one needs no destruction.
            unsafe {
                libc::pthread_condattr_init(attributes.as_mut_ptr());
                libc::pthread_condattr_setclock(attributes.as_mut_ptr(), clock);
                libc::pthread_cond_init(words.as_mut_ptr().cast(), attributes.as_ptr());
            }
            words
        });
        let found = (0..WORDS).find(|&word| plain[word] != monotonic[word]);
        let found = found.map_or((0, 0), |word| (word, plain[word] ^ monotonic[word]));
        FLAG.set(Some(found));
        found
    });
    // SAFETY: the caller's condition variable, which begins with these words.
    let value = unsafe { cond.cast::<u32>().add(word).read_volatile() };
    if value & flag != 0 {
        libc::CLOCK_MONOTONIC
    } else {
        libc::CLOCK_REALTIME
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_of_a_condition_variable_is_found() {
        for clock in [libc::CLOCK_REALTIME, libc::CLOCK_MONOTONIC] {
            let mut attributes = MaybeUninit::uninit();
            let mut cond = MaybeUninit::uninit();
            // SAFETY: both are made by these calls; a fresh one needs no destruction.
            unsafe {
                libc::pthread_condattr_init(attributes.as_mut_ptr());
                libc::pthread_condattr_setclock(attributes.as_mut_ptr(), clock);
                libc::pthread_cond_init(cond.as_mut_ptr(), attributes.as_ptr());
                assert_eq!(clock_of(cond.as_ptr()), clock);
            }
        }
        let fixed = libc::PTHREAD_COND_INITIALIZER;
        // SAFETY: it is readable.
        let clock = unsafe { clock_of(&raw const fixed) };
        assert_eq!(clock, libc::CLOCK_REALTIME);
    }
}
