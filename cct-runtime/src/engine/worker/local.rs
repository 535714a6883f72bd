//! Worker-local values: what `thread_local!` is on a controlled worker.

use std::sync::atomic::Ordering;

use crate::engine::decide::{Engine, engine, outside};
use crate::engine::state::locals::{Destructor, Entry, Local, LocalSlot};
use crate::engine::state::worker::Worker;

/// The current worker's value in this slot. Controlled workers only.
pub fn local(slot: &'static LocalSlot) -> Local {
    let engine = engine();
    // SAFETY: a controlled worker's engine is live.
    let locals = unsafe { &(*(*(*engine).roster.current).thread).locals };
    let index = slot.0.load(Ordering::Relaxed) as usize;
    match locals.entries.get(index) {
        Some(entry) if entry.slot == slot.address() => entry.value,
        _ => Local::Missing,
    }
}

/// Stores the current worker's value, of so many bytes as far as they are known. Controlled workers only.
///
/// `destroy` runs at the worker's end, latest registration first, when the slot already counts as
/// destroyed; it may make new values.
///
/// # Safety
///
/// It must be sound to call `destroy` with `value` once, on this worker.
pub unsafe fn set_local(
    slot: &'static LocalSlot,
    (value, size): (*mut u8, usize),
    destroy: Option<Destructor>,
) {
    let engine = engine();
    outside(|| {
        // SAFETY: a controlled worker's engine is live; no switch happens in here.
        let engine = unsafe { &mut *engine };
        let index = engine.number(slot);
        // SAFETY: the current worker is live, and the reference to the engine is not used again.
        let locals = unsafe { &mut (*(*engine.roster.current).thread).locals };
        if locals.entries.len() <= index {
            locals.entries.resize(index + 1, Entry::MISSING);
        }
        locals.entries[index] = Entry {
            slot: slot.address(),
            value: Local::Alive(value),
            size,
        };
        if let Some(destroy) = destroy {
            locals.destructors.push((index, destroy));
        }
    });
}

impl Engine {
    fn number(&mut self, slot: &'static LocalSlot) -> usize {
        let known = slot.0.load(Ordering::Relaxed) as usize;
        // A slot that is not put back before an iteration has a number of an earlier one.
        if self.iteration.local_slots.get(known) == Some(&slot.address()) {
            return known;
        }
        let number = self.iteration.local_slots.len();
        self.iteration.local_slots.push(slot.address());
        slot.0.store(number as u32, Ordering::Relaxed);
        number
    }
}

/// Destroys the worker's values, those made meanwhile included.
///
/// # Safety
///
/// The worker is the current one of a live engine.
pub(super) unsafe fn destroy_all(worker: *mut Worker) {
    // SAFETY: the worker is the current one; no reference is held while user code runs.
    unsafe {
        while let Some((index, destroy)) = (*worker).locals.destructors.pop() {
            let entry = &mut (&mut (*worker).locals.entries)[index].value;
            if let Local::Alive(value) = std::mem::replace(entry, Local::Destroyed) {
                destroy(value);
            }
        }
    }
}
