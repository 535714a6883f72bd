//! Functions that wait for the outside: not under control yet, and said so.

use cct::harness::report_uncontrolled;
use libc::c_int;

use super::real::Real;

static EPOLL_WAIT: Real<
    unsafe extern "C" fn(c_int, *mut libc::epoll_event, c_int, c_int) -> c_int,
> =
    // SAFETY: the function's type.
    unsafe { Real::named(c"epoll_wait") };
static POLL: Real<unsafe extern "C" fn(*mut libc::pollfd, libc::nfds_t, c_int) -> c_int> =
    // SAFETY: the function's type.
    unsafe { Real::named(c"poll") };

/// Takes over the C library's `epoll_wait`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn epoll_wait(
    epoll: c_int,
    events: *mut libc::epoll_event,
    capacity: c_int,
    timeout: c_int,
) -> c_int {
    if timeout != 0 {
        report_uncontrolled("epoll_wait");
    }
    // SAFETY: the caller's arguments.
    unsafe { EPOLL_WAIT.get()(epoll, events, capacity, timeout) }
}

/// Takes over the C library's `poll`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn poll(
    descriptors: *mut libc::pollfd,
    count: libc::nfds_t,
    timeout: c_int,
) -> c_int {
    if timeout != 0 {
        report_uncontrolled("poll");
    }
    // SAFETY: the caller's arguments.
    unsafe { POLL.get()(descriptors, count, timeout) }
}
