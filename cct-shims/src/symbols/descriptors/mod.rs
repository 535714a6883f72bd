//! Functions on descriptors: what workers do to each other through eventfds, pipes, sockets and the like.
//!
//! The kernel's own objects stay in use, one worker at a time, and never blocking: before a call that might
//! wait, the worker waits in the engine until the kernel says that it would not. After a call that can make
//! others' descriptors ready, those who wait look again, and exactly those are woken that find it so.

mod table;

mod ready;

pub(super) mod epoll;
pub(super) mod poll;

pub(super) mod closing;
pub(super) mod eventfd;
pub(super) mod messages;
mod options;
pub(super) mod pipe;
pub(super) mod socket;
pub(super) mod timer;
pub(super) mod transfer;

pub(super) use ready::{End, On, Waiting};
pub(super) use table::{begin as begin_iteration, share_all};

use libc::c_long;

use super::argument;
use super::real::system_call;

/// The system call, with its result as the C library's functions have it.
///
/// # Safety
///
/// The arguments must be those of the system call.
unsafe fn call(number: c_long, arguments: [usize; 6]) -> isize {
    // SAFETY: the caller's.
    super::result_of(unsafe { system_call(number, arguments) })
}

/// True if the call failed since it would have to wait.
fn would_block(result: isize) -> bool {
    // SAFETY: `errno` is a place of this thread.
    result < 0 && unsafe { *libc::__errno_location() } == libc::EAGAIN
}
