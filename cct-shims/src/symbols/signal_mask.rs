//! Which signals a thread has blocked, and waiting for one of them.

use std::time::Duration;

use cct::claim::Exception;
use cct::engine::{self, NEVER, SignalMask, WaitingSignals, signals_of};
use cct::object::ObjectId;
use cct::operation::{Access, Operation};
use libc::{c_int, siginfo_t, sigset_t, timespec};

use super::descriptors::{On, Waiting};
use super::real::Real;
use super::signals::take_all;

type Change = unsafe extern "C" fn(c_int, *const sigset_t, *mut sigset_t) -> c_int;
type Pending = unsafe extern "C" fn(*mut sigset_t) -> c_int;
type Wait = unsafe extern "C" fn(*const sigset_t, *mut c_int) -> c_int;
type TimedWait = unsafe extern "C" fn(*const sigset_t, *mut siginfo_t, *const timespec) -> c_int;

// SAFETY: the functions' types.
static PTHREAD_SIGMASK: Real<Change> = unsafe { Real::named(c"pthread_sigmask") };
// SAFETY: as above.
static SIGPROCMASK: Real<Change> = unsafe { Real::named(c"sigprocmask") };
// SAFETY: as above.
static SIGPENDING: Real<Pending> = unsafe { Real::named(c"sigpending") };
// SAFETY: as above.
static SIGWAIT: Real<Wait> = unsafe { Real::named(c"sigwait") };
// SAFETY: as above.
static SIGTIMEDWAIT: Real<TimedWait> = unsafe { Real::named(c"sigtimedwait") };

/// The size of the kernel's sets, in bytes.
const SIZE: usize = size_of::<u64>();
/// Nobody can block these: two of the kernel's, and two of the C library's own.
const NEVER_BLOCKED: u64 = 1 << (libc::SIGKILL - 1) | 1 << (libc::SIGSTOP - 1) | 0b11 << 31;

/// The kernel's timers send these, or may be told to send them.
const OF_TIMERS: u64 = 1 << (libc::SIGALRM - 1)
    | 1 << (libc::SIGVTALRM - 1)
    | 1 << (libc::SIGPROF - 1)
    | u64::MAX << 33;

/// Takes over the C library's `pthread_sigmask`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn pthread_sigmask(
    how: c_int,
    new: *const sigset_t,
    old: *mut sigset_t,
) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe {
        if engine::is_controlled() {
            change(how, new.cast(), old.cast())
        } else {
            PTHREAD_SIGMASK.get()(how, new, old)
        }
    }
}

/// Takes over the C library's `sigprocmask`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn sigprocmask(
    how: c_int,
    new: *const sigset_t,
    old: *mut sigset_t,
) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe {
        if !engine::is_controlled() {
            return SIGPROCMASK.get()(how, new, old);
        }
        match change(how, new.cast(), old.cast()) {
            0 => 0,
            error => super::fail(error) as c_int,
        }
    }
}

/// Changes the mask of the current worker's thread; returns an error's number, or 0.
unsafe fn change(how: c_int, new: *const u64, old: *mut u64) -> c_int {
    let before = engine::signal_mask().0;
    // SAFETY: the caller's places, or null.
    let (new, old) = unsafe { (new.as_ref(), old.as_mut()) };
    if let Some(&new) = new {
        engine::leave_out(Exception::Signals);
        let mask = match how {
            libc::SIG_BLOCK => before | new,
            libc::SIG_UNBLOCK => before & !new,
            libc::SIG_SETMASK => new,
            _ => return libc::EINVAL,
        };
        set_mask(mask);
    }
    if let Some(old) = old {
        *old = before;
    }
    // Their handlers run before this returns.
    if new.is_some() {
        take_all();
    }
    0
}

/// The thread of the current worker has these blocked, as far as that can be.
pub(super) fn set_mask(mask: u64) {
    engine::set_signal_mask(SignalMask(mask & !NEVER_BLOCKED));
}

/// `rt_sigprocmask` by number; `None` for what is left to the kernel.
///
/// # Safety
///
/// As the system call's.
pub(super) unsafe fn mask_by_number(
    how: c_int,
    new: *const u64,
    old: *mut u64,
    size: usize,
) -> Option<isize> {
    if !engine::is_controlled() || size != SIZE {
        return None;
    }
    // SAFETY: the caller's arguments.
    Some(match unsafe { change(how, new, old) } {
        0 => 0,
        error => super::fail(error),
    })
}

/// Takes over the C library's `sigpending`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn sigpending(set: *mut sigset_t) -> c_int {
    // SAFETY: the caller's place.
    unsafe {
        if !engine::is_controlled() {
            return SIGPENDING.get()(set);
        }
        set.cast::<u64>().write(pending());
        0
    }
}

fn pending() -> u64 {
    engine::leave_out(Exception::Signals);
    engine::touch(ObjectId::SIGNALS, Access::Reads);
    WaitingSignals::for_current().all() & engine::signal_mask().0
}

/// `rt_sigpending` by number; `None` for what is left to the kernel.
///
/// # Safety
///
/// As the system call's.
pub(super) unsafe fn pending_by_number(set: *mut u64, size: usize) -> Option<isize> {
    if !engine::is_controlled() || size != SIZE {
        return None;
    }
    // SAFETY: the caller's place.
    unsafe { set.write(pending()) };
    Some(0)
}

/// Takes over the C library's `sigwait`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn sigwait(set: *const sigset_t, signal: *mut c_int) -> c_int {
    // SAFETY: the caller's places.
    unsafe {
        if !engine::is_controlled() {
            return SIGWAIT.get()(set, signal);
        }
        loop {
            if let Ok((taken, _)) = wait(signals_of(set), NEVER) {
                signal.write(taken);
                return 0;
            }
        }
    }
}

/// Takes over the C library's `sigwaitinfo`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn sigwaitinfo(set: *const sigset_t, place: *mut siginfo_t) -> c_int {
    // SAFETY: the caller's arguments; no time is for ever.
    unsafe { sigtimedwait(set, place, std::ptr::null()) }
}

/// Takes over the C library's `sigtimedwait`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn sigtimedwait(
    set: *const sigset_t,
    place: *mut siginfo_t,
    time: *const timespec,
) -> c_int {
    // SAFETY: the caller's places.
    unsafe {
        if !engine::is_controlled() {
            return SIGTIMEDWAIT.get()(set, place, time);
        }
        let taken = wait_up_to(signals_of(set), place, time);
        // To the C library what is for a thread is for the process.
        if let Some(place) = place.as_mut().filter(|_| taken > 0)
            && place.si_code == libc::SI_TKILL
        {
            place.si_code = libc::SI_USER;
        }
        taken as c_int
    }
}

/// `rt_sigtimedwait` by number; `None` for what is left to the kernel.
///
/// # Safety
///
/// As the system call's.
pub(super) unsafe fn wait_by_number(
    set: *const u64,
    place: *mut siginfo_t,
    time: *const timespec,
    size: usize,
) -> Option<isize> {
    if !engine::is_controlled() || size != SIZE {
        return None;
    }
    // SAFETY: the caller's places.
    Some(unsafe { wait_up_to(*set, place, time) })
}

unsafe fn wait_up_to(wanted: u64, place: *mut siginfo_t, time: *const timespec) -> isize {
    // SAFETY: the caller's places, or null.
    let (place, time) = unsafe { (place.as_mut(), time.as_ref()) };
    let deadline = match time {
        None => NEVER,
        Some(time) => {
            let nanos = u32::try_from(time.tv_nsec)
                .ok()
                .filter(|nanos| *nanos < 1_000_000_000);
            let (Ok(seconds), Some(nanos)) = (u64::try_from(time.tv_sec), nanos) else {
                return super::fail(libc::EINVAL);
            };
            match Duration::new(seconds, nanos) {
                Duration::ZERO => 0,
                time => engine::deadline_after(time),
            }
        }
    };
    match wait(wanted, deadline) {
        Ok((signal, information)) => {
            if let Some(place) = place {
                *place = information;
            }
            signal as isize
        }
        Err(error) => super::fail(error),
    }
}

/// Takes one of these signals, or waits for one; an error's number if the deadline or another signal comes
/// first.
fn wait(wanted: u64, deadline: u64) -> Result<(c_int, siginfo_t), c_int> {
    let waiting = Waiting {
        operation: Operation::WaitSignal,
        object: ObjectId::SIGNALS,
        deadline,
        on: On::Signal {
            is_of_timers: wanted & OF_TIMERS != 0,
        },
        has_part: false,
    };
    let signals = WaitingSignals::for_current();
    let taken = std::cell::Cell::new(None);
    let count = waiting.count(
        || engine::touch(ObjectId::SIGNALS, Access::Writes),
        || signals.all() & wanted != 0,
        || {
            let found = signals.take(wanted);
            taken.set(found);
            isize::from(found.is_some())
        },
    );
    let error = if count.is_some() {
        libc::EAGAIN
    } else {
        libc::EINTR
    };
    taken.into_inner().ok_or(error)
}

/// Unused bits of a set stay as they are.
const _: () = assert!(size_of::<sigset_t>() >= SIZE);

#[cfg(test)]
mod tests {
    use cct::engine::set_of;

    use super::*;

    #[test]
    fn the_mask_is_the_threads_own_where_nobody_decides() {
        // SAFETY: the sets are places of ours.
        unsafe {
            let only = set_of(1 << (libc::SIGTTIN - 1));
            let mut before = set_of(0);
            let mut now = set_of(0);
            assert_eq!(
                pthread_sigmask(libc::SIG_BLOCK, &raw const only, &raw mut before),
                0
            );
            assert_eq!(
                sigprocmask(libc::SIG_BLOCK, std::ptr::null(), &raw mut now),
                0
            );
            assert_eq!(
                signals_of(&raw const now),
                signals_of(&raw const before) | signals_of(&raw const only)
            );
            assert_eq!(
                pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut()),
                0
            );
        }
    }
}
