//! A stage for strategies that observe: workers with known actions.

use std::panic::Location;

use super::{
    Action, Beginning, Beyond, Candidates, ChainId, Ending, Executed, IterationResult, Limits,
    Next, Origin, Reason, Strategy, WorkerId,
};
use crate::object::ObjectId;
use crate::operation::Operation;
use crate::trace::{Outcome, WorkerKind};

/// Workers that each carry out a list of actions and never wait.
#[derive(Debug)]
pub(super) struct Script {
    pub(super) workers: Vec<Vec<Action>>,
}

struct Moment<'a> {
    script: &'a Script,
    done: &'a [usize],
    enabled: Vec<WorkerId>,
    current: WorkerId,
    step: u32,
}

impl Candidates for Moment<'_> {
    fn len(&self) -> u32 {
        self.enabled.len() as u32
    }
    fn nth(&self, index: u32) -> WorkerId {
        self.enabled[index as usize]
    }
    fn contains(&self, worker: WorkerId) -> bool {
        self.enabled.contains(&worker)
    }
    fn pending(&self, worker: WorkerId) -> Action {
        let index = worker.0 as usize;
        self.script.workers[index][self.done[index]]
    }
    fn current(&self) -> WorkerId {
        self.current
    }
    fn reason(&self) -> Reason {
        Reason::Point
    }
    fn step(&self) -> u32 {
        self.step
    }
}

impl Script {
    /// Runs an iteration; tells which action of whom came when.
    pub(super) fn run(
        &self,
        strategy: &mut dyn Strategy,
        seed: u64,
        index: u64,
    ) -> Vec<(WorkerId, usize)> {
        strategy.begin(&Beginning {
            seed,
            index,
            longest: 0,
            fair_after: u32::MAX,
        });
        let mut done = vec![0; self.workers.len()];
        let mut enabled: Vec<_> = (0..done.len() as u32).map(WorkerId).collect();
        for &worker in &enabled {
            let parent = (worker.0 > 0).then_some(WorkerId(0));
            let origin = Origin {
                parent,
                chain: ChainId(worker.0),
                kind: WorkerKind::Thread,
            };
            strategy.on_created(worker, origin);
            strategy.on_enabled(worker);
        }
        let mut made = Vec::new();
        let mut current = WorkerId(0);
        while !enabled.is_empty() {
            let moment = Moment {
                script: self,
                done: &done,
                enabled: enabled.clone(),
                current,
                step: made.len() as u32,
            };
            current = strategy.pick(&moment).worker;
            let number = current.0 as usize;
            let rest = &self.workers[number][done[number] + 1..];
            let executed = Executed {
                step: made.len() as u32,
                worker: current,
                action: moment.pending(current),
                outcome: Outcome::Done,
                read: None,
                written: None,
                resumed: false,
                next: rest.first().map_or(Next::Ends, |&next| Next::Goes(next)),
            };
            if let Some(observer) = strategy.observer() {
                observer.on_step(&executed, &Beyond::default());
            }
            made.push((current, done[number]));
            done[number] += 1;
            if done[number] == self.workers[number].len() {
                enabled.retain(|&worker| worker != current);
                strategy.on_disabled(current);
            }
        }
        strategy.end(&Ending {
            result: IterationResult::Passed,
            steps: made.len() as u32,
            limits: Limits::default(),
        });
        made
    }
}

/// An action.
pub(super) fn action(
    operation: Operation,
    object: usize,
    site: &'static Location<'static>,
) -> Action {
    Action {
        operation,
        object: ObjectId::sample(object),
        also: ObjectId::NONE,
        site,
    }
}
