//! Who waits for whom, when waiting can never end.

use super::iteration::End;
use super::state::Engine;
use super::worker::{State, Worker};
use crate::verdict::{Bug, BugKind, Verdict, Wait};

impl Engine {
    /// Ends the iteration if the worker, which has just begun to wait, closes a circle of waiting.
    ///
    /// While others can still run this is a bug of its own; when nobody can, it is part of a deadlock.
    pub(super) fn check_lock_cycle(&mut self, current: &Worker) {
        if current.holder.is_none() || self.enabled.len() == 0 || !self.leads_back(current) {
            return;
        }
        let bug = self.describe_waits(
            BugKind::LockCycle,
            "workers wait for each other in a circle, while others go on",
        );
        self.end = Some(End::of(Verdict::Failed(bug)));
    }

    /// Describes what every worker that has not ended waits for.
    pub(super) fn describe_waits(&self, kind: BugKind, message: &str) -> Bug {
        let waits = self.live_workers().iter().filter_map(|&worker| {
            // SAFETY: the engine's workers are live.
            let worker = unsafe { &*worker };
            let task = worker.unpolled(kind);
            let is_stuck = worker.state == State::Waiting || task.is_some();
            let spins = !is_stuck && worker.state == State::Enabled && kind == BugKind::NoProgress;
            let object = if task.is_some() { 0 } else { worker.object };
            let (operation, site) = worker.pending();
            (is_stuck || spins).then(|| Wait {
                worker: worker.id.0,
                operation: operation as u8,
                address: object as u64,
                object: self
                    .recorder
                    .as_ref()
                    .and_then(|recorder| recorder.number_of(object)),
                site: site.into(),
                holder: worker.holder.map(|holder| holder.0),
                spins,
                in_cycle: worker.state == State::Waiting && self.leads_back(worker),
                task,
                caller: None,
            })
        });
        Bug {
            waits: waits.collect(),
            ..Bug::new(kind, message.to_owned(), None, None)
        }
    }

    /// True if following the holders from this worker, which waits or is about to, leads back to it.
    pub(super) fn leads_back(&self, start: &Worker) -> bool {
        let mut holder = start.holder.filter(|_| start.deadline == u64::MAX);
        // A circle that does not contain the start would never end.
        for _ in 0..self.worker_count {
            match holder {
                Some(holder) if holder == start.id => return true,
                Some(at) => {
                    // SAFETY: the engine's workers are live.
                    let worker = unsafe { &*self.worker(at) };
                    let forever = worker.state == State::Waiting && worker.deadline == u64::MAX;
                    holder = worker.holder.filter(|_| forever);
                }
                None => return false,
            }
        }
        false
    }
}
