//! Counts of what machines do, by their own workers.

use super::{engine, outside};
use crate::covered::{Count, Covered};
use crate::engine::observe::covered::Kind;

/// The number of the table of counts of this type of machine; none outside a controlled worker.
pub(crate) fn table_of(kind: Kind, declared: &dyn Fn() -> Covered) -> Option<u32> {
    let engine = engine();
    // SAFETY: a set engine is live; `declared` switches to nobody.
    (!engine.is_null())
        .then(|| unsafe { outside(|| (*engine).observers.covered.number_of(kind, declared)) })
}

/// Counts this. Does nothing outside a controlled worker.
pub(crate) fn count(table: u32, count: Count) {
    let engine = engine();
    if !engine.is_null() {
        // SAFETY: a set engine is live; no reference is kept.
        unsafe { (*engine).observers.covered.count(table, count) };
    }
}
