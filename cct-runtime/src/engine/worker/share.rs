//! Uses of what the tests of a process share: scheduling points where two of them run together.

use std::panic::Location;

use super::{last_site, point_at};
use crate::engine::decide::{engine, outside};
use crate::engine::observe::shares::heeds_shares;
use crate::operation::Operation;

/// The current worker uses the thing of this kind and name, where it cannot wait: that is no point. Does
/// nothing where [`use_shared`] does nothing.
pub fn note_shared(kind: &str, name: &str) {
    let engine = engine();
    // SAFETY: a set engine is live, and nobody else refers to it.
    unsafe {
        if heeds_shares() && !engine.is_null() {
            outside(|| (*engine).observers.shares.used(kind, name, false));
        }
    }
}

/// The current worker is about to use the thing of this kind and name, or to change it. Does nothing outside
/// a controlled worker, and unless [`heeds_shares`].
///
/// It is no point in the middle of a panic: whoever tells of one holds locks of std's, of which the engine
/// knows nothing.
pub fn use_shared(kind: &str, name: &str, changes: bool, site: Option<&'static Location<'static>>) {
    let engine = engine();
    // SAFETY: a set engine is live and has a current worker; no reference is kept across the switch.
    unsafe {
        if !heeds_shares()
            || engine.is_null()
            || (*engine).aside.onlooker().is_some()
            || super::panic::panic_count() > 0
        {
            return;
        }
        let shares = &mut (*engine).observers.shares;
        let object = outside(|| shares.used(kind, name, changes));
        let operation = if changes {
            Operation::Change
        } else {
            Operation::Use
        };
        point_at(operation, object, site.unwrap_or_else(last_site)).done();
    }
}
