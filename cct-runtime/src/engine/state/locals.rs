//! The table of a worker's worker-local values.

use std::sync::atomic::AtomicU32;

/// Where a worker-local lives in each worker's table; a `static` inside `thread_local!`.
///
/// Numbered at first use in an iteration.
#[derive(Debug)]
pub struct LocalSlot(pub(crate) AtomicU32);

impl LocalSlot {
    /// A slot without a number yet.
    #[must_use]
    pub const fn new() -> Self {
        LocalSlot(AtomicU32::new(0))
    }

    pub(crate) fn address(&'static self) -> usize {
        std::ptr::from_ref(self) as usize
    }
}

impl Default for LocalSlot {
    fn default() -> Self {
        LocalSlot::new()
    }
}

/// The value of a worker in a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Local {
    /// Nothing yet.
    Missing,
    /// A value.
    Alive(*mut u8),
    /// Its value is being destroyed, or has been.
    Destroyed,
}

pub(crate) type Destructor = unsafe fn(*mut u8);

/// An entry of a worker's table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// The slot's address: its number alone may be stale.
    pub(crate) slot: usize,
    pub(crate) value: Local,
    /// The bytes of the value, as far as they are known.
    pub(crate) size: usize,
}

/// A worker's table.
#[derive(Debug, Default)]
pub(crate) struct Locals {
    /// By slot number.
    pub(crate) entries: Vec<Entry>,
    /// The values to destroy, in order of registration: slot number and destructor.
    pub(crate) destructors: Vec<(usize, Destructor)>,
}

impl Entry {
    /// That of a slot which the worker has not used.
    pub(crate) const MISSING: Entry = Entry {
        slot: 0,
        value: Local::Missing,
        size: 0,
    };
}

impl Locals {
    /// Where the values are that are there, and how long they are.
    pub(crate) fn places(&self) -> impl Iterator<Item = (*const u8, usize)> {
        self.entries.iter().filter_map(|entry| match entry.value {
            Local::Alive(value) => Some((value.cast_const(), entry.size)),
            Local::Missing | Local::Destroyed => None,
        })
    }

    /// Forgets all values, for the next iteration.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.destructors.clear();
    }
}
