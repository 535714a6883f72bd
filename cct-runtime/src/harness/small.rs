//! Small programs of which all schedules can be tried: for tests by brute force.

use crate::object::ObjectId;
use crate::operation::Operation;
use crate::strategy::{
    Action, Beginning, Beyond, Candidates, Executed, Next, Random, Reason, Rng, Strategy, WorkerId,
};
use crate::trace::{Outcome, Run, Schedule};

/// A step of a worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Act {
    Nothing,
    /// Reads a counter.
    Read(usize),
    /// Writes one more than was read.
    Write(usize),
    Lock(usize),
    Unlock(usize),
}
use Act::{Lock, Nothing, Read, Unlock, Write};

const COUNTERS: usize = 2;
const LOCKS: usize = 2;

/// Workers that add 1 to one of two counters, by a read and a write, some of them under locks.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) workers: Vec<Vec<Act>>,
}

/// How it came out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    Passes,
    LosesUpdate,
    Deadlocks,
}

/// A program under way.
#[derive(Clone)]
pub(super) struct State<'a> {
    program: &'a Program,
    /// The steps that each worker has made.
    made: Vec<usize>,
    read: Vec<usize>,
    counters: [usize; COUNTERS],
    locked: [bool; LOCKS],
    pub(super) current: usize,
    pub(super) steps: u32,
}

impl Program {
    /// One of two or three workers.
    pub(super) fn drawn(rng: &mut Rng) -> Program {
        let mut worker = || {
            let mut acts = vec![Nothing];
            for _ in 0..=rng.below(2) {
                let counter = rng.below(2) as usize;
                let (one, other) = (rng.below(2) as usize, rng.below(2) as usize);
                let add = [Nothing, Read(counter), Write(counter)];
                match rng.below(3) {
                    0 => acts.extend([&[Lock(one)], &add[1..], &[Unlock(one)]].concat()),
                    1 if one != other => acts.extend(
                        [
                            &[Lock(one), Lock(other)],
                            &add[1..],
                            &[Unlock(one), Unlock(other)],
                        ]
                        .concat(),
                    ),
                    _ => acts.extend(add),
                }
            }
            acts
        };
        let first = [worker(), worker()];
        let mut workers = first.to_vec();
        if workers.iter().map(Vec::len).sum::<usize>() < 12 {
            workers.push(worker());
        }
        Program { workers }
    }

    /// Its state when the first worker has made a step, as the engine has it do.
    pub(super) fn begin(&self) -> State<'_> {
        let mut state = State {
            program: self,
            made: vec![0; self.workers.len()],
            read: vec![0; self.workers.len()],
            counters: [0; COUNTERS],
            locked: [false; LOCKS],
            current: 0,
            steps: 0,
        };
        state.make_step(0);
        state
    }

    /// Has the strategy decide, and tells it of each step.
    pub(super) fn play(&self, strategy: &mut dyn Strategy) -> (Schedule, Class) {
        let mut state = self.begin();
        let mut order = vec![0];
        tell(strategy, &executed(0, 0, self.workers[0][0]));
        while state.is_anyone_enabled() {
            let worker = strategy.pick(&state).worker.0;
            let act = self.workers[worker as usize][state.made[worker as usize]];
            let executed = executed(state.steps, worker as usize, act);
            state.make_step(worker as usize);
            order.push(worker);
            tell(strategy, &executed);
        }
        let runs = order.chunk_by(|one, other| one == other).map(|run| Run {
            worker: run[0],
            steps: run.len() as u32,
        });
        let schedule = Schedule {
            runs: runs.collect(),
            ..Schedule::default()
        };
        (schedule, state.class())
    }

    /// A schedule that is drawn, and how it comes out.
    pub(super) fn play_at_random(&self, rng: &mut Rng) -> (Schedule, Class) {
        let mut random = Random::default();
        random.begin(&Beginning {
            seed: rng.bits(),
            index: 0,
            longest: 0,
            fair_after: 0,
        });
        self.play(&mut random)
    }
}

fn tell(strategy: &mut dyn Strategy, executed: &Executed) {
    if let Some(observer) = strategy.observer() {
        observer.on_step(executed, &Beyond::default());
    }
}

impl State<'_> {
    /// The workers that can run.
    pub(super) fn enabled(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.made.len()).filter(|&worker| {
            match self.program.workers[worker].get(self.made[worker]) {
                Some(&Lock(lock)) => !self.locked[lock],
                next => next.is_some(),
            }
        })
    }

    pub(super) fn is_anyone_enabled(&self) -> bool {
        self.enabled().next().is_some()
    }

    /// The worker makes its next step.
    pub(super) fn make_step(&mut self, worker: usize) {
        match self.program.workers[worker][self.made[worker]] {
            Nothing => {}
            Read(counter) => self.read[worker] = self.counters[counter],
            Write(counter) => self.counters[counter] = self.read[worker] + 1,
            Lock(lock) => self.locked[lock] = true,
            Unlock(lock) => self.locked[lock] = false,
        }
        self.made[worker] += 1;
        self.current = worker;
        self.steps += 1;
    }

    /// All that decides what may follow: the steps of each worker, the values, the locks.
    pub(super) fn key(&self) -> (Vec<usize>, Vec<usize>, [usize; COUNTERS], [bool; LOCKS]) {
        let State { made, read, .. } = self.clone();
        (made, read, self.counters, self.locked)
    }

    /// How it came out, if nobody can run.
    pub(super) fn class(&self) -> Class {
        let workers = &self.program.workers;
        let is_over = |(acts, &made): (&Vec<Act>, &usize)| acts.len() == made;
        let writes = workers.iter().flatten();
        let writes = writes.filter(|act| matches!(act, Write(_))).count();
        if !workers.iter().zip(&self.made).all(is_over) {
            Class::Deadlocks
        } else if self.counters.iter().sum::<usize>() < writes {
            Class::LosesUpdate
        } else {
            Class::Passes
        }
    }
}

impl Candidates for State<'_> {
    fn len(&self) -> u32 {
        self.enabled().count() as u32
    }
    fn nth(&self, index: u32) -> WorkerId {
        let worker = self.enabled().nth(index as usize);
        WorkerId(worker.expect("there are so many") as u32)
    }
    fn contains(&self, worker: WorkerId) -> bool {
        self.enabled().any(|enabled| enabled == worker.0 as usize)
    }
    fn pending(&self, worker: WorkerId) -> Action {
        let worker = worker.0 as usize;
        let act = self.program.workers[worker].get(self.made[worker]);
        action(act.copied().unwrap_or(Nothing))
    }
    fn current(&self) -> WorkerId {
        WorkerId(self.current as u32)
    }
    fn reason(&self) -> Reason {
        if self.contains(self.current()) {
            Reason::Point
        } else {
            Reason::Stopped
        }
    }
    fn step(&self) -> u32 {
        self.steps
    }
}

fn action(act: Act) -> Action {
    let (operation, object) = match act {
        Nothing => (Operation::Load, ObjectId::NONE),
        Read(counter) => (Operation::Load, ObjectId::sample(8 * (counter + 1))),
        Write(counter) => (Operation::Store, ObjectId::sample(8 * (counter + 1))),
        Lock(lock) => (Operation::Lock, ObjectId::sample(80 * (lock + 1))),
        Unlock(lock) => (Operation::Unlock, ObjectId::sample(80 * (lock + 1))),
    };
    Action {
        operation,
        object,
        also: ObjectId::NONE,
        site: std::panic::Location::caller(),
    }
}

fn executed(step: u32, worker: usize, act: Act) -> Executed {
    Executed {
        step,
        worker: WorkerId(worker as u32),
        action: action(act),
        outcome: Outcome::Done,
        read: None,
        written: None,
        resumed: false,
        next: Next::Goes(action(act)),
    }
}
