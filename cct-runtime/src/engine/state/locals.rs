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

/// A worker's table.
#[derive(Debug, Default)]
pub(crate) struct Locals {
    /// By slot number; each entry with the slot's address, since a number alone may be stale.
    pub(crate) entries: Vec<(usize, Local)>,
    /// The values to destroy, in order of registration: slot number and destructor.
    pub(crate) destructors: Vec<(usize, Destructor)>,
}

impl Locals {
    /// Forgets all values, for the next iteration.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.destructors.clear();
    }
}
