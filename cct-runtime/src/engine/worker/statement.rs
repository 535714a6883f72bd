//! Statement boundaries, which tell one call into an atomic crate from the next.

use super::engine;

/// A statement of interleaved code begins: what it calls is a call of its own.
///
/// It is no part of the code that calls it, whose accesses to memory may be looked at.
#[inline(never)]
pub fn statement() {
    let engine = engine();
    if !engine.is_null() {
        // SAFETY: a set engine is live and has a current worker.
        unsafe { (*(*engine).roster.current).in_atomic_call = false };
    }
}
