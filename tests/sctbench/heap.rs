//! A heap that notices: blocks know whether they were freed, and a wrong access ends the program.
//!
//! Undefined behaviour of C is defined here. A block's memory stays until the iteration's arena is reset,
//! so no `unsafe` is needed, and each wrong access fails in every build, as under an address sanitiser.

use std::fmt;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use cct::trace::Value;
use cct_shims::std::process;

use crate::racy::{Plain, RacyCell};

/// A pointer to a block, or null; as freely copied as a C pointer.
pub(crate) struct Pointer<T: 'static>(Option<&'static Block<T>>);

struct Block<T> {
    /// Stored to by a free and loaded by a use, so that strategies see that these two conflict.
    life: RacyCell<bool>,
    /// The checked state, in one step with the access to `life`.
    is_live: AtomicBool,
    value: T,
}

impl<T> Pointer<T> {
    /// The null pointer.
    pub(crate) const NULL: Pointer<T> = Pointer(None);

    /// `malloc`, and an initial value.
    pub(crate) fn allocate(value: T) -> Pointer<T> {
        Pointer(Some(Box::leak(Box::new(Block {
            life: RacyCell::new(true),
            is_live: AtomicBool::new(true),
            value,
        }))))
    }

    /// True for the null pointer.
    pub(crate) const fn is_null(self) -> bool {
        self.0.is_none()
    }

    /// The block that it points to; the program ends here if there is none, or it was freed.
    #[track_caller]
    pub(crate) fn get(self) -> &'static T {
        let Some(block) = self.0 else {
            fault("null pointer dereferenced");
        };
        block.life.get();
        if !block.is_live.load(Ordering::Relaxed) {
            fault("use after free");
        }
        &block.value
    }

    /// `free`: nothing for null; the program ends here if the block was freed before.
    #[track_caller]
    pub(crate) fn free(self) {
        let Some(block) = self.0 else { return };
        block.life.set(false);
        if !block.is_live.swap(false, Ordering::Relaxed) {
            fault("double free");
        }
    }
}

/// Ends the program, whichever thread is at fault.
#[track_caller]
fn fault(what: &str) -> ! {
    eprintln!("{what}");
    process::abort()
}

impl<T> Clone for Pointer<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Pointer<T> {}

impl<T> PartialEq for Pointer<T> {
    fn eq(&self, other: &Self) -> bool {
        self.address() == other.address()
    }
}

impl<T> fmt::Debug for Pointer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:p}", self.address())
    }
}

impl<T> Pointer<T> {
    fn address(self) -> *const Block<T> {
        self.0.map_or(ptr::null(), ptr::from_ref)
    }
}

impl<T> Plain for Pointer<T> {
    fn bits(self) -> Option<Value> {
        self.address().cast_mut().bits()
    }
}
