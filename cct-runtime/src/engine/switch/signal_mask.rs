//! Which signals a thread has blocked. Natively each thread has that for itself.
//!
//! The one OS thread has more of them blocked: signals of others, until the engine takes them, and those
//! that the program has sent and that wait for a thread that takes them. So the kernel knows what is
//! pending.

use std::mem::zeroed;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Signals as bits, the lowest for signal 1, as the kernel has them.
pub(crate) fn bit(signal: libc::c_int) -> u64 {
    1 << (signal - 1)
}

/// The signals of a set of the C library's.
///
/// # Safety
///
/// The set is readable.
pub unsafe fn signals_of(set: *const libc::sigset_t) -> u64 {
    // SAFETY: the caller's; it begins with the kernel's.
    unsafe { set.cast::<u64>().read() }
}

/// The set of these signals.
pub fn set_of(signals: u64) -> libc::sigset_t {
    // SAFETY: all zeros is an empty set, which begins with the kernel's.
    unsafe {
        let mut set: libc::sigset_t = zeroed();
        (&raw mut set).cast::<u64>().write(signals);
        set
    }
}

/// The signals that the program has blocked on the thread that runs.
static CURRENT: AtomicU64 = AtomicU64::new(0);
/// The kernel has these blocked besides.
static ALWAYS: AtomicU64 = AtomicU64::new(0);
static HELD: AtomicU64 = AtomicU64::new(0);
/// It never has these, whatever the program says.
static NEVER: AtomicU64 = AtomicU64::new(0);

/// The signals that a thread of the program has blocked.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SignalMask(pub u64);

impl SignalMask {
    /// The OS thread of the workers has these blocked, and will have `always` and not `never`.
    pub(crate) fn begin(before: u64, always: u64, never: u64) {
        CURRENT.store(before, Relaxed);
        ALWAYS.store(always, Relaxed);
        NEVER.store(never, Relaxed);
        tell_kernel();
    }

    /// That of the thread that runs.
    #[inline]
    pub(crate) fn now() -> SignalMask {
        SignalMask(CURRENT.load(Relaxed))
    }

    /// The signals that are blocked while one arrives: those of the program, and those that would come
    /// with it.
    pub(crate) fn at_arrival() -> u64 {
        program() | held() | (ALWAYS.load(Relaxed) & pending())
    }

    /// The signals that the kernel itself has sent to the thread that runs and that has these blocked, as for
    /// a pipe that nobody reads.
    pub(crate) fn of_kernel(self) -> u64 {
        pending() & self.0 & !held() & !ALWAYS.load(Relaxed)
    }

    /// The signals that the kernel has, those of others aside: some thread of the program had them blocked.
    pub(crate) fn pending_of_program() -> u64 {
        pending() & !ALWAYS.load(Relaxed)
    }

    /// Has the thread that runs block these.
    pub(crate) fn set(self) {
        if CURRENT.swap(self.0, Relaxed) != self.0 {
            tell_kernel();
        }
    }
}

/// The signals that have been sent, and wait for a thread that takes them.
pub(crate) fn held() -> u64 {
    HELD.load(Relaxed)
}

/// These are the signals that wait.
pub(crate) fn hold(signals: u64) {
    if HELD.swap(signals, Relaxed) != signals {
        tell_kernel();
    }
}

/// The signals that the kernel has for the OS thread.
pub(crate) fn pending() -> u64 {
    let mut set = set_of(0);
    // SAFETY: the set is a place of ours.
    unsafe {
        libc::sigpending(&raw mut set);
        signals_of(&raw const set)
    }
}

fn program() -> u64 {
    CURRENT.load(Relaxed) & !NEVER.load(Relaxed)
}

fn tell_kernel() {
    let mask = set_of(program() | ALWAYS.load(Relaxed) | HELD.load(Relaxed));
    // SAFETY: the set is readable.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const mask, null_mut()) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_are_bits_as_the_kernel_has_them() {
        // SAFETY: the set is a place of ours.
        unsafe {
            let mut set: libc::sigset_t = zeroed();
            for signal in [libc::SIGHUP, libc::SIGUSR1, 64] {
                libc::sigaddset(&raw mut set, signal);
            }
            let expected = bit(libc::SIGHUP) | bit(libc::SIGUSR1) | bit(64);
            assert_eq!(signals_of(&raw const set), expected);
            let set = set_of(expected);
            assert_eq!(libc::sigismember(&raw const set, 64), 1);
        }
    }
}
