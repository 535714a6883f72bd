//! All schedules of a small program, by brute force on a model that knows nothing of the engine.
//!
//! A worker's first pick starts it; from then on it stands before its next operation, and a pick carries
//! that out. A schedule is the sequence of workers picked where more than one could be, and of the values
//! chosen. Its cost is counted along the way.

use crate::program::{OBJECTS, Op, Program};

/// A schedule.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Schedule {
    /// Workers picked at choice points, and values chosen.
    pub(crate) labels: Vec<u32>,
    /// How often a worker lost its turn that could have gone on.
    pub(crate) preemptions: u32,
    /// How many workers were passed over, from the one that ran last in round-robin order.
    pub(crate) delays: u32,
    /// Over how many candidates and values each of them was picked, multiplied.
    pub(crate) odds: u64,
}

/// All schedules, sorted. The program must not deadlock.
pub(crate) fn schedules(program: &Program) -> Vec<Schedule> {
    let mut state = State {
        program,
        workers: vec![
            Worker {
                at: 0,
                phase: Phase::Unborn
            };
            program.len()
        ],
        held: [false; OBJECTS],
        flags: [false; OBJECTS],
        messages: [0; OBJECTS],
        sleepers: Default::default(),
        schedule: Schedule {
            labels: Vec::new(),
            preemptions: 0,
            delays: 0,
            odds: 1,
        },
    };
    state.workers[0].phase = Phase::Ready;
    let mut found = Vec::new();
    state.go_on(0, &mut found);
    found.sort_unstable();
    found
}

#[derive(Clone)]
struct State<'a> {
    program: &'a Program,
    workers: Vec<Worker>,
    held: [bool; OBJECTS],
    flags: [bool; OBJECTS],
    messages: [u32; OBJECTS],
    sleepers: [Vec<usize>; OBJECTS],
    schedule: Schedule,
}

#[derive(Clone, Copy)]
struct Worker {
    /// The operation that it stands before.
    at: usize,
    phase: Phase,
}

#[derive(Clone, Copy, PartialEq)]
enum Phase {
    Unborn,
    /// Has not run yet.
    New,
    /// Before its operation.
    Ready,
    /// Waits for a notification.
    Asleep,
    /// Notified: wants the mutex back.
    Relocking,
    Ended,
}

impl State<'_> {
    fn op(&self, worker: usize) -> Option<Op> {
        self.program[worker].get(self.workers[worker].at).copied()
    }

    fn can_run(&self, worker: usize) -> bool {
        match (self.workers[worker].phase, self.op(worker)) {
            (Phase::Unborn | Phase::Asleep | Phase::Ended, _) => false,
            (Phase::New, _) => true,
            (_, Some(Op::Join(child))) => self.workers[child].phase == Phase::Ended,
            (Phase::Relocking, Some(Op::Await(index))) | (_, Some(Op::Lock(index))) => {
                !self.held[index]
            }
            (_, Some(Op::Recv(index))) => self.messages[index] > 0,
            _ => true,
        }
    }

    /// The worker has been picked, or has just made a step: what is no point of its own happens at once.
    fn go_on(mut self, worker: usize, found: &mut Vec<Schedule>) {
        loop {
            match self.op(worker) {
                Some(Op::Set(index)) => self.flags[index] = true,
                Some(Op::Await(index)) if self.flags[index] => {}
                Some(Op::Choose(count)) => {
                    for value in 0..count as u32 {
                        let mut other = self.clone();
                        other.workers[worker].at += 1;
                        if count > 1 {
                            other.schedule.labels.push(value);
                            other.schedule.odds *= count as u64;
                        }
                        other.go_on(worker, found);
                    }
                    return;
                }
                Some(_) => break,
                None => {
                    self.workers[worker].phase = Phase::Ended;
                    break;
                }
            }
            self.workers[worker].at += 1;
        }
        self.decide(worker, found);
    }

    fn decide(self, current: usize, found: &mut Vec<Schedule>) {
        let count = self.workers.len();
        let around = (current..count).chain(0..current);
        let order: Vec<usize> = around.filter(|&worker| self.can_run(worker)).collect();
        if order.is_empty() {
            let all_ended = |worker: &Worker| worker.phase == Phase::Ended;
            assert!(self.workers.iter().all(all_ended), "a deadlock");
            found.push(self.schedule);
            return;
        }
        let can_go_on = self.can_run(current);
        for (rank, &worker) in order.iter().enumerate() {
            let mut next = self.clone();
            if order.len() > 1 {
                next.schedule.labels.push(worker as u32);
                next.schedule.odds *= order.len() as u64;
                next.schedule.preemptions += u32::from(can_go_on && worker != current);
                next.schedule.delays += rank as u32;
            }
            next.step(worker, found);
        }
    }

    fn step(mut self, worker: usize, found: &mut Vec<Schedule>) {
        let op = self.op(worker);
        match (self.workers[worker].phase, op) {
            (Phase::New, _) => self.workers[worker].phase = Phase::Ready,
            (Phase::Relocking, Some(Op::Await(index))) => {
                self.held[index] = true;
                self.workers[worker].phase = Phase::Ready;
            }
            (_, Some(Op::Await(index))) => {
                self.held[index] = false;
                self.sleepers[index].push(worker);
                self.workers[worker].phase = Phase::Asleep;
                return self.decide(worker, found);
            }
            (_, Some(Op::NotifyOne(index))) => {
                self.workers[worker].at += 1;
                let count = self.sleepers[index].len();
                for chosen in 0..count {
                    let mut other = self.clone();
                    let sleeper = other.sleepers[index].remove(chosen);
                    other.workers[sleeper].phase = Phase::Relocking;
                    if count > 1 {
                        other.schedule.labels.push(chosen as u32);
                        other.schedule.odds *= count as u64;
                    }
                    other.go_on(worker, found);
                }
                if count > 0 {
                    return;
                }
            }
            (_, Some(op)) => {
                match op {
                    Op::Spawn(child) => self.workers[child].phase = Phase::New,
                    Op::Lock(index) => self.held[index] = true,
                    Op::Unlock(index) => self.held[index] = false,
                    Op::NotifyAll(index) => {
                        for sleeper in std::mem::take(&mut self.sleepers[index]) {
                            self.workers[sleeper].phase = Phase::Relocking;
                        }
                    }
                    Op::Send(index) => self.messages[index] += 1,
                    Op::Recv(index) => self.messages[index] -= 1,
                    _ => {}
                }
                self.workers[worker].at += 1;
            }
            (_, None) => unreachable!("an ended worker is never picked"),
        }
        self.go_on(worker, found);
    }
}
