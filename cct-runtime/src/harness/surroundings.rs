//! The process around an iteration, put back so that the next one starts as in a fresh process.

use std::path::Path;

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
use crate::memory::libraries::Libraries;
use crate::memory::mappings;
use crate::memory::output::Output;
use crate::memory::processes::Processes;
use crate::memory::shared_files::shared_files;
use crate::memory::statics::Statics;
use crate::memory::temporary::{self, Temporary};

/// The process as it was before the first iteration.
#[derive(Debug)]
pub(super) struct Surroundings {
    statics: Option<Statics>,
    environment: Environment,
    folder: Folder,
    processes: Processes,
    temporary: Temporary,
    descriptors: Descriptors,
    output: Output,
    libraries: Libraries,
}

impl Surroundings {
    /// Keeps everything as it is now, and limits the memory of the test. A process does so once.
    pub(super) fn new(max_memory: u64) -> Surroundings {
        bystander::wait_until_asleep();
        // Allocations on this thread are the engine's own from here on, and not put back.
        engine::mark_engine_thread();
        engine::install_hook(report_internal_error);
        arena::open(max_memory);
        mappings::open();
        Surroundings {
            descriptors: Descriptors::now(),
            output: Output::now(),
            environment: Environment::now(),
            folder: Folder::now(),
            processes: Processes::now(),
            temporary: Temporary::now(temporary::own().map(Path::to_owned)),
            statics: Statics::save(),
            libraries: Libraries::now(),
        }
    }

    /// Puts memory back, for an iteration with this seed.
    pub(super) fn restore(&self, seed: u64) {
        let reuse = reuse(seed);
        // The arena's memory is writable again first.
        mappings::reset(reuse.is_some());
        arena::reset(reuse);
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

    /// True if shared libraries have other statics than before the first iteration.
    pub(super) fn have_libraries_changed(&self) -> bool {
        self.libraries.have_changed()
    }

    /// Ends the processes that the iteration made, removes its temporary files, closes what it opened, and
    /// takes back what it printed.
    pub(super) fn clean_up(&mut self) {
        let any_process = self.processes.end_new();
        if any_process {
            // One of them may have sent a signal, which that thread passes on.
            bystander::wait_until_asleep();
        }
        // All that they have sent is forgotten with this.
        handlers::put_back();
        self.temporary.empty(any_process);
        self.descriptors.close_new();
        self.output.forget();
    }

    /// Does so for an iteration that a copy of this process made: its processes and its temporary files.
    pub(super) fn clean_up_after_copy(&mut self) {
        crate::memory::note_process();
        self.processes.end_new();
        self.temporary.empty(true);
    }

    /// The files outside of the folder for temporary files that iterations have changed and depended on.
    pub(super) fn shared_files() -> Vec<String> {
        shared_files(temporary::own())
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
