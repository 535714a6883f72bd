//! Looks from outside at what actors and their runtime change as they go: each look is a step.
//!
//! In production these are locks and atomics of the runtime's own, which order memory as well: who looks
//! knows of all that was done before the change.

use std::panic::Location;

use crate::engine;
use crate::object::ObjectId;
use crate::operation::{Access, Operation};

/// A step that looks at the object, under this name.
#[inline(never)]
pub(super) fn look(object: ObjectId, name: &str, site: &'static Location<'static>) {
    if engine::is_controlled() {
        engine::point_at(Operation::PlainLoad, object, site).named(name);
        engine::acquire(object);
    }
}

/// A step that goes on to change the object, under this name, and says so afterwards.
#[inline(never)]
pub(super) fn act(object: ObjectId, name: &str, site: &'static Location<'static>) {
    if engine::is_controlled() {
        engine::point_at(Operation::Custom, object, site).named(name);
        engine::acquire(object);
    }
}

/// The step under way has changed the object.
#[inline(never)]
pub(super) fn changes(object: ObjectId) {
    if engine::is_controlled() {
        engine::touch(object, Access::Writes);
        engine::release(object);
    }
}

/// The step under way goes by the object as well.
#[inline(never)]
pub(super) fn reads(object: ObjectId) {
    if engine::is_controlled() {
        engine::touch(object, Access::Reads);
        engine::acquire(object);
    }
}
