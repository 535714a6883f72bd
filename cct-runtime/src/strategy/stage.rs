//! A stage for strategies: workers that take a known number of steps and never wait.

use super::{
    Action, Beginning, Beyond, Candidates, ChainId, Executed, Next, Origin, Reason, Strategy,
    WorkerId,
};
use crate::object::ObjectId;
use crate::operation::Operation;
use crate::trace::{Outcome, WorkerKind};

/// A moment at which a strategy is asked.
#[derive(Debug)]
pub(crate) struct Scene {
    pub(crate) enabled: Vec<u32>,
    pub(crate) current: u32,
    pub(crate) step: u32,
    pub(crate) reason: Reason,
}

impl Candidates for Scene {
    fn len(&self) -> u32 {
        self.enabled.len() as u32
    }
    fn nth(&self, index: u32) -> WorkerId {
        WorkerId(self.enabled[index as usize])
    }
    fn contains(&self, worker: WorkerId) -> bool {
        self.enabled.contains(&worker.0)
    }
    fn pending(&self, _worker: WorkerId) -> Action {
        nothing()
    }
    fn current(&self) -> WorkerId {
        WorkerId(self.current)
    }
    fn reason(&self) -> Reason {
        self.reason
    }
    fn step(&self) -> u32 {
        self.step
    }
}

/// Plays one iteration in which worker i makes `steps[i]` steps; returns who made each.
pub(crate) fn play(strategy: &mut dyn Strategy, seed: u64, steps: &[u32]) -> Vec<u32> {
    let total = steps.iter().sum();
    strategy.begin(&Beginning {
        seed,
        index: 0,
        longest: total,
        fair_after: u32::MAX,
    });
    let mut left = steps.to_vec();
    for worker in 0..left.len() as u32 {
        let origin = Origin {
            parent: worker.checked_sub(1).map(|_| WorkerId(0)),
            chain: ChainId(worker),
            kind: WorkerKind::Thread,
        };
        strategy.on_created(WorkerId(worker), origin);
        strategy.on_enabled(WorkerId(worker));
    }
    let (mut current, mut quantum) = (0, 0);
    let mut made = Vec::new();
    for step in 1..=total {
        let stopped = left[current as usize] == 0;
        if stopped || quantum == 0 {
            let enabled = (0..left.len() as u32).filter(|&worker| left[worker as usize] > 0);
            let pick = strategy.pick(&Scene {
                enabled: enabled.collect(),
                current,
                step,
                reason: if stopped {
                    Reason::Stopped
                } else {
                    Reason::Point
                },
            });
            (current, quantum) = (pick.worker.0, pick.quantum);
        } else {
            quantum -= 1;
        }
        left[current as usize] -= 1;
        if left[current as usize] == 0 {
            strategy.on_disabled(WorkerId(current));
        }
        made.push(current);
        if let Some(observer) = strategy.observer() {
            observer.on_step(&executed(current, step, nothing()), &Beyond::default());
        }
    }
    made
}

/// A step that did this, whose worker would do it again.
pub(crate) fn executed(worker: u32, step: u32, action: Action) -> Executed {
    Executed {
        step,
        worker: WorkerId(worker),
        action,
        outcome: Outcome::Done,
        read: None,
        written: None,
        resumed: false,
        next: Next::Goes(action),
    }
}

/// An action about nothing.
fn nothing() -> Action {
    Action {
        operation: Operation::Load,
        object: ObjectId::NONE,
        also: ObjectId::NONE,
        site: std::panic::Location::caller(),
    }
}

/// How often a worker was left that could have gone on.
pub(crate) fn preemptions(made: &[u32], steps: &[u32]) -> usize {
    let mut left = steps.to_vec();
    let mut count = 0;
    for pair in made.windows(2) {
        left[pair[0] as usize] -= 1;
        count += usize::from(pair[0] != pair[1] && left[pair[0] as usize] > 0);
    }
    count
}
