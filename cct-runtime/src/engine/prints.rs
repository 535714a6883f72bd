//! Whether what is printed in a moment is a step.
//!
//! Such a print takes the lock of its stream, and gives it back before anybody else can run. As long as
//! nobody keeps that lock from one step to another, nobody can tell when it was, and a step for each would
//! only make the schedules of chatty programs longer and their choices harder to hit. When somebody does,
//! a print may have to wait, and what its worker did just before may be what the holder waits for. So in
//! one of four iterations, by the seed, prints are steps; strategies that enumerate do without, and their
//! claim says so if it matters: see `primitive/stream.rs`.

use super::state::{Engine, engine};
use super::watch::touch;
use crate::operation::Access;
use crate::strategy::derive;

/// Of so many iterations, prints are steps in one.
const ONE_IN: u64 = 4;
/// Which of the numbers that follow from an iteration's seed decides that.
const PRINTS: u64 = 0x5052_494E_5453;

/// True if prints are steps in an iteration with this seed.
pub(crate) fn with_seed(seed: u64) -> bool {
    derive(seed, PRINTS).is_multiple_of(ONE_IN)
}

/// True if a print is a step in the current iteration. Controlled workers only.
pub fn prints_are_steps() -> bool {
    // SAFETY: a controlled worker's engine is live.
    unsafe { (*engine()).prints_are_steps }
}

/// The number of the step under way. Controlled workers only.
pub fn step_number() -> u32 {
    // SAFETY: as above.
    unsafe { (*engine()).steps() }
}

/// True if the current code looks on: it can neither declare a step nor wait. Controlled workers only.
pub fn looks_on() -> bool {
    // SAFETY: as above.
    unsafe { (*engine()).onlooker.is_some() }
}

/// The current worker takes the lock of a stream for a print that is no step. Controlled workers only.
pub fn begin_print(stream: usize) {
    touch(stream, Access::Adds);
    // SAFETY: a controlled worker's engine is live; no reference is kept.
    let printing = unsafe { &mut (*engine()).printing };
    if let Some(place) = printing.iter_mut().find(|place| **place == 0) {
        *place = stream;
    }
}

/// It gives the lock back. Controlled workers only.
pub fn end_print(stream: usize) {
    // SAFETY: as above.
    let printing = unsafe { &mut (*engine()).printing };
    let mut places = printing.iter_mut();
    if let Some(place) = places.find(|place| **place == stream) {
        *place = 0;
    }
}

impl Engine {
    /// The step under way ends: a lock that a print still has is kept, and taking it was no small thing.
    pub(super) fn note_kept_prints(&mut self) {
        for stream in std::mem::take(&mut self.printing) {
            if stream != 0 {
                self.note_touched(stream);
            }
        }
    }
}
