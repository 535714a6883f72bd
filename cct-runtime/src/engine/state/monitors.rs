//! The monitors of an iteration.

use std::any::{Any, TypeId};

/// Something that has a temperature, by its number in the iteration's table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct HeatId(pub(crate) usize);

/// A monitor.
#[derive(Debug)]
pub(crate) struct Registered {
    pub(crate) kind: TypeId,
    pub(crate) heat: HeatId,
    /// None while it handles an event. Allocated by its worker, so it goes with the iteration.
    pub(crate) monitor: Option<Box<dyn Any>>,
}
