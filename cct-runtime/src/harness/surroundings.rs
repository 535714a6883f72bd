//! What surrounds an iteration: put back after it, so that the next starts as in a fresh process.

use super::listener::report_internal_error;
use super::seeds::reuse;
use crate::engine;
use crate::memory::arena;
use crate::memory::c_locals::CLocals;
use crate::memory::descriptors::Descriptors;
use crate::memory::environment::Environment;
use crate::memory::handlers;
use crate::memory::output::Output;
use crate::memory::statics::Statics;

/// The process as it was before the first iteration.
#[derive(Debug)]
pub(super) struct Surroundings {
    statics: Option<Statics>,
    environment: Environment,
    descriptors: Descriptors,
    output: Output,
}

impl Surroundings {
    /// Everything as it is now. Once for each process.
    pub(super) fn new() -> Surroundings {
        // From here on what is allocated on this thread is the engine's own, and not put back.
        engine::mark_engine_thread();
        engine::install_hook(report_internal_error);
        arena::open();
        Surroundings {
            descriptors: Descriptors::now(),
            output: Output::now(),
            environment: Environment::now(),
            statics: Statics::save(),
        }
    }

    /// Puts memory back, for an iteration with this seed.
    pub(super) fn restore(&self, seed: u64) {
        arena::reset(reuse(seed));
        self.environment.restore();
        if let Some(statics) = &self.statics {
            statics.restore(seed);
        }
    }

    /// True if somebody has drawn std's hash keys since memory was put back.
    pub(super) fn has_drawn_hash_keys(&self) -> bool {
        self.statics.as_ref().is_some_and(Statics::has_drawn_keys)
    }

    /// Closes what the iteration opened, and takes back what it printed.
    pub(super) fn clean_up(&mut self) {
        handlers::put_back();
        self.descriptors.close_new();
        self.output.forget();
    }

    /// What is printed from here on is not taken back.
    pub(super) fn keep_output(&mut self) {
        self.output = Output::kept();
    }

    /// The path of the static at an address.
    pub(super) fn static_at(&self, address: usize) -> Option<String> {
        self.statics.as_ref()?.path_at(address)
    }

    /// The thread-locals of C code, for the engine.
    pub(super) fn take_c_locals(&mut self) -> CLocals {
        let statics = self.statics.as_mut();
        statics.map(Statics::take_c_locals).unwrap_or_default()
    }

    /// Where statics are, for the engine.
    pub(super) fn places_of_statics(&self) -> Vec<(usize, usize)> {
        self.statics
            .as_ref()
            .map(Statics::places)
            .unwrap_or_default()
    }

    /// How many statics are put back, and their size in bytes.
    pub(super) fn statics_extent(&self) -> (usize, usize) {
        self.statics.as_ref().map_or((0, 0), Statics::extent)
    }
}
