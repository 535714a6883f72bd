//! The waits of workers, when waiting can never end.

use super::engine::Engine;
use crate::engine::state::iteration::End;
use crate::engine::state::worker::{State, Worker};
use crate::object::ObjectId;
use crate::strategy::WorkerId;
use crate::verdict::{Bug, BugKind, Wait};

impl Engine {
    /// Returns the verdict on a worker, by its name, that has shown no sign of life for long. Called from a
    /// signal's handler.
    ///
    /// It hangs if it has come to no step and nobody else could do anything about that. If somebody could, it
    /// may wait for what is no step, and only the engine keeps the other from doing it.
    pub(crate) fn why_silent(&self, name: &str) -> (BugKind, String) {
        let workers = self.roster.iter();
        let mut others = workers.filter(|worker| !std::ptr::eq(*worker, self.roster.current));
        let other = others.find(|worker| match worker.state() {
            State::Enabled => true,
            State::Waiting => worker.is_early || worker.deadline != u64::MAX,
            State::Ended | State::Away => false,
        });
        match other {
            None => {
                let text = format!("{name} runs without coming to a scheduling point");
                (BugKind::Hang, text)
            }
            Some(other) => {
                let how = match other.state() {
                    State::Waiting => "waits for time to pass",
                    _ => "could run",
                };
                let text = format!(
                    "{name} runs on without a step, while worker {} {how}",
                    other.id.0
                );
                (BugKind::Silence, text)
            }
        }
    }

    /// Ends the iteration if the worker, which has just begun to wait, closes a circle of waiting.
    ///
    /// While others can still run this is a bug of its own; when nobody can, it is part of a deadlock.
    pub(crate) fn check_lock_cycle(&mut self) {
        // SAFETY: the current worker is live.
        let current = unsafe { &*self.roster.current };
        if current.holder.is_none()
            || self.roster.candidates().is_empty()
            || !self.leads_back(current)
        {
            return;
        }
        let message = if current.holder == Some(current.id) {
            "a worker waits for a lock that it holds itself, while others go on"
        } else {
            "workers wait for each other in a circle, while others go on"
        };
        let bug = self.describe_waits(BugKind::LockCycle, message);
        self.iteration.end = Some(End::failed(bug));
    }

    /// Describes what every worker that has not ended waits for.
    pub(crate) fn describe_waits(&self, kind: BugKind, message: &str) -> Bug {
        let waits = self.roster.iter().filter_map(|worker| {
            let task = worker.unpolled(kind);
            let is_stuck = worker.state() == State::Waiting || task.is_some();
            let spins = !is_stuck && worker.state() == State::Enabled && kind == BugKind::Livelock;
            let object = if task.is_some() {
                ObjectId::NONE
            } else {
                worker.object
            };
            let (operation, site) = worker.pending();
            (is_stuck || spins).then(|| Wait {
                worker: worker.id.0,
                operation: operation as u8,
                address: object.key(),
                object: self
                    .observers
                    .recorder
                    .as_ref()
                    .and_then(|recorder| recorder.number_of(object)),
                site: site.into(),
                holder: worker.holder.map(|holder| holder.0),
                spins,
                in_cycle: worker.state() == State::Waiting && self.leads_back(worker),
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
    pub(crate) fn leads_back(&self, start: &Worker) -> bool {
        self.follow_holders(start, |_| {})
    }

    /// [`Engine::leads_back`]; tells of those whom the way leads past.
    pub(crate) fn follow_holders(&self, start: &Worker, mut passes: impl FnMut(WorkerId)) -> bool {
        let mut holder = start.holder.filter(|_| start.deadline == u64::MAX);
        // A circle that does not contain the start would never end.
        for _ in 0..self.roster.len() {
            match holder {
                Some(holder) if holder == start.id => return true,
                Some(at) => {
                    passes(at);
                    // SAFETY: the engine's workers are live.
                    let worker = unsafe { &*self.roster.worker(at) };
                    let forever = worker.state() == State::Waiting && worker.deadline == u64::MAX;
                    holder = worker.holder.filter(|_| forever);
                }
                None => return false,
            }
        }
        false
    }
}
