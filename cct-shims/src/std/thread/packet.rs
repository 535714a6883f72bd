//! The result of a thread on its way to whoever joins it.

use cct::engine::{self, PanicId};
use real::cell::{Cell, UnsafeCell};
use real::mem;

use super::Result;
use super::scoped::ScopeData;
use crate::shared::Shared;
use crate::std::process;

/// Holds a thread's result; shared by the thread and its join handle.
///
/// The thread writes it once and then lets go of its share; the handle reads it only after the
/// thread has ended. The drop of the last share drops the result, and after that the scope may end.
pub(super) struct Packet<T> {
    result: UnsafeCell<Option<Result<T>>>,
    /// The panic that the result is, if it is one.
    panic: Cell<Option<PanicId>>,
    scope: Option<Shared<ScopeData>>,
}

// SAFETY: the thread's end lies between the write and any other access.
unsafe impl<T: Send> Sync for Packet<T> {}

impl<T> Packet<T> {
    pub(super) fn new(scope: Option<Shared<ScopeData>>) -> Packet<T> {
        if let Some(scope) = &scope {
            scope.enter();
        }
        Packet {
            result: UnsafeCell::new(None),
            panic: Cell::new(None),
            scope,
        }
    }

    /// True in a scope, where no panic stays unobserved: what nobody joins is the scope's own
    /// panic.
    pub(super) fn is_scoped(&self) -> bool {
        self.scope.is_some()
    }

    /// Stores the result.
    ///
    /// # Safety
    ///
    /// Only the thread whose packet it is may call this, once.
    pub(super) unsafe fn fill(&self, result: Result<T>) {
        self.panic
            .set(engine::last_panic().filter(|_| result.is_err()));
        // SAFETY: nobody else looks before the thread has ended.
        unsafe { *self.result.get() = Some(result) }
    }

    /// Takes the result out, if the thread came to its end.
    ///
    /// # Safety
    ///
    /// The thread must have ended, or been cut off, and only its handle may call this.
    pub(super) unsafe fn take(&self) -> Option<Result<T>> {
        // SAFETY: the thread no longer writes.
        unsafe { (*self.result.get()).take() }
    }
}

impl<T> Drop for Packet<T> {
    fn drop(&mut self) {
        let result = self.result.get_mut().take();
        let unhandled_panic = matches!(result, Some(Err(_)));
        // Nobody is left to catch what a result's destructor throws.
        let bomb = AbortOnUnwind;
        drop(result);
        mem::forget(bomb);
        // The result may have borrowed from the scope's environment: leave only now.
        if let Some(scope) = &self.scope {
            scope.leave(unhandled_panic, self.panic.get());
        }
    }
}

struct AbortOnUnwind;

impl Drop for AbortOnUnwind {
    fn drop(&mut self) {
        process::abort();
    }
}
