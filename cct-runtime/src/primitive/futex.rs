//! Sleeping and waking for threads outside the engine: a thin layer over Linux's futex.
//!
//! A controlled worker must not sleep here, except for the short, bounded [`patience`]; it may
//! wake.

use std::io;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::engine;

/// How long a thread sleeps at a time when nobody is sure to wake it.
pub(super) const SLICE: Duration = Duration::from_micros(500);

/// How many slices a worker gives a native holder before it counts as blocked.
const PATIENCE: u32 = 400;

/// Sleeps while `word` is `expected`, at most for `timeout`; false only when the time was over.
///
/// It may return early, so callers look again.
pub(super) fn wait(word: &AtomicU32, expected: u32, timeout: Option<Duration>) -> bool {
    let time = timeout.and_then(timespec);
    let time = time.as_ref().map_or(ptr::null(), ptr::from_ref);
    // SAFETY: the word lives while it is borrowed, and the time, if any, until the call returns.
    let result = unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG,
            expected,
            time,
            ptr::null::<u32>(),
            0_u32,
        )
    };
    result == 0 || io::Error::last_os_error().raw_os_error() != Some(libc::ETIMEDOUT)
}

/// Wakes one thread that sleeps on `word`.
pub(super) fn wake_one(word: &AtomicU32) {
    wake(word, 1);
}

/// Wakes all threads that sleep on `word`.
pub(super) fn wake_all(word: &AtomicU32) {
    wake(word, i32::MAX);
}

/// Reads `word` until `settled` holds for it, or for about as long as a system call would take.
pub(super) fn spin(word: &AtomicU32, settled: impl Fn(u32) -> bool) -> u32 {
    for _ in 0..100 {
        let value = word.load(Ordering::Relaxed);
        if settled(value) {
            return value;
        }
        std::hint::spin_loop();
    }
    word.load(Ordering::Relaxed)
}

/// Lets a native holder go on until `held` no longer holds for `word`, up to a bound.
///
/// True when it let go. The whole wait is one step of the worker that calls.
pub(super) fn patience(word: &AtomicU32, held: impl Fn(u32) -> bool) -> bool {
    engine::outside(|| {
        for _ in 0..PATIENCE {
            let value = word.load(Ordering::Acquire);
            if !held(value) {
                return true;
            }
            wait(word, value, Some(SLICE));
        }
        !held(word.load(Ordering::Acquire))
    })
}

fn wake(word: &AtomicU32, count: i32) {
    let call = || {
        // SAFETY: waking looks at nothing but the address.
        unsafe {
            libc::syscall(
                libc::SYS_futex,
                word.as_ptr(),
                libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG,
                count,
                ptr::null::<libc::timespec>(),
                ptr::null::<u32>(),
                0_u32,
            )
        };
    };
    // A worker's futex calls belong to the program under test; this one does not.
    if engine::is_controlled() {
        engine::outside(call);
    } else {
        call();
    }
}

/// The kernel's form of a duration; none when it is longer than the kernel can count.
fn timespec(duration: Duration) -> Option<libc::timespec> {
    Some(libc::timespec {
        tv_sec: duration.as_secs().try_into().ok()?,
        tv_nsec: duration.subsec_nanos().into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_for_another_value_is_none_and_one_in_vain_is_over_in_time() {
        let word = AtomicU32::new(1);
        assert!(wait(&word, 2, None), "it does not sleep");
        assert!(!wait(&word, 1, Some(Duration::from_millis(1))));
    }

    #[test]
    fn a_sleeper_is_woken() {
        let word = AtomicU32::new(0);
        std::thread::scope(|scope| {
            let sleeper = scope.spawn(|| {
                while word.load(Ordering::Acquire) == 0 {
                    assert!(wait(&word, 0, None));
                }
            });
            word.store(1, Ordering::Release);
            while !sleeper.is_finished() {
                wake_all(&word);
                std::thread::yield_now();
            }
        });
    }

    #[test]
    fn patience_ends_with_the_holder_or_the_bound() {
        let word = AtomicU32::new(1);
        assert!(patience(&word, |held| held == 2));
        std::thread::scope(|scope| {
            scope.spawn(|| word.store(0, Ordering::Release));
            // It may be long before that thread has a processor.
            while !patience(&word, |held| held == 1) {}
        });
        assert_eq!(spin(&word, |value| value == 0), 0);
        assert_eq!(spin(&word, |value| value == 9), 0, "it is no wait");
    }

    #[test]
    fn the_kernel_counts_seconds() {
        let time = timespec(Duration::new(3, 5)).expect("it counts so far");
        assert_eq!((time.tv_sec, time.tv_nsec), (3, 5));
        assert!(timespec(Duration::MAX).is_none());
    }
}
