//! Operations on atomics where memory is weak: a load reads one of the stores that it may read, by the
//! strategy's choice.

use std::sync::atomic::Ordering;

use super::choice::choose_by;
use super::memory::{Atomic, AtomicAct, access_atomic, look_at_atomic};
use super::order::with_races;
use crate::engine::decide::{Engine, outside};
use crate::race::{Cell, Older};
use crate::trace::Schedule;

/// A value of an atomic.
pub trait Plain: Copy {
    /// Its bits, with zeros above.
    fn to_bits(self) -> u64;

    /// The value with these bits, which were one's of this type.
    fn of_bits(bits: u64) -> Self;
}

macro_rules! numbers {
    ($($number:ty)*) => { $(
        impl Plain for $number {
            #[inline]
            fn to_bits(self) -> u64 {
                let mut bytes = [0; 8];
                bytes[..size_of::<$number>()].copy_from_slice(&self.to_le_bytes());
                u64::from_le_bytes(bytes)
            }

            #[inline]
            fn of_bits(bits: u64) -> Self {
                let bytes = bits.to_le_bytes();
                Self::from_le_bytes(*bytes.first_chunk().expect("it has at most eight"))
            }
        }
    )* };
}

numbers!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize);

impl Plain for bool {
    #[inline]
    fn to_bits(self) -> u64 {
        u64::from(self)
    }

    #[inline]
    fn of_bits(bits: u64) -> Self {
        bits != 0
    }
}

impl Plain for *mut () {
    #[inline]
    fn to_bits(self) -> u64 {
        self.expose_provenance() as u64
    }

    #[inline]
    fn of_bits(bits: u64) -> Self {
        std::ptr::with_exposed_provenance_mut(bits as usize)
    }
}

/// The values around an operation on an atomic, as bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Values {
    pub(super) before: u64,
    /// The same, where it writes none.
    pub(super) after: u64,
}

/// The current worker carries out an operation on an atomic, and reads the latest store if it reads; it may
/// be a part of another step.
///
/// # Safety
///
/// The engine is live and set.
pub(super) unsafe fn operate(
    engine: *mut Engine,
    (atomic, act, is_part): (Atomic, AtomicAct, bool),
    values: Values,
) {
    // SAFETY: the caller's.
    if !unsafe { is_weak(engine) } {
        return access_atomic(atomic, act);
    }
    look_at_atomic(atomic, act);
    with_races(|engine, races, number| {
        // SAFETY: the engine is live, and nobody else refers to its recorder.
        let (recorder, now) = unsafe { (&(*engine).observers.recorder, (*engine).time.now) };
        races.detector.set_moment(now);
        outside(|| {
            let (cell, order) = (cell(atomic, values.before), atomic.order);
            // Of parts of steps only the latest store is read.
            races.weak.is_cut |= act == AtomicAct::Load && is_part && order != Ordering::SeqCst;
            let step = recorder.as_ref().and_then(|recorder| recorder.under_way());
            if act == AtomicAct::Load {
                races.detector.load_from(number, (cell, order), (0, None));
            } else {
                let reads = act == AtomicAct::Replace;
                let written = (values.after, step);
                races
                    .detector
                    .store_to(number, (cell, order, reads), written);
                // Crates have code for this processor that takes it for a fence: the real one costs more.
                let is_fence = cfg!(target_arch = "x86_64") && order == Ordering::SeqCst;
                if reads && is_fence {
                    races.detector.pass_fence(number, order);
                }
            }
        });
    });
}

/// The older store that the current worker's load reads, if it reads one: `latest` are the bits of the
/// latest, and `but` those of stores that do not count. If it is none, nothing has happened.
///
/// # Safety
///
/// The engine is live and set, and the caller is at the load's step.
pub(super) unsafe fn load_older(
    engine: *mut Engine,
    atomic: Atomic,
    (latest, but): (u64, Option<u64>),
) -> Option<Older> {
    // SAFETY: the caller's.
    unsafe {
        if !is_weak(engine) || (*engine).progress.overtime.is_on {
            return None;
        }
    }
    let cell = cell(atomic, latest);
    let (mut older, mut drawn, mut is_free) = (0, 0, false);
    with_races(|engine, races, number| {
        // SAFETY: as above.
        races.detector.set_moment(unsafe { (*engine).time.now });
        let readable = outside(|| races.detector.readable(number, cell, atomic.order, but));
        older = readable.older;
        races.weak.is_cut |= readable.is_cut;
        if older > 0 {
            drawn = races.weak.draw(older + 1);
        }
        is_free = races.weak.staleness == Schedule::ALL_STORES;
    });
    if older == 0 {
        return None;
    }
    let back = choose_by(older + 1, |strategy| {
        if is_free {
            strategy.choose_index(older + 1)
        } else {
            strategy.choose_store(older + 1, drawn)
        }
    });
    if back == 0 {
        return None;
    }
    look_at_atomic(atomic, AtomicAct::Load);
    let mut read: Option<Older> = None;
    with_races(|_, races, number| {
        let (load, which) = ((cell, atomic.order), (back, but));
        read = outside(|| races.detector.load_from(number, load, which));
    });
    read
}

/// Whether memory is weak in this iteration, for a step of the current worker.
///
/// # Safety
///
/// The engine is live and set.
unsafe fn is_weak(engine: *mut Engine) -> bool {
    // SAFETY: the caller's.
    let races = unsafe { &(*engine).observers.races };
    races.as_ref().is_some_and(|races| races.weak.staleness > 0)
}

fn cell(atomic: Atomic, value: u64) -> Cell {
    Cell {
        key: atomic.object.key(),
        size: atomic.size,
        value,
    }
}
