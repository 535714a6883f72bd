//! One text for a program and its control: with the bug, or with what mended it.

use cct_shims::std::sync::{Mutex, MutexGuard};

/// With the bug, or with what mended it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Flavour {
    Buggy,
    Fixed,
}

impl Flavour {
    pub(super) const fn is_fixed(self) -> bool {
        matches!(self, Flavour::Fixed)
    }

    pub(super) const fn is_buggy(self) -> bool {
        matches!(self, Flavour::Buggy)
    }

    /// Holds the lock from here on, if this is what mends the program.
    #[track_caller]
    pub(super) fn lock_if_fixed(self, lock: &Mutex<()>) -> Option<MutexGuard<'_, ()>> {
        self.is_fixed().then(|| lock.lock().unwrap())
    }
}
