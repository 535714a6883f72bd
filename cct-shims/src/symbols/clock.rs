//! Clocks and sleeping: virtual time on controlled workers.

use std::time::Duration;

use cct::claim::Exception;
use cct::engine;
use cct::operation::Operation;
use libc::{c_int, c_uint, clockid_t, time_t, timespec, timeval};

use super::real::Real;

const NANOS: u64 = 1_000_000_000;
/// The value of the monotonic clock when an iteration begins: programs subtract from it.
const UPTIME: u64 = 1_000_000 * NANOS;

static CLOCK_GETTIME: Real<unsafe extern "C" fn(clockid_t, *mut timespec) -> c_int> =
    // SAFETY: the function's type.
    unsafe { Real::named(c"clock_gettime") };
static NANOSLEEP: Real<unsafe extern "C" fn(*const timespec, *mut timespec) -> c_int> =
    // SAFETY: the function's type.
    unsafe { Real::named(c"nanosleep") };
type ClockNanosleep =
    unsafe extern "C" fn(clockid_t, c_int, *const timespec, *mut timespec) -> c_int;
static CLOCK_NANOSLEEP: Real<ClockNanosleep> =
    // SAFETY: the function's type.
    unsafe { Real::named(c"clock_nanosleep") };
static SCHED_YIELD: Real<unsafe extern "C" fn() -> c_int> =
    // SAFETY: the function's type.
    unsafe { Real::named(c"sched_yield") };

/// The value of a clock at virtual time 0; `None` for clocks that are not virtual (CPU time).
pub(super) fn epoch(clock: clockid_t) -> Option<u64> {
    match clock {
        libc::CLOCK_REALTIME | libc::CLOCK_REALTIME_COARSE | libc::CLOCK_TAI => {
            Some(engine::wall_clock())
        }
        libc::CLOCK_MONOTONIC
        | libc::CLOCK_MONOTONIC_RAW
        | libc::CLOCK_MONOTONIC_COARSE
        | libc::CLOCK_BOOTTIME => Some(UPTIME),
        _ => None,
    }
}

/// Nanoseconds of the monotonic clock. Controlled workers only.
#[cfg(target_arch = "x86_64")]
pub(crate) fn monotonic() -> u64 {
    UPTIME + engine::clock_read()
}

/// The machine's time, in nanoseconds since the Unix epoch.
pub(super) fn machine_time() -> u64 {
    let mut now = timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `now` is writable.
    unsafe { CLOCK_GETTIME.get()(libc::CLOCK_REALTIME, &raw mut now) };
    let seconds = u64::try_from(now.tv_sec).unwrap_or_default();
    seconds * NANOS + now.tv_nsec.cast_unsigned()
}

/// Takes over the C library's `clock_gettime`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn clock_gettime(clock: clockid_t, place: *mut timespec) -> c_int {
    if engine::is_controlled()
        && let Some(epoch) = epoch(clock)
    {
        let nanos = epoch + engine::clock_read();
        // SAFETY: the caller's place is writable.
        unsafe {
            (*place).tv_sec = (nanos / NANOS).cast_signed();
            (*place).tv_nsec = (nanos % NANOS).cast_signed();
        }
        return 0;
    }
    engine::leave_out(Exception::Clocks);
    // SAFETY: the caller's arguments.
    unsafe { CLOCK_GETTIME.get()(clock, place) }
}

/// Takes over the C library's `gettimeofday`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn gettimeofday(
    place: *mut timeval,
    _zone: *mut libc::c_void,
) -> c_int {
    let mut now = timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `now` and the caller's place are writable.
    unsafe {
        let result = clock_gettime(libc::CLOCK_REALTIME, &raw mut now);
        if !place.is_null() {
            (*place).tv_sec = now.tv_sec;
            (*place).tv_usec = now.tv_nsec / 1000;
        }
        result
    }
}

/// Takes over the C library's `time`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn time(place: *mut time_t) -> time_t {
    let mut now = timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `now` and the caller's place, if there is one, are writable.
    unsafe {
        clock_gettime(libc::CLOCK_REALTIME, &raw mut now);
        if !place.is_null() {
            *place = now.tv_sec;
        }
    }
    now.tv_sec
}

/// Takes over the C library's `nanosleep`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn nanosleep(duration: *const timespec, left: *mut timespec) -> c_int {
    // SAFETY: the caller's duration is readable.
    unsafe {
        if engine::is_controlled() {
            let deadline = engine::deadline_after(duration_of(&*duration));
            return match sleep_or_be_woken(deadline, left) {
                0 => 0,
                error => super::fail(error) as c_int,
            };
        }
        NANOSLEEP.get()(duration, left)
    }
}

/// Takes over the C library's `clock_nanosleep`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn clock_nanosleep(
    clock: clockid_t,
    flags: c_int,
    time: *const timespec,
    left: *mut timespec,
) -> c_int {
    if engine::is_controlled()
        && let Some(epoch) = epoch(clock)
    {
        // SAFETY: the caller's time is readable.
        let time = duration_of(unsafe { &*time });
        return if flags & libc::TIMER_ABSTIME != 0 {
            // SAFETY: nothing is written to null.
            unsafe { sleep_or_be_woken(deadline_on(epoch, time), std::ptr::null_mut()) }
        } else {
            // SAFETY: the caller's place.
            unsafe { sleep_or_be_woken(engine::deadline_after(time), left) }
        };
    }
    // SAFETY: the caller's arguments.
    unsafe { CLOCK_NANOSLEEP.get()(clock, flags, time, left) }
}

/// Sleeps, and says how long it would have gone on if a handler has ended that; an error's number, or 0.
unsafe fn sleep_or_be_woken(deadline: u64, left: *mut timespec) -> c_int {
    if !engine::sleep_until_signal(deadline) {
        return 0;
    }
    let rest = Duration::from_nanos(deadline.saturating_sub(engine::now()));
    // SAFETY: the caller's place, or null.
    if let Some(left) = unsafe { left.as_mut() } {
        left.tv_sec = rest.as_secs().cast_signed();
        left.tv_nsec = rest.subsec_nanos().into();
    }
    libc::EINTR
}

/// `clock_nanosleep` by number, which tells errors as all system calls do.
///
/// # Safety
///
/// As the C library's `clock_nanosleep`.
pub(super) unsafe fn sleep_by_number(
    clock: clockid_t,
    flags: c_int,
    time: *const timespec,
    left: *mut timespec,
) -> isize {
    // SAFETY: the caller's arguments.
    match unsafe { clock_nanosleep(clock, flags, time, left) } {
        0 => 0,
        error => super::fail(error),
    }
}

/// Takes over the C library's `usleep`.
#[unsafe(no_mangle)]
pub(super) extern "C" fn usleep(micros: c_uint) -> c_int {
    let duration = timespec {
        tv_sec: i64::from(micros / 1_000_000),
        tv_nsec: i64::from(micros % 1_000_000) * 1000,
    };
    // SAFETY: `duration` is readable, and null is a place for nothing.
    unsafe { nanosleep(&raw const duration, std::ptr::null_mut()) }
}

/// Takes over the C library's `sleep`.
#[unsafe(no_mangle)]
pub(super) extern "C" fn sleep(seconds: c_uint) -> c_uint {
    let duration = timespec {
        tv_sec: seconds.into(),
        tv_nsec: 0,
    };
    let mut left = timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the times are places of ours.
    match unsafe { nanosleep(&raw const duration, &raw mut left) } {
        0 => 0,
        _ => u32::try_from(left.tv_sec).unwrap_or(seconds),
    }
}

/// Takes over the C library's `sched_yield`.
#[unsafe(no_mangle)]
pub(super) extern "C" fn sched_yield() -> c_int {
    if engine::is_controlled() {
        engine::give_way(Operation::YieldNow);
        return 0;
    }
    // SAFETY: without arguments and effects on memory.
    unsafe { SCHED_YIELD.get()() }
}

/// The virtual deadline of a time shown by a clock with this epoch.
pub(super) fn deadline_on(epoch: u64, time: Duration) -> u64 {
    let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    engine::deadline_at(nanos.saturating_sub(epoch))
}

/// The duration that a `timespec` says.
pub(super) fn duration_of(time: &timespec) -> Duration {
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_nanos(u64::try_from(time.tv_nsec).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_that_only_go_on_show_the_time_since_a_start_and_others_are_left_alone() {
        for clock in [
            libc::CLOCK_MONOTONIC,
            libc::CLOCK_MONOTONIC_RAW,
            libc::CLOCK_MONOTONIC_COARSE,
            libc::CLOCK_BOOTTIME,
        ] {
            assert_eq!(epoch(clock), Some(UPTIME));
        }
        for clock in [
            libc::CLOCK_PROCESS_CPUTIME_ID,
            libc::CLOCK_THREAD_CPUTIME_ID,
            -1,
        ] {
            assert_eq!(epoch(clock), None);
        }
    }

    #[test]
    fn a_deadline_is_counted_from_where_the_clock_began() {
        assert_eq!(deadline_on(10, Duration::from_nanos(17)), 7);
        assert_eq!(deadline_on(10, Duration::from_nanos(3)), 0, "it is past");
        assert_eq!(deadline_on(0, Duration::MAX), engine::NEVER);
    }

    #[test]
    fn a_time_before_the_beginning_is_none() {
        let duration = |tv_sec, tv_nsec| duration_of(&timespec { tv_sec, tv_nsec });
        assert_eq!(duration(3, 7), Duration::new(3, 7));
        assert_eq!(duration(-3, 7), Duration::from_nanos(7));
        assert_eq!(duration(3, -7), Duration::from_secs(3));
    }

    #[test]
    fn off_the_engine_clocks_are_real() {
        let mut now = timeval {
            tv_sec: 0,
            tv_usec: 0,
        };
        // SAFETY: the places are writable, or null.
        let since = unsafe {
            assert_eq!(gettimeofday(&raw mut now, std::ptr::null_mut()), 0);
            time(std::ptr::null_mut())
        };
        // A day in 2024, long past, and before the virtual clock's.
        assert!(now.tv_sec > 1_704_067_200 && since >= now.tv_sec);
    }
}
