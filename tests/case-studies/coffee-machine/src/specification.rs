//! The specification that firmware of both kinds has.

use cct::{Monitor, Temperature};

/// Liveness: the firmware finishes its job, or says that it cannot.
#[derive(Debug, Default)]
pub struct JobsAreFinished;

/// The events of [`JobsAreFinished`].
#[derive(Clone, Copy, Debug)]
pub enum Progress {
    /// The firmware has something to do.
    Busy,
    /// It has finished, or needs somebody's help.
    Idle,
}

impl Monitor for JobsAreFinished {
    type Event = Progress;

    fn on_event(&mut self, event: Progress) -> Temperature {
        match event {
            Progress::Busy => Temperature::Hot("busy"),
            Progress::Idle => Temperature::Cold("idle"),
        }
    }
}
