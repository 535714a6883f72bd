//! The door: a model.

use cct::actor::Context;

use super::{DoorCommand, DoorIsOpen};

/// A door that stays as it is.
#[derive(Debug)]
pub struct DoorSensor {
    is_open: bool,
}

impl DoorSensor {
    /// A door that is open, or closed.
    #[must_use]
    pub fn new(is_open: bool) -> DoorSensor {
        DoorSensor { is_open }
    }
}

#[cct::actor]
impl DoorSensor {
    #[on]
    fn read(&mut self, DoorCommand(from): DoorCommand, cx: &mut Context<Self>) {
        cx.send(&from, DoorIsOpen(self.is_open));
    }
}
