//! `poll` and `select`.

use std::time::Duration;

use cct::engine;
use cct::operation::{Access, Operation};
use libc::{c_int, fd_set, nfds_t, pollfd, sigset_t, timespec, timeval};

use super::epoll::SIGNAL_SET;
use super::ready::{EachOf, On, Waiting, deadline, poll_now};
use super::table;
use super::{argument, call};
use crate::symbols::clock::duration_of;

/// Takes over the C library's `poll`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(in crate::symbols) unsafe extern "C" fn poll(
    descriptors: *mut pollfd,
    count: nfds_t,
    timeout: c_int,
) -> c_int {
    let timeout = u64::try_from(timeout).ok().map(Duration::from_millis);
    let time = timeout.map(timespec_of);
    let time = time.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: the caller's array; the time is readable.
    unsafe { ppoll(descriptors, count, time, std::ptr::null()) }
}

/// Takes over the C library's `ppoll`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(in crate::symbols) unsafe extern "C" fn ppoll(
    descriptors: *mut pollfd,
    count: nfds_t,
    timeout: *const timespec,
    mask: *const sigset_t,
) -> c_int {
    // SAFETY: the caller's time is readable, or null.
    let mut timeout = unsafe { timeout.as_ref() }.copied();
    if !engine::is_controlled() {
        // The kernel writes into the time, which callers may not expect.
        let time = timeout
            .as_mut()
            .map_or(std::ptr::null_mut(), std::ptr::from_mut);
        let arguments = [
            descriptors as usize,
            count as usize,
            time as usize,
            mask as usize,
            SIGNAL_SET,
            0,
        ];
        // SAFETY: the caller's arguments are those of the system call.
        return unsafe { call(libc::SYS_ppoll, arguments) } as c_int;
    }
    let asked: &mut [pollfd] = if count == 0 {
        &mut []
    } else {
        // SAFETY: the caller's array is as long as said.
        unsafe { std::slice::from_raw_parts_mut(descriptors, count as usize) }
    };
    let all = |see: &mut dyn FnMut(c_int)| {
        asked
            .iter()
            .map(|asked| asked.fd)
            .filter(|&fd| fd >= 0)
            .for_each(see);
    };
    let waiting = waiting(timeout.as_ref().map(duration_of), &all);
    // The kernel writes what it finds, and reads nothing of that.
    let place = asked.as_ptr().cast_mut();
    // SAFETY: as above; nobody else has the array during the call.
    let look = || poll_now(unsafe { std::slice::from_raw_parts_mut(place, count as usize) });
    match carry_out(waiting, look) {
        None => crate::symbols::fail(libc::EINTR) as c_int,
        Some(error @ ..0) => crate::symbols::fail(-error as c_int) as c_int,
        Some(count) => count as c_int,
    }
}

/// Takes over the C library's `select`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(in crate::symbols) unsafe extern "C" fn select(
    end: c_int,
    read: *mut fd_set,
    write: *mut fd_set,
    special: *mut fd_set,
    timeout: *mut timeval,
) -> c_int {
    // SAFETY: the caller's time is readable, or null.
    let time = unsafe { timeout.as_ref() }.map(|time| timespec {
        tv_sec: time.tv_sec,
        tv_nsec: time.tv_usec.saturating_mul(1000),
    });
    let time = time.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: the caller's sets; the time is readable.
    unsafe { pselect(end, read, write, special, time, std::ptr::null()) }
}

/// Takes over the C library's `pselect`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(in crate::symbols) unsafe extern "C" fn pselect(
    end: c_int,
    read: *mut fd_set,
    write: *mut fd_set,
    special: *mut fd_set,
    timeout: *const timespec,
    mask: *const sigset_t,
) -> c_int {
    let sets = [read, write, special];
    // SAFETY: the caller's sets and time are readable, or null.
    unsafe {
        let mut timeout = timeout.as_ref().copied();
        let fits = usize::try_from(end).is_ok_and(|end| end <= libc::FD_SETSIZE);
        if !engine::is_controlled() || !fits {
            let mask = Mask {
                set: mask,
                size: SIGNAL_SET,
            };
            let time = timeout
                .as_mut()
                .map_or(std::ptr::null_mut(), std::ptr::from_mut);
            return select_really(end, sets, time, &raw const mask) as c_int;
        }
        let wanted = sets.map(|set| set.as_ref().copied());
        let is_wanted = |fd| wanted.iter().flatten().any(|set| libc::FD_ISSET(fd, set));
        let all = |see: &mut dyn FnMut(c_int)| (0..end).filter(|&fd| is_wanted(fd)).for_each(see);
        let waiting = waiting(timeout.as_ref().map(duration_of), &all);
        let put_back = || {
            for (&set, wanted) in sets.iter().zip(&wanted) {
                if let Some(wanted) = wanted {
                    set.write(*wanted);
                }
            }
        };
        let look = || {
            put_back();
            let mut now = timespec_of(Duration::ZERO);
            select_really(end, sets, &raw mut now, std::ptr::null())
        };
        let found = carry_out(waiting, look);
        let found = found.unwrap_or_else(|| {
            put_back();
            crate::symbols::fail(libc::EINTR)
        });
        found as c_int
    }
}

/// The last argument of `pselect` by number.
#[repr(C)]
pub(in crate::symbols) struct Mask {
    set: *const sigset_t,
    size: usize,
}

/// `pselect` by number.
///
/// # Safety
///
/// As the C library's `pselect`; the mask must be readable, or null.
pub(in crate::symbols) unsafe fn pselect_by_number(
    end: c_int,
    read: *mut fd_set,
    write: *mut fd_set,
    special: *mut fd_set,
    timeout: *const timespec,
    mask: *const Mask,
) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe {
        let mask = mask.as_ref().map_or(std::ptr::null(), |mask| mask.set);
        pselect(end, read, write, special, timeout, mask)
    }
}

unsafe fn select_really(
    end: c_int,
    sets: [*mut fd_set; 3],
    timeout: *mut timespec,
    mask: *const Mask,
) -> isize {
    let [read, write, special] = sets.map(|set| set as usize);
    let arguments = [
        argument(end),
        read,
        write,
        special,
        timeout as usize,
        mask as usize,
    ];
    // SAFETY: the caller's arguments are those of the system call.
    unsafe { call(libc::SYS_pselect6, arguments) }
}

/// One that waits for any of these.
fn waiting<'a>(timeout: Option<Duration>, all: &'a EachOf<'a>) -> Waiting<'a> {
    let mut object = None;
    all(&mut |descriptor| {
        let what = table::of(descriptor);
        object = object.or(what.matters().then(|| what.object()));
    });
    Waiting {
        operation: Operation::PollDescriptors,
        object: object.unwrap_or_default(),
        deadline: deadline(timeout),
        on: On::Any(all),
        has_part: false,
    }
}

/// Waits until `look` finds something, or fails.
fn carry_out(waiting: Waiting<'_>, look: impl Fn() -> isize) -> Option<isize> {
    let touch = || {
        if let On::Any(all) = waiting.on {
            all(&mut |descriptor| engine::touch(table::of(descriptor).object(), Access::Reads));
        }
    };
    waiting.count(touch, || look() != 0, &look)
}

fn timespec_of(duration: Duration) -> timespec {
    timespec {
        tv_sec: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(duration.subsec_nanos()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn off_the_engine_the_kernel_is_asked() {
        // SAFETY: the array and the sets are writable, and the descriptor is closed.
        unsafe {
            let event = libc::eventfd(1, 0);
            let mut asked = [pollfd {
                fd: event,
                events: libc::POLLIN,
                revents: 0,
            }];
            assert_eq!(poll(asked.as_mut_ptr(), 1, 0), 1);
            assert_eq!(asked[0].revents, libc::POLLIN);
            let mut set: fd_set = std::mem::zeroed();
            libc::FD_SET(event, &raw mut set);
            let none = std::ptr::null_mut();
            let mut now = timeval {
                tv_sec: 0,
                tv_usec: 0,
            };
            assert_eq!(select(event + 1, &raw mut set, none, none, &raw mut now), 1);
            assert!(libc::FD_ISSET(event, &raw const set));
            libc::close(event);
            assert_eq!(poll(asked.as_mut_ptr(), 0, 0), 0);
        }
    }

    #[test]
    fn a_time_of_any_length_can_be_said() {
        let time = timespec_of(Duration::new(3, 7));
        assert_eq!((time.tv_sec, time.tv_nsec), (3, 7));
        assert_eq!(timespec_of(Duration::MAX).tv_sec, i64::MAX);
    }
}
