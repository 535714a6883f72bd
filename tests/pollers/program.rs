//! A program of workers that poll, and what becomes of it.

use std::time::{Duration, Instant};

use cct::strategy::derive;
use cct_shims::std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use cct_shims::std::sync::{Condvar, Mutex, mpsc};
use cct_shims::std::thread;

/// Where schedules are cut off.
pub(crate) const MAX_STEPS: u32 = 20_000;
/// More rounds than there are steps.
const LATE: u64 = 10_000_000;

/// How a worker lets time pass between two looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Poll {
    Sleep,
    Park,
    WaitTimeout,
    RecvTimeout,
    YieldNow,
    SpinLoop,
}

const POLLS: [Poll; 6] = [
    Poll::Sleep,
    Poll::Park,
    Poll::WaitTimeout,
    Poll::RecvTimeout,
    Poll::YieldNow,
    Poll::SpinLoop,
];

/// The wait of a worker; each has a flag that says that it is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Until {
    /// Nothing that ever comes.
    Never,
    /// So many rounds, counted on the stack.
    Rounds(u64),
    /// In a block of memory.
    RoundsInBox(u64),
    /// In an atomic.
    RoundsInAtomic(u64),
    /// In a lock.
    RoundsInLock(u64),
    /// As milliseconds, added up.
    Waited(u64),
    /// By the clock: so many milliseconds after the worker began.
    Deadline(u64),
    /// That another worker is done.
    Done(usize),
}

#[derive(Clone, Copy, Debug)]
struct Poller {
    poll: Poll,
    millis: u64,
    until: Until,
}

/// Workers that poll, and a body that joins them.
#[derive(Debug)]
pub(crate) struct Program {
    pollers: Vec<Poller>,
}

/// The end of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Expected {
    /// It comes to an end within the bound.
    Ends,
    /// Somebody polls for ever, and nobody does anything but that.
    NeverEnds,
    /// Somebody has more to do than there are steps.
    EndsLate,
}

impl Program {
    /// The program with this number.
    pub(crate) fn generate(seed: u64, number: u64) -> Program {
        let mut drawn = 0;
        let mut draw = |below: u64| {
            drawn += 1;
            derive(derive(seed, number), drawn) % below
        };
        let count = 1 + draw(3);
        let pollers = (0..count).map(|index| {
            let poll = POLLS[draw(6) as usize];
            let sleeps = !matches!(poll, Poll::YieldNow | Poll::SpinLoop);
            let millis = [1, 2, 3, 5, 7, 10][draw(6) as usize];
            let rounds = if draw(5) == 0 { LATE } else { 1 + draw(6) };
            let other = draw(count) as usize;
            let until = match draw(if sleeps { 12 } else { 6 }) {
                5 if !sleeps => Until::Deadline((1 + draw(6)) * millis),
                0 | 1 => Until::Never,
                2 => Until::Rounds(rounds),
                3 | 4 if other as u64 == index => Until::Rounds(1 + draw(6)),
                3..=6 => Until::Done(other),
                7 => Until::RoundsInBox(rounds),
                8 => Until::RoundsInAtomic(rounds),
                9 => Until::RoundsInLock(rounds),
                10 => Until::Waited(rounds * millis),
                _ => Until::Deadline(rounds * millis),
            };
            Poller {
                poll,
                millis,
                until,
            }
        });
        Program {
            pollers: pollers.collect(),
        }
    }

    /// Returns how it ends, in every schedule.
    pub(crate) fn expected(&self) -> Expected {
        let all: Vec<_> = self
            .pollers
            .iter()
            .map(|poller| self.end_of(poller))
            .collect();
        if all.contains(&Expected::EndsLate) {
            Expected::EndsLate
        } else if all.contains(&Expected::NeverEnds) {
            Expected::NeverEnds
        } else {
            Expected::Ends
        }
    }

    fn end_of(&self, poller: &Poller) -> Expected {
        let mut poller = poller;
        // A worker that waits for longer than there are workers waits for itself.
        for _ in 0..=self.pollers.len() {
            let rounds = match poller.until {
                Until::Never => return Expected::NeverEnds,
                Until::Done(other) => {
                    poller = &self.pollers[other];
                    continue;
                }
                Until::Rounds(rounds)
                | Until::RoundsInBox(rounds)
                | Until::RoundsInAtomic(rounds)
                | Until::RoundsInLock(rounds) => rounds,
                Until::Waited(millis) | Until::Deadline(millis) => millis / poller.millis,
            };
            return if rounds == LATE {
                Expected::EndsLate
            } else {
                Expected::Ends
            };
        }
        Expected::NeverEnds
    }

    /// Runs it.
    pub(crate) fn run(&self) {
        let done: Vec<_> = self
            .pollers
            .iter()
            .map(|_| AtomicBool::new(false))
            .collect();
        thread::scope(|scope| {
            for (poller, is_done) in self.pollers.iter().zip(&done) {
                let done = &done;
                scope.spawn(move || {
                    poller.run(done);
                    is_done.store(true, SeqCst);
                });
            }
        });
    }
}

impl Poller {
    fn run(self, done: &[AtomicBool]) {
        let (lock, signal) = (Mutex::new(()), Condvar::new());
        let (_sender, receiver) = mpsc::channel::<()>();
        let flag = AtomicBool::new(false);
        let pause = Duration::from_millis(self.millis);
        let poll = || match self.poll {
            Poll::Sleep => thread::sleep(pause),
            Poll::Park => thread::park_timeout(pause),
            Poll::WaitTimeout => {
                let guard = lock.lock().expect("nobody panics");
                drop(signal.wait_timeout(guard, pause).expect("nobody panics"));
            }
            Poll::RecvTimeout => drop(receiver.recv_timeout(pause)),
            Poll::YieldNow => thread::yield_now(),
            Poll::SpinLoop => cct_shims::std::hint::spin_loop(),
        };
        match self.until {
            Until::Never => {
                while !flag.load(SeqCst) {
                    poll();
                }
            }
            Until::Done(other) => {
                while !done[other].load(SeqCst) {
                    poll();
                }
            }
            Until::Rounds(rounds) => (0..rounds).for_each(|_| poll()),
            Until::RoundsInBox(rounds) => {
                let mut left = Box::new(rounds);
                while *left > 0 {
                    *left -= 1;
                    poll();
                }
            }
            Until::RoundsInAtomic(rounds) => {
                let count = AtomicU64::new(0);
                while count.fetch_add(1, SeqCst) < rounds {
                    poll();
                }
            }
            Until::RoundsInLock(rounds) => {
                let left = Mutex::new(rounds);
                let goes_on = || {
                    let mut left = left.lock().expect("nobody panics");
                    *left -= 1;
                    *left > 0
                };
                while goes_on() {
                    poll();
                }
            }
            Until::Waited(millis) => {
                let mut waited = Duration::ZERO;
                while waited < Duration::from_millis(millis) {
                    poll();
                    waited += pause;
                }
            }
            Until::Deadline(millis) => {
                let began = Instant::now();
                while began.elapsed() < Duration::from_millis(millis) {
                    poll();
                }
            }
        }
    }
}
