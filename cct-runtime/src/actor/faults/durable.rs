//! The things that a node finds again after a crash.

use std::fmt;
use std::panic::Location;
use std::sync::Arc;

use crate::actor::shared::Shared;
use crate::actor::{Context, Machine};

/// The disk of a node. It is as it was after a crash; an actor that has crashed writes no more.
pub struct Durable<T>(Arc<Shared<T>>);

impl<T: Clone + Send> Durable<T> {
    /// A disk with this on it.
    pub fn new(value: T) -> Durable<T> {
        Durable(Shared::new(value))
    }

    /// Reads it. A step.
    #[track_caller]
    pub fn read(&self) -> T {
        self.0.read("read", Location::caller(), T::clone)
    }

    /// Changes it, unless the actor has crashed. A step: the actor may crash before it or after it.
    #[track_caller]
    pub fn write<M: Machine>(&self, cx: &Context<M>, change: impl FnOnce(&mut T)) {
        self.0.step("write", Location::caller(), |value| {
            if !cx.has_crashed() {
                change(value);
            }
        });
    }
}

impl<T> Clone for Durable<T> {
    fn clone(&self) -> Self {
        Durable(Arc::clone(&self.0))
    }
}

impl<T> fmt::Debug for Durable<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Durable")
    }
}
