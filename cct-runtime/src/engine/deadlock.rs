//! Who waits for whom, when waiting can never end.

use super::iteration::End;
use super::state::Engine;
use super::worker::{State, Worker};
use crate::strategy::WorkerId;
use crate::verdict::{Bug, BugKind, Verdict, Wait};

impl Engine {
    /// Ends the iteration if the worker, which has just begun to wait, closes a circle of waiting.
    ///
    /// While others can still run this is a bug of its own; when nobody can, it is part of a deadlock.
    pub(super) fn check_lock_cycle(&mut self, current: &Worker) {
        if current.holder.is_none() || self.enabled.len() == 0 || !self.is_in_cycle(current.id) {
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
                in_cycle: self.is_in_cycle(worker.id),
                task,
                caller: None,
            })
        });
        Bug {
            waits: waits.collect(),
            ..Bug::new(kind, message.to_owned(), None, None)
        }
    }

    /// True if following the holders from this worker leads back to it.
    fn is_in_cycle(&self, start: WorkerId) -> bool {
        let mut at = start;
        // A circle that does not contain the start would never end.
        for _ in 0..self.worker_count {
            // SAFETY: the engine's workers are live.
            let worker = unsafe { &*self.worker(at) };
            let forever = worker.state == State::Waiting && worker.deadline == u64::MAX;
            match worker.holder.filter(|_| forever) {
                Some(holder) if holder == start => return true,
                Some(holder) => at = holder,
                None => return false,
            }
        }
        false
    }
}
