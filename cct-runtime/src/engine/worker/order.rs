//! The order of accesses to memory: releases of one thread come before what another one has acquired.

use std::sync::atomic::Ordering::Relaxed;

use crate::engine::decide::{Engine, engine, outside};
use crate::engine::observe::races::{self, Races};
use crate::engine::state::worker::Worker;
use crate::object::ObjectId;
use crate::race::ThreadNumber;
use crate::tsvd;

/// All that the current thread has done is before what others do after they [`acquire`] the object. Does
/// nothing outside a controlled worker.
#[inline]
pub fn release(object: ObjectId) {
    if looks_for_races() {
        release_key(object.key());
    }
}

/// All that others have done before they [`release`]d the object is before what the current thread does from
/// here on. Does nothing outside a controlled worker.
#[inline]
pub fn acquire(object: ObjectId) {
    if looks_for_races() {
        acquire_key(object.key());
    }
}

/// [`acquire`] of a lock, which the current thread has just taken; readers share it.
#[inline]
pub(crate) fn acquire_lock(lock: ObjectId, is_shared: bool) {
    if looks_for_races() {
        acquire_key(lock.key());
        tsvd::note_lock(lock.key(), is_shared);
    }
}

/// [`release`] of a lock, which the current thread is about to give back.
#[inline]
pub(crate) fn release_lock(lock: ObjectId) {
    if looks_for_races() {
        release_key(lock.key());
        tsvd::note_unlock(lock.key());
    }
}

/// [`release_lock`] by one of those who share it: to this number of the lock.
#[inline]
pub(crate) fn release_shared_lock(lock: ObjectId, number: u64) {
    if looks_for_races() {
        release_key(key_of_one(lock, number));
        tsvd::note_unlock(lock.key());
    }
}

/// [`release`] to one of the messages, or places, of a channel.
#[inline]
pub(crate) fn release_one(object: ObjectId, number: u64) {
    if looks_for_races() {
        release_key(key_of_one(object, number));
    }
}

/// [`acquire`] of one of the messages, or places, of a channel.
#[inline]
pub(crate) fn acquire_one(object: ObjectId, number: u64) {
    if looks_for_races() {
        acquire_key(key_of_one(object, number));
    }
}

/// All that others have done so far is before what the current thread does from here on: it has waited for
/// something of which nobody can tell who brought it about.
pub(crate) fn acquire_all() {
    with_races(|_, races, number| outside(|| races.detector.acquire_all(number)));
}

/// All that others have done so far is before what the current thread does from here on, and the other way
/// about: an instruction that nobody sees may be a lock's.
pub fn meet_all() {
    with_races(|_, races, number| outside(|| races.detector.meet_all(number)));
}

/// An odd number without a pattern: 2^64 divided by the golden ratio.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

pub(super) fn key_of_one(object: ObjectId, number: u64) -> u64 {
    (number | 1 << 63).wrapping_mul(SPREAD) ^ object.key()
}

/// [`release`] of what this thread has done, whoever is current.
///
/// # Safety
///
/// Both are live.
pub(crate) unsafe fn release_of(engine: *mut Engine, thread: *const Worker, object: ObjectId) {
    // SAFETY: the caller's; nobody else refers to the engine.
    unsafe {
        if let Some(races) = &mut (*engine).observers.races {
            outside(|| races.detector.release((*thread).clock, object.key()));
        }
    }
}

/// [`acquire`] for what this thread does, whoever is current.
///
/// # Safety
///
/// Both are live.
pub(crate) unsafe fn acquire_of(engine: *mut Engine, thread: *const Worker, object: ObjectId) {
    // SAFETY: the caller's; nobody else refers to the engine.
    unsafe {
        if let Some(races) = &mut (*engine).observers.races {
            outside(|| races.detector.acquire((*thread).clock, object.key()));
        }
    }
}

#[cold]
pub(super) fn release_key(key: u64) {
    if engine().is_null() {
        return tsvd::order::release(key);
    }
    with_races(|_, races, number| outside(|| races.detector.release(number, key)));
}

#[cold]
fn acquire_key(key: u64) {
    if engine().is_null() {
        return tsvd::order::acquire(key);
    }
    with_races(|_, races, number| {
        outside(|| {
            if races.has_outsiders {
                races.detector.acquire_all(number);
            }
            races.detector.acquire(number, key);
        });
    });
}

/// True in a process in which somebody looks for races.
#[inline]
pub(crate) fn looks_for_races() -> bool {
    races::ARE_LOOKED_FOR.load(Relaxed)
}

/// Runs `f` with the detector and the current thread's number, on a worker whose accesses count.
#[inline]
pub(super) fn with_races(f: impl FnOnce(*mut Engine, &mut Races, ThreadNumber)) {
    let engine = engine();
    // SAFETY: a set engine is live, and the caller is its current worker; `f` does not switch, unless it is
    // the last that it does.
    unsafe {
        if !engine.is_null()
            && (*engine).aside.onlooker().is_none()
            && let Some(races) = &mut (*engine).observers.races
            && races.is_on()
        {
            f(engine, races, (*(*(*engine).roster.current).thread).clock);
        }
    }
}
