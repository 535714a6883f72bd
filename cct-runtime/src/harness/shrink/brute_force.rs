//! The search against brute force: small programs of which all schedules are tried.

use std::sync::atomic::AtomicU64;

use super::follow::Follow;
use super::outline::{Cost, Outline};
use super::search::{Made, shrink};
use crate::object::ObjectId;
use crate::operation::Operation;
use crate::strategy::{
    Action, Beyond, Candidates, Executed, Next, Observer as _, Reason, Rng, Strategy as _, WorkerId,
};
use crate::trace::{Outcome, Run, Schedule};

/// A step of a worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Act {
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
struct Program {
    workers: Vec<Vec<Act>>,
}

/// How it came out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    Passes,
    LosesUpdate,
    Deadlocks,
}

/// A program under way.
#[derive(Clone)]
struct State<'a> {
    program: &'a Program,
    /// The steps that each worker has made.
    made: Vec<usize>,
    read: Vec<usize>,
    counters: [usize; COUNTERS],
    locked: [bool; LOCKS],
    current: usize,
    steps: u32,
}

impl Program {
    fn drawn(rng: &mut Rng) -> Program {
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

    fn begin(&self) -> State<'_> {
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

    fn make(&self, outline: &Outline, expected: &mut Option<Class>) -> Made {
        let preemptions = AtomicU64::new(0);
        let mut follow = Follow::new(outline, &preemptions);
        let mut state = self.begin();
        let mut order = vec![0];
        follow.on_step(&executed(0, Nothing), &Beyond::default());
        while state.is_anyone_enabled() {
            let worker = follow.pick(&state).worker.0 as usize;
            let act = self.workers[worker][state.made[worker]];
            state.make_step(worker);
            order.push(worker as u32);
            follow.on_step(&executed(worker, act), &Beyond::default());
        }
        let runs = order.chunk_by(|one, other| one == other).map(|run| Run {
            worker: run[0],
            steps: run.len() as u32,
        });
        let schedule = Schedule {
            runs: runs.collect(),
            ..Schedule::default()
        };
        let class = state.class();
        let fails = class != Class::Passes && class == *expected.get_or_insert(class);
        let points = follow.points();
        let lengths = (preemptions.into_inner(), order.len() as u64);
        Made::new(schedule, points, lengths, fails)
    }

    /// The fewest preemptions of any schedule that comes out like this; there is one.
    fn fewest(&self, class: Class) -> u64 {
        let fewest = (0..20).find(|&most| self.begin().may_become(class, most));
        fewest.expect("some schedule does")
    }
}

impl State<'_> {
    fn enabled(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.made.len()).filter(|&worker| {
            match self.program.workers[worker].get(self.made[worker]) {
                Some(&Lock(lock)) => !self.locked[lock],
                next => next.is_some(),
            }
        })
    }

    fn is_anyone_enabled(&self) -> bool {
        self.enabled().next().is_some()
    }

    fn make_step(&mut self, worker: usize) {
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

    fn class(&self) -> Class {
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

    /// True if it may come out like this with so many preemptions more.
    fn may_become(&self, class: Class, most: u64) -> bool {
        if !self.is_anyone_enabled() {
            return self.class() == class;
        }
        let goes_on = self.enabled().any(|worker| worker == self.current);
        self.enabled().any(|worker| {
            let preempts = u64::from(goes_on && worker != self.current);
            preempts <= most && {
                let mut next = self.clone();
                next.make_step(worker);
                next.may_become(class, most - preempts)
            }
        })
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

fn executed(worker: usize, act: Act) -> Executed {
    Executed {
        step: 0,
        worker: WorkerId(worker as u32),
        action: action(act),
        outcome: Outcome::Done,
        read: None,
        written: None,
        resumed: false,
        next: Next::Goes(action(act)),
    }
}

/// A schedule in which each step is somebody's, drawn.
fn drawn(program: &Program, rng: &mut Rng) -> (Outline, Class) {
    let mut state = program.begin();
    let mut runs = vec![Run {
        worker: 0,
        steps: 1,
    }];
    while state.is_anyone_enabled() {
        let worker = state.nth(rng.below(state.len()));
        state.make_step(worker.0 as usize);
        runs.push(Run {
            worker: worker.0,
            steps: 1,
        });
    }
    let schedule = Schedule {
        runs,
        ..Schedule::default()
    };
    (Outline::of(&schedule), state.class())
}

#[test]
fn no_preemption_is_left_that_brute_force_can_spare() {
    let mut rng = Rng::new(5);
    let (mut shrunk, mut by_preemptions) = ([0; 2], [0; 8]);
    let mut most = 0;
    for _ in 0..400 {
        let program = Program::drawn(&mut rng);
        let (outline, class) = drawn(&program, &mut rng);
        let mut last: Option<Cost> = None;
        let mut told = |made: &Made, executions: u64, is_complete: Option<bool>| {
            // The last one is told once more.
            assert!(last.is_none_or(|before| made.cost <= before));
            assert_ne!(is_complete, Some(false), "there is time for all");
            last = Some(made.cost);
            most = most.max(executions);
        };
        let mut expected = None;
        let mut make = |outline: &Outline| program.make(outline, &mut expected);
        shrink(&outline, &mut make, &mut told, &mut || false);
        assert_eq!(last.is_some(), class != Class::Passes);
        let Some(cost) = last else {
            continue;
        };
        shrunk[usize::from(class == Class::Deadlocks)] += 1;
        by_preemptions[cost.preemptions as usize] += 1;
        assert_eq!(cost.preemptions, program.fewest(class), "{program:?}");
    }
    assert!(
        shrunk[0] > 80 && shrunk[1] > 5,
        "{shrunk:?} of the schedules failed"
    );
    assert!(by_preemptions[1] > 20, "{by_preemptions:?}");
    assert!(most < 6_000, "{most} executions for one of them");
}

#[test]
fn a_schedule_that_does_not_fail_is_not_shrunk() {
    let program = Program {
        workers: vec![
            vec![Nothing, Read(0), Write(0)],
            vec![Nothing, Read(1), Write(1)],
        ],
    };
    let (outline, _) = drawn(&program, &mut Rng::new(1));
    let mut told = |_: &Made, _: u64, _: Option<bool>| panic!("nothing is lost");
    let mut make = |outline: &Outline| program.make(outline, &mut None);
    shrink(&outline, &mut make, &mut told, &mut || false);
}

#[test]
fn the_search_ends_when_time_is_over() {
    let add = [Read(0), Write(0)];
    let worker = [&[Nothing][..], &add, &add, &add].concat();
    let program = Program {
        workers: vec![worker.clone(), worker],
    };
    let mut rng = Rng::new(3);
    let outline = loop {
        let (outline, class) = drawn(&program, &mut rng);
        if class == Class::LosesUpdate {
            break outline;
        }
    };
    let mut told = Vec::new();
    let mut left = 3;
    let mut is_over = || {
        left -= 1;
        left <= 0
    };
    let mut tell = |_: &Made, executions: u64, is_complete: Option<bool>| {
        assert_ne!(is_complete, Some(true), "there was no time for the rest");
        told.push(executions);
    };
    let mut expected = None;
    let mut make = |outline: &Outline| program.make(outline, &mut expected);
    shrink(&outline, &mut make, &mut tell, &mut is_over);
    assert_eq!(told.first(), Some(&1), "the schedule itself");
    // Its own execution, and one for each time that there was time.
    assert_eq!(told.last(), Some(&3));
}
