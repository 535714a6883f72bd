//! `pthread_barrier_…`: ours throughout, for workers and threads outside, since the C library has no
//! arrival that does not wait.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use cct::engine::{self, NEVER};
use cct::harness::report_uncontrolled;
use cct::object::ObjectId;
use cct::operation::Operation;
use cct::primitive::Update as _;
use libc::{c_int, c_uint, pthread_barrier_t, pthread_barrierattr_t};

use super::waited;
use crate::symbols::real::system_call;

/// The content of the caller's barrier.
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
        engine::point_at(Operation::BarrierWait, barrier.object(), site).done();
    }
    engine::release(barrier.object());
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
    engine::acquire(barrier.object());
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
    fn object(&self) -> ObjectId {
        ObjectId::of(self)
    }

    /// Counts an arrival, the last one by beginning the next round; returns the state before.
    fn arrive(&self) -> u64 {
        self.state
            .replace_with(Ordering::SeqCst, Ordering::SeqCst, |state| {
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
        let object = self.object();
        if engine::is_controlled() {
            if self.shared != 0 {
                report_uncontrolled("pthread_barrier_wait at a barrier that processes share");
            }
            waited::enter(object);
            if holds() {
                let site = engine::last_site();
                engine::wait_at(Operation::BarrierWait, object, NEVER, None, site);
            }
            waited::leave(object);
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
            engine::wake_all(self.object());
        } else {
            waited::tell(self.object());
        }
    }
}

fn futex(word: &AtomicU32, operation: c_int, value: u32) {
    let operation = operation.cast_unsigned() as usize;
    let word = std::ptr::from_ref(word).addr();
    // SAFETY: the word lives as long as the barrier; without a time the others mean nothing.
    unsafe { system_call(libc::SYS_futex, [word, operation, value as usize, 0, 0, 0]) };
}

#[cfg(test)]
mod tests {
    use std::mem::MaybeUninit;
    use std::thread;

    use super::*;

    /// A barrier for so many; an error if it cannot be.
    fn made_for(size: c_uint) -> Result<Barrier, c_int> {
        let mut made = MaybeUninit::<pthread_barrier_t>::uninit();
        // SAFETY: the place is writable; what is made there is ours, and needs no destruction.
        unsafe {
            match pthread_barrier_init(made.as_mut_ptr(), std::ptr::null(), size) {
                0 => Ok(made.as_ptr().cast::<Barrier>().read()),
                error => Err(error),
            }
        }
    }

    #[test]
    fn a_barrier_for_nobody_is_refused() {
        assert_eq!(made_for(0).err(), Some(libc::EINVAL));
        assert_eq!(made_for(u32::MAX).err(), Some(libc::EINVAL));
        assert_eq!(made_for(2).expect("it can be").shared, 0);
    }

    #[test]
    fn the_last_of_each_round_begins_the_next() {
        let barrier = made_for(3).expect("it can be");
        let arrivals = [0; 6].map(|_| barrier.is_last(barrier.arrive()));
        assert_eq!(arrivals, [false, false, true, false, false, true]);
        assert_eq!(barrier.state.load(Ordering::Relaxed), 2 * ROUND);
    }

    #[test]
    fn of_threads_that_wait_one_is_told_that_it_was_the_last() {
        let barrier = made_for(3).expect("it can be");
        let serial = AtomicU32::new(0);
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    let place = std::ptr::from_ref(&barrier).cast_mut().cast();
                    for _ in 0..20 {
                        // SAFETY: the barrier lives; all that changes in it is atomic.
                        let end = unsafe { pthread_barrier_wait(place) };
                        let is_last = end == libc::PTHREAD_BARRIER_SERIAL_THREAD;
                        assert!(is_last || end == 0);
                        serial.fetch_add(is_last.into(), Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(serial.into_inner(), 20);
        assert_eq!(barrier.inside.into_inner(), 0);
    }
}
