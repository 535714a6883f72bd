//! Numbers in a record that stand for workers and steps which it does not have: tables have places for them.
//!
//! Sites, objects and texts are looked for where they are needed, and may be missing.

use std::fmt;

use cct::trace::{Trace, WorkerKind};
use cct::verdict::Bug;

/// Something that is named and is not there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stranger {
    /// A worker, by its number.
    Worker(u32),
    /// A step, by its index.
    Step(u32),
}

impl fmt::Display for Stranger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stranger::Worker(number) => {
                write!(f, "it has something of worker {number}, and fewer workers")
            }
            Stranger::Step(index) => {
                write!(f, "it has something of step {index}, and fewer steps")
            }
        }
    }
}

/// Finds one, in a trace or in the bug that it leads to.
pub(super) fn find(trace: &Trace, bug: Option<&Bug>) -> Option<Stranger> {
    let worker = workers(trace).find(|&worker| worker as usize >= trace.workers.len());
    let step = steps(trace, bug).find(|&step| step as usize >= trace.steps.len());
    let worker = worker.map(Stranger::Worker);
    worker.or(step.map(Stranger::Step))
}

fn workers(trace: &Trace) -> impl Iterator<Item = u32> {
    let steps = trace.steps.iter();
    let of_steps = steps.flat_map(|step| [Some(step.worker), step.thread]);
    let of_kinds = trace.workers.iter().map(|worker| match worker.kind {
        WorkerKind::Root(thread) => Some(thread),
        _ => None,
    });
    of_steps.chain(of_kinds).flatten()
}

fn steps(trace: &Trace, bug: Option<&Bug>) -> impl Iterator<Item = u32> {
    let older = trace.steps.iter().filter_map(|step| step.older.as_ref());
    let stores = older.map(|older| older.step);
    let of_workers = trace.workers.iter().map(|worker| worker.made_by);
    let of_panics = trace.backtraces.iter().map(|backtrace| backtrace.panic);
    let block = trace.misused.iter();
    let of_block = block.flat_map(|block| [block.allocated, block.freed]);
    let found = bug.and_then(|bug| bug.race.as_ref()).into_iter();
    let of_race = found.flat_map(|race| race.accesses().map(|access| access.step));
    let named = stores.chain(of_workers).chain(of_panics);
    named.chain(of_block).chain(of_race).flatten()
}
