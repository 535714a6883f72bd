//! What a step does beyond the operation that it declared.

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

/// Says that the current worker's step goes on with this look at the object, which is no scheduling point
/// since what it finds stays as it is. For those who watch it is a step of its own, that nobody was asked
/// for.
#[inline]
pub fn look(operation: Operation, object: ObjectId, site: &'static Location<'static>) {
    let engine = engine();
    // SAFETY: a set engine is live; no switch happens in here.
    unsafe {
        if !engine.is_null() && (*engine).observers.watch.is_on {
            note_look(engine, operation, object, site);
        }
    }
}

/// [`look`] where somebody watches.
///
/// # Safety
///
/// The engine is live and has a current worker.
#[cold]
unsafe fn note_look(
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
    outside(|| unsafe { (*engine).watch_look(action) });
}

/// True if somebody wants to know of [`touch`]es.
pub fn is_watched() -> bool {
    let engine = engine();
    // SAFETY: a set engine is live.
    unsafe { !engine.is_null() && (*engine).observers.watch.is_on }
}

/// [`touch`] where somebody watches.
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
