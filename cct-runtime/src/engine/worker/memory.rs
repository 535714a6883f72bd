//! Accesses to memory as compiled code tells of them, and what orders them.
//!
//! Nothing here is a scheduling point: a program without races behaves the same however its plain accesses
//! are interleaved. Where nobody looks for races all of it costs two reads.

use std::sync::atomic::Ordering;

use super::last_site;
use super::order::{key_of_one, looks_for_races, release_key, with_races};
use super::point::point_at_plain;
use super::raced::{end_by_race, is_meant};
use super::touch::touch;
use crate::engine::decide::{Engine, engine, outside};
use crate::engine::observe::calls::thing_at;
use crate::engine::observe::races::{Races, pieces_of_stacks};
use crate::engine::observe::shares::profiles;
use crate::engine::state::places;
use crate::frames::offset_of;
use crate::object::ObjectId;
use crate::operation::Operation;
use crate::race::known::{is_known, is_own};
use crate::race::{Accessed, Way, first_part, parts};
use crate::tsvd;

/// A thread is about to read, or else write, this memory. A race ends the iteration.
///
/// `returns_to` is the address of the code after the call that tells of it. `size` may be 0.
///
/// # Safety
///
/// Compiled code calls it in the place of the access, on whatever thread.
#[inline]
pub unsafe fn access(address: usize, size: usize, writes: bool, returns_to: usize) {
    if !is_known(address, size, writes) && is_own(address) {
        // SAFETY: the caller's.
        unsafe { access_anew((address, size), writes, returns_to) };
    }
}

/// [`access`] of what is not known.
///
/// # Safety
///
/// As for `access`.
#[inline(never)]
unsafe fn access_anew((address, size): (usize, usize), writes: bool, returns_to: usize) {
    let engine = engine();
    if engine.is_null() {
        tsvd::memory::access(address, size, writes, offset_of(returns_to));
        return;
    }
    // SAFETY: a set engine is live, and the caller is its current worker.
    unsafe {
        if let Some(races) = &(*engine).observers.races
            && (races.are_shared(address, size) || !(*(*engine).roster.current).stack.has(address))
        {
            let way = if writes { Way::Write } else { Way::Read };
            look(engine, (address, size), way, returns_to);
        }
    }
}

/// The current worker gives back the block at this address, of this size. Does nothing outside a controlled
/// worker.
#[inline]
pub fn note_free(address: usize, size: usize) {
    if looks_for_races() {
        look_at_free(address, size);
    }
}

#[cold]
fn look_at_free(address: usize, size: usize) {
    let engine = engine();
    if !engine.is_null() {
        with_races(|_, races, number| {
            let drops = key_of_one(ObjectId::at(address), DROPS);
            outside(|| races.detector.acquire(number, drops));
        });
        // SAFETY: as in `access`.
        unsafe { look(engine, (address, size), Way::Free, 0) };
    }
}

/// The current worker has dropped a reference to the `Arc` with this block: that is before its end, also
/// where compiled code of std brings it about, of which nothing is seen. Does nothing outside a controlled
/// worker.
#[inline]
pub fn note_drop(block: usize) {
    if looks_for_races() {
        release_key(key_of_one(ObjectId::at(block), DROPS));
    }
}

/// The number, among keys of a block, for the drops of its references.
const DROPS: u64 = u64::MAX >> 1;

/// All that was done to this memory was done to something else than it is from here on. Does nothing outside
/// a controlled worker.
#[inline]
pub fn note_reuse(address: usize, size: usize) {
    let engine = engine();
    // SAFETY: as in `access`; nobody else refers to the engine.
    unsafe {
        if !engine.is_null()
            && let Some(races) = &mut (*engine).observers.races
        {
            races.detector.forget(address, size);
            if races.has_things {
                races.detector.forget(thing_at(address, 0), size);
            }
        }
    }
}

/// The program has mapped memory to read and write it. Does nothing outside a controlled worker.
pub(crate) fn note_mapped() {
    let engine = engine();
    if !engine.is_null() {
        // SAFETY: a set engine is live; no reference is kept.
        unsafe { (*engine).process.has_other_stacks = true };
    }
    with_races(|_, races, _| races.mapped());
}

/// An atomic that an operation is about.
#[derive(Clone, Copy, Debug)]
pub struct Atomic {
    /// Its address is the object.
    pub object: ObjectId,
    /// How many bytes it has.
    pub size: usize,
    /// How the operation is ordered with others.
    pub order: Ordering,
}

/// The operations on atomics, by what becomes of the value before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtomicAct {
    /// It stays.
    Load,
    /// It is lost.
    Store,
    /// It is replaced by another, in one.
    Replace,
}

/// The current worker carries out an operation on an atomic, and reads the latest store if it reads. Does
/// nothing outside a controlled worker.
pub fn access_atomic(atomic: Atomic, act: AtomicAct) {
    let Atomic { object, order, .. } = atomic;
    look_at_atomic(atomic, act);
    with_races(|_, races, number| {
        // Compiled code reads the latest store.
        races.weak.is_cut |= act == AtomicAct::Load && order != Ordering::SeqCst;
        let detector = &mut races.detector;
        outside(|| match act {
            AtomicAct::Load => detector.load(number, object.key(), order),
            AtomicAct::Store => detector.store(number, object.key(), order),
            AtomicAct::Replace => detector.replace(number, object.key(), order),
        });
    });
}

/// Looks for a race of an operation on an atomic with a plain access.
#[inline(never)]
pub(super) fn look_at_atomic(atomic: Atomic, act: AtomicAct) {
    let way = match act {
        AtomicAct::Load => Way::AtomicRead,
        AtomicAct::Store | AtomicAct::Replace => Way::AtomicWrite,
    };
    with_races(|engine, races, _| {
        if let Some(address) = atomic.object.address()
            && races.aims.at_memory
        {
            let site = std::ptr::from_ref(last_site()).addr();
            // SAFETY: the engine is live, and the caller is its current worker.
            unsafe { look(engine, (address, atomic.size), way, site) };
        }
    });
}

/// The current worker passes a fence. Does nothing outside a controlled worker.
pub fn pass_fence(order: Ordering) {
    let engine = engine();
    // SAFETY: a set engine is live, and nobody else refers to its recorder meanwhile.
    unsafe {
        if !engine.is_null()
            && (*engine).observers.keeps_values
            && let Some(recorder) = &mut (*engine).observers.recorder
        {
            recorder.note_order(order.into());
        }
    }
    with_races(|_, races, number| {
        outside(|| {
            if races.weak.staleness > 0 {
                races.detector.pass_fence(number, order);
            } else {
                races.detector.fence(number, order);
            }
        });
    });
}

/// The current thread's plain accesses are no part of a race from here on, or are as before. Calls may be
/// nested. Does nothing outside a controlled worker.
#[inline]
pub(crate) fn mean_races(are_meant: bool) {
    let engine = engine();
    if looks_for_races() && !engine.is_null() {
        // SAFETY: a set engine is live, and so is its current worker's thread; nobody else refers to it.
        unsafe {
            let thread = (*(*engine).roster.current).thread;
            let calls = &mut (*thread).benign;
            *calls = if are_meant {
                *calls + 1
            } else {
                // A call that began outside may end inside.
                calls.saturating_sub(1)
            };
        }
    }
}

/// Runs `f`, code of the shims that looks after something that workers share: its accesses are none of the
/// program's. It must not switch.
#[inline]
pub fn unseen<R>(f: impl FnOnce() -> R) -> R {
    let looks = looks_for_races();
    if looks {
        hush(true);
    }
    let result = f();
    if looks {
        hush(false);
    }
    result
}

#[cold]
fn hush(is_hushed: bool) {
    let engine = engine();
    // SAFETY: as in `access`; nobody else refers to the engine.
    unsafe {
        if !engine.is_null()
            && let Some(races) = &mut (*engine).observers.races
        {
            races.is_hushed = is_hushed;
        }
    }
}

/// Looks at an access.
///
/// # Safety
///
/// The engine is live and set, and the caller is its current worker.
#[inline]
unsafe fn look(engine: *mut Engine, memory: (usize, usize), way: Way, returns_to: usize) {
    // SAFETY: the caller's; no reference is kept across the end of the iteration.
    unsafe {
        let worker = (*engine).roster.current;
        let Some(races) = &mut (*engine).observers.races else {
            return;
        };
        let (address, size) = memory;
        if size == 0
            || races.is_hushed
            || !races.aims.at_memory
            || !races.concerns(address)
            || (*engine).aside.onlooker().is_some()
        {
            return;
        }
        let place = offset_of(returns_to);
        if races.is_on_a_stack(address) && !(*worker).stack.has(address) {
            races.found_shared |= pieces_of_stacks(address, size);
        }
        if races.aims.for_points && races.is_static(address) && profiles() {
            let writes = matches!(way, Way::Write | Way::AtomicWrite);
            outside(|| (*engine).observers.shares.accessed(address, writes));
        }
        if races.aims.for_points
            && let Some(operation) = plain(way)
            && places::is_point(place)
        {
            return look_at_point(engine, operation, memory, way, place);
        }
        compare((engine, races), memory, way, place);
    }
}

/// Lets the strategy decide who runs, before an access that is a step.
///
/// # Safety
///
/// As for `look`.
#[cold]
unsafe fn look_at_point(
    engine: *mut Engine,
    operation: Operation,
    memory: (usize, usize),
    way: Way,
    place: u32,
) {
    point_at_access(operation, memory);
    // SAFETY: the caller's; no reference was kept across the switch.
    unsafe {
        if let Some(races) = &mut (*engine).observers.races {
            compare((engine, races), memory, way, place);
        }
    }
}

/// Compares an access with those before.
///
/// # Safety
///
/// As for `look`.
#[inline]
pub(super) unsafe fn compare(
    (engine, races): (*mut Engine, &mut Races),
    (address, size): (usize, usize),
    way: Way,
    place: u32,
) {
    // SAFETY: the caller's; no reference is kept across the end of the iteration.
    unsafe {
        let worker = (*engine).roster.current;
        let thread = (*worker).thread;
        let number = (*thread).clock;
        if (*thread).benign > 0 && matches!(way, Way::Read | Way::Write) {
            let freed =
                parts(address, size).find_map(|part| races.detector.use_after_free(number, part));
            if let Some(conflict) = freed {
                end_by_race(conflict, size, way, place);
            }
            return;
        }
        if !races.aims.for_points {
            races.detector.runs(number);
        }
        let steps = (*engine).budget.steps();
        if races.shows_life(steps) {
            (*engine).observers.tape.beat(steps);
        }
        let mut told = None;
        let recorder = &(*engine).observers.recorder;
        let tells = recorder.as_ref().is_some_and(|it| it.tells_calls());
        let (mut next, end) = (address, address + size);
        while next < end {
            if !tells {
                next = races.detector.access_many(number, (next, end), way, place);
                if next == end {
                    break;
                }
            }
            let part = first_part(next, end);
            next += part.1;
            match races.detector.access(number, part, way, place) {
                Accessed::Known => {}
                Accessed::Kept(slot) => {
                    if let Some(recorder) = &mut (*engine).observers.recorder
                        && recorder.tells_calls()
                        && races.tells(part.0)
                    {
                        outside(|| {
                            let access =
                                told.unwrap_or_else(|| recorder.access((*worker).id, size));
                            recorder.keep_access(slot, part, access);
                            told = Some(access);
                        });
                    }
                }
                Accessed::Conflict(conflict) if is_meant(&conflict, way, place) => {}
                // Memory that was freed is not used, ordered or not.
                Accessed::Conflict(conflict)
                    if !races.aims.for_races && conflict.way != Way::Free => {}
                Accessed::Conflict(mut conflict) => {
                    conflict.is_before |= !races.aims.for_races;
                    end_by_race(conflict, size, way, place);
                }
            }
        }
    }
}

/// The operation that a plain access is, where it is a step.
fn plain(way: Way) -> Option<Operation> {
    match way {
        Way::Read => Some(Operation::MemoryRead),
        Way::Write => Some(Operation::MemoryWrite),
        Way::AtomicRead | Way::AtomicWrite | Way::Free => None,
    }
}

/// The current worker is about to make a plain access in code whose accesses are steps.
#[cold]
fn point_at_access(operation: Operation, (address, size): (usize, usize)) {
    let object = ObjectId::at(address);
    point_at_plain(operation, object);
    // Accesses of other sizes, or to bytes beside, begin elsewhere.
    for eight in address >> 3..=(address + size - 1) >> 3 {
        let eight = ObjectId::at(eight << 3);
        if eight != object {
            touch(eight, operation.access());
        }
    }
    let engine = engine();
    // SAFETY: a set engine is live, and nobody else refers to its recorder.
    unsafe {
        if let Some(recorder) = &mut (*engine).observers.recorder {
            recorder.note_plain(operation, (address, size));
        }
    }
}
