//! The process outlives an iteration: its stacks, and all that is known of it.

use std::mem;
use std::ptr::null_mut;
use std::sync::atomic::Ordering::Relaxed;

use super::file_times::FileTimes;
use super::worker::Worker;
use crate::engine::switch::{Context, FloatControl, Stack, Stacks, held, hold};
use crate::memory::c_locals::CLocals;
use crate::memory::hook_flag::HookFlag;

/// The size of the spare stack, in bytes.
const SPARE: usize = 1 << 20;

/// Kept from one iteration to the next.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) stacks: Stacks,
    /// For the engine's work on a worker that is on a stack of the program's own, which may be small.
    pub(crate) spare: Stack,
    /// The program has mapped memory, or was seen on a stack of its own: it may be on one at any time.
    pub(crate) has_other_stacks: bool,
    /// How many of the stacks are in use: all workers have one but tasks.
    pub(crate) threads: usize,
    /// Where a stack begins that is switched to for the first time.
    pub(crate) main: Option<extern "C" fn() -> !>,
    /// Where whoever runs the iteration goes on.
    pub(crate) root: Context,
    pub(crate) c_locals: CLocals,
    /// The mark that std has of a panic hook, where it is known.
    pub(crate) hook_flag: Option<HookFlag>,
    /// Where the program's statics are, and their sizes in bytes.
    pub(crate) statics: Vec<(usize, usize)>,
    /// The times of files that change while it runs.
    pub(crate) file_times: FileTimes,
    /// How many iterations, replays included, this process has begun.
    pub(crate) runs: u64,
}

impl Process {
    /// That of a new engine: address space for stacks, about 2 MB of it used for the rest of the process.
    pub(crate) fn new() -> Process {
        Process {
            stacks: Stacks::reserve(),
            spare: Stack::mapped(SPARE).expect("address space for a stack"),
            has_other_stacks: false,
            threads: 0,
            main: None,
            root: null_mut(),
            c_locals: CLocals::default(),
            hook_flag: None,
            statics: Vec::new(),
            file_times: FileTimes::new(),
            runs: 0,
        }
    }

    /// A new iteration begins, whose stacks begin with `first`.
    pub(crate) fn begin(&mut self, first: extern "C" fn() -> !) {
        let Process {
            stacks: _,
            spare: _,
            has_other_stacks: _,
            threads,
            main,
            root: _,
            c_locals,
            hook_flag,
            statics: _,
            file_times,
            runs,
        } = self;
        *threads = 0;
        *main = Some(first);
        c_locals.begin();
        file_times.begin();
        if let Some(flag) = hook_flag {
            flag.clear();
        }
        *runs += 1;
    }

    /// Puts what the one OS thread has of the worker's thread that goes on in the place of what it has of the
    /// other one's.
    #[inline]
    pub(crate) fn exchange(&self, left: &mut Worker, next: &mut Worker) {
        left.floats = FloatControl::now();
        if next.floats != left.floats {
            next.floats.set();
        }
        if left.mask.0 | next.mask.0 != 0 {
            exchange_masks(left, next);
        }
        if let Some(flag) = self.hook_flag
            && (next.hook_mark || flag.is_set())
        {
            left.hook_mark = flag.replace(mem::take(&mut next.hook_mark));
        }
    }
}

/// Some signals are blocked. The thread that is left keeps those that the kernel has sent to it.
#[cold]
fn exchange_masks(left: &Worker, next: &Worker) {
    let own = left.mask.of_kernel();
    if own != 0 {
        left.signals.fetch_or(own, Relaxed);
        hold(held() | own);
    }
    next.mask.set();
}
