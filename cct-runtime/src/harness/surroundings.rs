//! The process around an iteration, put back so that the next one starts as in a fresh process.

use super::bystander;
use super::listener::report_internal_error;
use super::seeds::reuse;
use crate::engine;
use crate::memory::arena;
use crate::memory::c_locals::CLocals;
use crate::memory::descriptors::Descriptors;
use crate::memory::environment::Environment;
use crate::memory::folder::Folder;
use crate::memory::handlers;
use crate::memory::hook_flag::HookFlag;
use crate::memory::output::Output;
use crate::memory::statics::Statics;

/// The process as it was before the first iteration.
#[derive(Debug)]
pub(super) struct Surroundings {
    statics: Option<Statics>,
    environment: Environment,
    folder: Folder,
    descriptors: Descriptors,
    output: Output,
}

impl Surroundings {
    /// Keeps everything as it is now. A process does so once.
    pub(super) fn new() -> Surroundings {
        bystander::wait_until_asleep();
        // Allocations on this thread are the engine's own from here on, and not put back.
        engine::mark_engine_thread();
        engine::install_hook(report_internal_error);
        arena::open();
        Surroundings {
            descriptors: Descriptors::now(),
            output: Output::now(),
            environment: Environment::now(),
            folder: Folder::now(),
            statics: Statics::save(),
        }
    }

    /// Puts memory back, for an iteration with this seed.
    pub(super) fn restore(&self, seed: u64) {
        arena::reset(reuse(seed));
        self.environment.restore();
        self.folder.restore();
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

    /// Keeps everything that is printed from here on.
    pub(super) fn keep_output(&mut self) {
        self.output = Output::kept();
    }

    /// Returns the path of the static at an address.
    pub(super) fn static_at(&self, address: usize) -> Option<String> {
        self.statics.as_ref()?.path_at(address)
    }

    /// Returns the thread-locals of C code, for the engine.
    pub(super) fn take_c_locals(&mut self) -> CLocals {
        let statics = self.statics.as_mut();
        statics.map(Statics::take_c_locals).unwrap_or_default()
    }

    /// Returns the mark that std has of a panic hook, for the engine.
    pub(super) fn hook_flag(&self) -> Option<HookFlag> {
        self.statics.as_ref()?.hook_flag()
    }

    /// Returns the addresses and sizes of the statics of the program's crates, for the engine.
    pub(super) fn places_of_statics_of_crates(&self) -> Vec<(usize, usize)> {
        let statics = self.statics.as_ref();
        statics.map(Statics::places_of_crates).unwrap_or_default()
    }

    /// Returns the addresses and sizes of all that is put back, for the engine.
    pub(super) fn places_of_statics(&self) -> Vec<(usize, usize)> {
        self.statics
            .as_ref()
            .map(Statics::places)
            .unwrap_or_default()
    }

    /// Returns how many statics are put back, and their size in bytes.
    pub(super) fn statics_extent(&self) -> (usize, usize) {
        self.statics.as_ref().map_or((0, 0), Statics::extent)
    }
}
