//! `pthread_barrier_…`: ours throughout, for workers and threads outside, since the C library has no
//! arrival that does not wait.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use cct::engine::{self, NEVER};
use cct::harness::report_uncontrolled;
use cct::operation::Operation;
use libc::{c_int, c_uint, pthread_barrier_t, pthread_barrierattr_t};

use super::waited;
use crate::symbols::real::system_call;

/// What lies in the caller's barrier.
#[repr(C)]
struct Barrier {
    size: u32,
    /// How many are still in `wait`: the barrier must not end before they have left.
    inside: AtomicU32,
    /// The round in the upper half, the number of arrivals in the lower: they change together.
    state: AtomicU64,
    /// Counts the rounds that ended, for threads outside to sleep on.
    ended: AtomicU32,
    /// Whether other processes may have it, too.
    shared: c_int,
}

const _: () = assert!(size_of::<Barrier>() <= size_of::<pthread_barrier_t>());
const ROUND: u64 = 1 << 32;

/// Takes over the C library's `pthread_barrier_init`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn pthread_barrier_init(
    barrier: *mut pthread_barrier_t,
    attributes: *const pthread_barrierattr_t,
    size: c_uint,
) -> c_int {
    if size == 0 || size > i32::MAX.cast_unsigned() {
        return libc::EINVAL;
    }
    let mut shared = 0;
    // SAFETY: the caller's attributes, if there are any.
    unsafe {
        if !attributes.is_null() {
            libc::pthread_barrierattr_getpshared(attributes, &raw mut shared);
        }
    }
    let fresh = Barrier {
        size,
        inside: AtomicU32::new(0),
        state: AtomicU64::new(0),
        ended: AtomicU32::new(0),
        shared,
    };
    // SAFETY: the caller's barrier is writable and large enough.
    unsafe { barrier.cast::<Barrier>().write(fresh) };
    0
}

/// Takes over the C library's `pthread_barrier_destroy`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn pthread_barrier_destroy(barrier: *mut pthread_barrier_t) -> c_int {
    // SAFETY: the caller's barrier.
    let barrier = unsafe { &*barrier.cast::<Barrier>() };
    loop {
        let inside = barrier.inside.load(Ordering::Acquire);
        if inside == 0 {
            return 0;
        }
        barrier.block(&barrier.inside, || {
            barrier.inside.load(Ordering::Acquire) > 0
        });
    }
}

/// Takes over the C library's `pthread_barrier_wait`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn pthread_barrier_wait(barrier: *mut pthread_barrier_t) -> c_int {
    // SAFETY: the caller's barrier.
    let barrier = unsafe { &*barrier.cast::<Barrier>() };
    if engine::is_controlled() {
        let site = engine::last_site();
        engine::point_at(Operation::BarrierWait, barrier.address(), site).done();
    }
    barrier.inside.fetch_add(1, Ordering::AcqRel);
    let before = barrier.arrive();
    let is_last = barrier.is_last(before);
    if is_last {
        barrier.ended.fetch_add(1, Ordering::SeqCst);
        barrier.wake(&barrier.ended);
    } else {
        let same_round = || barrier.state.load(Ordering::SeqCst) / ROUND == before / ROUND;
        while same_round() {
            barrier.block(&barrier.ended, same_round);
        }
    }
    if barrier.inside.fetch_sub(1, Ordering::AcqRel) == 1 {
        barrier.wake(&barrier.inside);
    }
    if is_last {
        libc::PTHREAD_BARRIER_SERIAL_THREAD
    } else {
        0
    }
}

impl Barrier {
    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// Counts an arrival, the last one by beginning the next round; returns the state before.
    fn arrive(&self) -> u64 {
        self.state
            .update(Ordering::SeqCst, Ordering::SeqCst, |state| {
                if self.is_last(state) {
                    (state / ROUND * ROUND).wrapping_add(ROUND)
                } else {
                    state + 1
                }
            })
    }

    fn is_last(&self, before: u64) -> bool {
        before % ROUND + 1 == u64::from(self.size)
    }

    /// Waits while this holds, which changes with the word; may return early.
    fn block(&self, word: &AtomicU32, holds: impl Fn() -> bool) {
        let address = self.address();
        if engine::is_controlled() {
            if self.shared != 0 {
                report_uncontrolled("pthread_barrier_wait at a barrier that processes share");
            }
            waited::enter(address);
            if holds() {
                let site = engine::last_site();
                engine::wait_at(Operation::BarrierWait, address, NEVER, None, site);
            }
            waited::leave(address);
        } else {
            let value = word.load(Ordering::SeqCst);
            if holds() {
                futex(word, libc::FUTEX_WAIT, value);
            }
        }
    }

    fn wake(&self, word: &AtomicU32) {
        futex(word, libc::FUTEX_WAKE, i32::MAX.cast_unsigned());
        if engine::is_controlled() {
            engine::wake_all(self.address());
        } else {
            waited::tell(self.address());
        }
    }
}

fn futex(word: &AtomicU32, operation: c_int, value: u32) {
    let operation = operation.cast_unsigned() as usize;
    let word = std::ptr::from_ref(word).addr();
    // SAFETY: the word lives as long as the barrier; without a time the others mean nothing.
    unsafe { system_call(libc::SYS_futex, [word, operation, value as usize, 0, 0, 0]) };
}
