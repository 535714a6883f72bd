//! `timerfd` in virtual time: an eventfd whose count the engine's clock adds to.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use cct::engine::{self, NEVER};
use cct::object::ObjectId;
use cct::operation::Operation;
use libc::{c_int, clockid_t, itimerspec, timespec};

use super::ready::{Waiting, changed};
use super::table::{self, Kind};
use super::{argument, call};
use crate::symbols::clock::{deadline_on, duration_of, epoch};
use crate::symbols::real::system_call;

/// The timers of this iteration.
static TIMERS: Mutex<Vec<Timer>> = Mutex::new(Vec::new());
/// True if there are any.
static ANY: AtomicBool = AtomicBool::new(false);

/// A timer.
#[derive(Clone, Copy, Debug)]
struct Timer {
    descriptor: c_int,
    /// The object that all its descriptors share.
    object: ObjectId,
    /// The value of its clock at virtual time 0.
    epoch: u64,
    /// When it expires next, or never.
    deadline: u64,
    /// How long after that it expires again, and again; 0 if it does not.
    interval: u64,
}

impl Timer {
    /// Lets it expire as often as it has by now; returns how often that is.
    fn expire(&mut self, now: u64) -> u64 {
        if self.deadline > now {
            return 0;
        }
        if self.interval == 0 {
            self.deadline = NEVER;
            return 1;
        }
        let times = 1 + (now - self.deadline) / self.interval;
        let passed = self.interval.saturating_mul(times);
        self.deadline = self.deadline.saturating_add(passed);
        times
    }
}

/// Takes over the C library's `timerfd_create`.
#[unsafe(no_mangle)]
pub(in crate::symbols) extern "C" fn timerfd_create(clock: clockid_t, flags: c_int) -> c_int {
    let Some(epoch) = epoch(clock).filter(|_| engine::is_controlled()) else {
        let arguments = [argument(clock), argument(flags), 0, 0, 0, 0];
        // SAFETY: makes a descriptor.
        return unsafe { call(libc::SYS_timerfd_create, arguments) } as c_int;
    };
    // The flags are the same ones.
    let arguments = [0, argument(flags), 0, 0, 0, 0];
    // SAFETY: makes a descriptor.
    let descriptor = unsafe { call(libc::SYS_eventfd2, arguments) } as c_int;
    if descriptor >= 0 {
        table::made(descriptor, Kind::Timer);
        let timer = Timer {
            descriptor,
            object: table::of(descriptor).object(),
            epoch,
            deadline: NEVER,
            interval: 0,
        };
        with_timers(|timers| timers.push(timer));
        ANY.store(true, Relaxed);
    }
    descriptor
}

/// Takes over the C library's `timerfd_settime`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(in crate::symbols) unsafe extern "C" fn timerfd_settime(
    descriptor: c_int,
    flags: c_int,
    new: *const itimerspec,
    old: *mut itimerspec,
) -> c_int {
    let Some(timer) = find(descriptor) else {
        let arguments = [
            argument(descriptor),
            argument(flags),
            new as usize,
            old as usize,
            0,
            0,
        ];
        // SAFETY: the caller's arguments are those of the system call.
        return unsafe { call(libc::SYS_timerfd_settime, arguments) } as c_int;
    };
    // SAFETY: the caller's time is readable.
    let new = unsafe { *new };
    let valid = |time: &timespec| time.tv_sec >= 0 && (0..1_000_000_000).contains(&time.tv_nsec);
    if !valid(&new.it_value) || !valid(&new.it_interval) {
        return crate::symbols::fail(libc::EINVAL) as c_int;
    }
    let what = table::of(descriptor);
    Waiting::on(Operation::TimerSet, descriptor, what)
        .point()
        .done();
    // SAFETY: the caller's place is writable, or null.
    unsafe {
        if let Some(old) = old.as_mut() {
            *old = show(&find(descriptor).unwrap_or(timer));
        }
    }
    let value = duration_of(&new.it_value);
    let set = Timer {
        deadline: match value {
            Duration::ZERO => NEVER,
            time if flags & libc::TFD_TIMER_ABSTIME != 0 => deadline_on(timer.epoch, time),
            time => engine::deadline_after(time),
        },
        interval: nanos(duration_of(&new.it_interval)),
        ..timer
    };
    change(set);
    take_count(timer.descriptor);
    expire(engine::now());
    engine::evaluate_predicates_by(set.deadline);
    changed(what);
    0
}

/// Takes over the C library's `timerfd_gettime`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(in crate::symbols) unsafe extern "C" fn timerfd_gettime(
    descriptor: c_int,
    place: *mut itimerspec,
) -> c_int {
    let Some(timer) = find(descriptor) else {
        let arguments = [argument(descriptor), place as usize, 0, 0, 0, 0];
        // SAFETY: the caller's arguments are those of the system call.
        return unsafe { call(libc::SYS_timerfd_gettime, arguments) } as c_int;
    };
    // SAFETY: the caller's place is writable.
    unsafe { *place = show(&timer) };
    0
}

/// The earliest time at which a timer expires.
pub(super) fn next() -> u64 {
    if !ANY.load(Relaxed) {
        return NEVER;
    }
    with_timers(|timers| timers.iter().map(|timer| timer.deadline).min()).unwrap_or(NEVER)
}

/// Makes those readable whose time has come.
pub(super) fn expire(now: u64) {
    if !ANY.load(Relaxed) {
        return;
    }
    with_timers(|timers| {
        for timer in timers {
            let times = timer.expire(now);
            if times == 0 {
                continue;
            }
            let arguments = [
                argument(timer.descriptor),
                (&raw const times) as usize,
                size_of::<u64>(),
                0,
                0,
                0,
            ];
            // SAFETY: the count is readable.
            unsafe { system_call(libc::SYS_write, arguments) };
        }
    });
}

/// A descriptor of a timer is closed; `twin` is another one of the same timer.
pub(super) fn forget(descriptor: c_int, twin: Option<c_int>) {
    with_timers(|timers| {
        let closed = timers
            .iter_mut()
            .filter(|timer| timer.descriptor == descriptor);
        match twin {
            Some(twin) => closed.for_each(|timer| timer.descriptor = twin),
            None => timers.retain(|timer| timer.descriptor != descriptor),
        }
    });
}

/// An iteration has begun.
pub(super) fn forget_all() {
    if ANY.swap(false, Relaxed) {
        with_timers(Vec::clear);
    }
}

/// The timer of a descriptor, if it is one of ours.
fn find(descriptor: c_int) -> Option<Timer> {
    if !engine::is_controlled() || !ANY.load(Relaxed) {
        return None;
    }
    let what = table::of(descriptor);
    with_timers(|timers| {
        let mut timers = timers.iter();
        timers.find(|timer| timer.object == what.object()).copied()
    })
}

fn change(set: Timer) {
    with_timers(|timers| {
        for timer in timers.iter_mut().filter(|timer| timer.object == set.object) {
            (timer.deadline, timer.interval) = (set.deadline, set.interval);
        }
    });
}

/// Forgets how often the timer has expired.
fn take_count(descriptor: c_int) {
    if super::ready::is_ready(descriptor, libc::POLLIN) {
        let mut count = 0_u64;
        let place = (&raw mut count) as usize;
        // SAFETY: the place is writable.
        unsafe {
            let arguments = [argument(descriptor), place, size_of::<u64>(), 0, 0, 0];
            system_call(libc::SYS_read, arguments);
        }
    }
}

/// The rest of the timer's time.
fn show(timer: &Timer) -> itimerspec {
    let left = match timer.deadline {
        NEVER => 0,
        deadline => deadline.saturating_sub(engine::now()).max(1),
    };
    itimerspec {
        it_interval: timespec_of(timer.interval),
        it_value: timespec_of(left),
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(NEVER)
}

fn timespec_of(nanos: u64) -> timespec {
    timespec {
        tv_sec: (nanos / 1_000_000_000).cast_signed(),
        tv_nsec: (nanos % 1_000_000_000).cast_signed(),
    }
}

fn with_timers<R>(f: impl FnOnce(&mut Vec<Timer>) -> R) -> R {
    engine::outside(|| f(&mut TIMERS.lock().unwrap_or_else(PoisonError::into_inner)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timer(deadline: u64, interval: u64) -> Timer {
        Timer {
            descriptor: -1,
            object: ObjectId::NONE,
            epoch: 0,
            deadline,
            interval,
        }
    }

    #[test]
    fn a_timer_without_an_interval_expires_once() {
        let mut once = timer(100, 0);
        assert_eq!(once.expire(99), 0);
        assert_eq!(once.expire(100), 1);
        assert_eq!((once.expire(1000), once.deadline), (0, NEVER));
    }

    #[test]
    fn a_timer_with_an_interval_counts_how_often_it_has_expired() {
        let mut again = timer(100, 10);
        assert_eq!((again.expire(100), again.deadline), (1, 110));
        assert_eq!((again.expire(109), again.deadline), (0, 110));
        assert_eq!((again.expire(135), again.deadline), (3, 140));
        assert_eq!((again.expire(140), again.deadline), (1, 150));
    }

    #[test]
    fn the_end_of_time_is_never() {
        let mut far = timer(100, u64::MAX / 2);
        assert_eq!((far.expire(u64::MAX - 1), far.deadline), (2, NEVER));
        assert_eq!(timer(NEVER, 10).expire(u64::MAX - 1), 0);
        assert_eq!(nanos(Duration::MAX), NEVER);
    }

    #[test]
    fn times_are_seconds_and_nanoseconds() {
        let time = timespec_of(3_000_000_007);
        assert_eq!((time.tv_sec, time.tv_nsec), (3, 7));
        assert_eq!(nanos(duration_of(&time)), 3_000_000_007);
    }
}
