//! The effects of a step beyond the operation that it declared.

use std::panic::Location;

use super::{Engine, engine, outside};
use crate::object::ObjectId;
use crate::operation::{Access, Operation};
use crate::strategy::Action;

/// Says that the current worker's step does this to the object, beyond the operation that it declared.
///
/// For what cannot be a scheduling point of its own but whose order others can tell: it keeps the steps
/// apart whose order matters. Does nothing outside a controlled worker.
#[inline]
pub fn touch(object: ObjectId, access: Access) {
    let engine = engine();
    // SAFETY: a set engine is live; no switch happens in here.
    unsafe {
        if !engine.is_null() && (*engine).observers.watch.is_on {
            note_touch(engine, object, access);
        }
    }
}

/// Says that the current worker's step goes on with this read of the object, which is no scheduling point
/// since the value found stays as it is. To observers it is a step of its own, for which no strategy was
/// asked.
#[inline]
pub fn read(operation: Operation, object: ObjectId, site: &'static Location<'static>) {
    let engine = engine();
    // SAFETY: a set engine is live; no switch happens in here.
    unsafe {
        if !engine.is_null() && (*engine).observers.watch.is_on {
            note_read(engine, operation, object, site);
        }
    }
}

/// [`read`] where an observer is on.
///
/// # Safety
///
/// The engine is live and has a current worker.
#[cold]
unsafe fn note_read(
    engine: *mut Engine,
    operation: Operation,
    object: ObjectId,
    site: &'static Location<'static>,
) {
    let action = Action {
        operation,
        object,
        also: ObjectId::NONE,
        site,
    };
    // SAFETY: the caller's engine is live, and has a current worker.
    outside(|| unsafe { (*engine).watch_read(action) });
}

/// True if an observer wants to know of [`touch`]es.
pub fn is_watched() -> bool {
    let engine = engine();
    // SAFETY: a set engine is live.
    unsafe { !engine.is_null() && (*engine).observers.watch.is_on }
}

/// [`touch`] where an observer is on.
///
/// # Safety
///
/// The engine is live.
#[cold]
unsafe fn note_touch(engine: *mut Engine, object: ObjectId, access: Access) {
    outside(|| {
        // SAFETY: the caller's engine is live, and nobody else refers to it.
        unsafe { (*engine).observers.watch.touch(object, access) };
    });
}
