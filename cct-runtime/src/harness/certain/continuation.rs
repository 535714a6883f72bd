//! The strategy that follows a schedule for some steps, and then goes on by itself.

use std::cell::Cell;

use crate::engine::Replay;
use crate::harness::apart::Notes;
use crate::harness::ring::distance;
use crate::strategy::{
    Beginning, Beyond, Candidates, Executed, Observer, Pick, Reason, Rng, Strategy, WorkerId,
};
use crate::trace::Schedule;

/// How it is decided after the beginning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Onward {
    /// At random, with this seed: each of the alternatives has the same probability.
    Drawn(u64),
    /// The same with other random numbers of the program, too.
    Anew(u64),
    /// By the alternatives of this list; then the first ones.
    Listed(Vec<u32>),
    /// Each worker for as long as it can go on, and then the next by number, upwards or downwards.
    Undisturbed {
        /// Downwards.
        descends: bool,
    },
}

/// A decision that could have been another one: a pick among candidates, or a choice of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Decision {
    /// The step that was picked, or during which the value was chosen; from 0.
    pub(super) step: u32,
    /// The alternative that was taken.
    pub(super) taken: u32,
    /// How many there were: 65,535 if there were more.
    pub(super) of: u32,
}

impl Decision {
    /// The decision that is noted as this word.
    pub(super) fn of(word: u64) -> Decision {
        let half = |word: u64| word as u32 & 0xFFFF;
        Decision {
            step: (word >> 32) as u32,
            taken: half(word >> 16),
            of: half(word),
        }
    }

    fn word(self) -> u64 {
        let half = |number: u32| u64::from(number.min(0xFFFF));
        u64::from(self.step) << 32 | half(self.taken) << 16 | half(self.of)
    }
}

/// Makes the first steps of a schedule, and goes on from there. Notes its own decisions; where it makes the
/// whole schedule, those of that.
#[derive(Debug)]
pub(super) struct Continuation<'a> {
    schedule: Replay,
    /// So many steps are the schedule's.
    until: u32,
    onward: &'a Onward,
    rng: Rng,
    /// The step that is under way, or comes next.
    step: u32,
    /// How many decisions it has made itself.
    made: usize,
    notes: &'a Notes,
    is_astray: Cell<bool>,
}

impl Continuation<'_> {
    pub(super) fn new<'a>(
        schedule: &Schedule,
        until: u32,
        onward: &'a Onward,
        notes: &'a Notes,
    ) -> Continuation<'a> {
        Continuation {
            schedule: Replay::new(schedule.clone()),
            until,
            onward,
            rng: Rng::new(match onward {
                Onward::Drawn(seed) | Onward::Anew(seed) => *seed,
                Onward::Listed(_) | Onward::Undisturbed { .. } => 0,
            }),
            step: 0,
            made: 0,
            notes,
            is_astray: Cell::new(false),
        }
    }

    /// True if it could not make the steps that it should.
    pub(super) fn is_astray(&self) -> bool {
        self.is_astray.get()
    }

    fn is_of_schedule(&self) -> bool {
        self.step < self.until
    }

    fn note(&self, taken: u32, of: u32) {
        let is_wanted = self.until == u32::MAX || !self.is_of_schedule();
        if is_wanted && of > 1 {
            let step = self.step;
            self.notes.add(Decision { step, taken, of }.word());
        }
    }

    /// One of `0..n`.
    fn decide(&mut self, n: u32) -> u32 {
        if n < 2 {
            return 0;
        }
        let taken = match self.onward {
            Onward::Drawn(_) | Onward::Anew(_) => self.rng.below(n),
            Onward::Listed(list) => list.get(self.made).copied().unwrap_or(0),
            Onward::Undisturbed { .. } => 0,
        };
        self.made += 1;
        if taken >= n {
            self.is_astray.set(true);
            return 0;
        }
        self.note(taken, n);
        taken
    }

    /// The worker that the schedule names.
    fn scheduled(&mut self, candidates: &dyn Candidates) -> Option<WorkerId> {
        let worker = self.schedule.pick(candidates).ok()?.worker;
        candidates.contains(worker).then_some(worker)
    }
}

impl Strategy for Continuation<'_> {
    fn begin(&mut self, _beginning: &Beginning) {}

    fn pick(&mut self, candidates: &dyn Candidates) -> Pick {
        self.step = candidates.step();
        let worker = if self.is_of_schedule() {
            self.note(0, candidates.len());
            self.scheduled(candidates)
        } else if let Onward::Undisturbed { descends } = *self.onward {
            Some(undisturbed(candidates, descends))
        } else {
            let taken = self.decide(candidates.len());
            Some(candidates.nth(taken))
        };
        let Some(worker) = worker.filter(|_| !self.is_astray()) else {
            self.is_astray.set(true);
            return Pick::ABANDON;
        };
        // It observes, and is asked at each point.
        Pick { worker, quantum: 0 }
    }

    fn choose_index(&mut self, n: u32) -> u32 {
        if !self.is_of_schedule() {
            return self.decide(n);
        }
        let chosen = self.schedule.choose_index(self.step, n);
        self.note(0, n);
        chosen.unwrap_or_else(|_| {
            self.is_astray.set(true);
            0
        })
    }

    fn choose_store(&mut self, n: u32, _drawn: u32) -> u32 {
        self.choose_index(n)
    }

    fn fair_from(&self) -> u32 {
        self.until
    }

    fn observer(&mut self) -> Option<&mut dyn Observer> {
        Some(self)
    }
}

/// The current worker if it can go on, or the next.
fn undisturbed(candidates: &dyn Candidates, descends: bool) -> WorkerId {
    let moment = candidates.moment();
    let current = moment.current;
    if moment.reason == Reason::Point && candidates.contains(current) {
        return current;
    }
    let all = (0..candidates.len()).map(|index| candidates.nth(index));
    let next = all.min_by_key(|worker| distance(current, *worker, descends));
    next.expect("there is always somebody to pick")
}

impl Observer for Continuation<'_> {
    fn on_step(&mut self, executed: &Executed, _beyond: &Beyond<'_>) {
        // Nobody need be asked before the next.
        self.step = executed.step + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::stage::play;

    fn made(until: u32, onward: &Onward, steps: &[u32]) -> (Vec<u32>, Vec<Decision>) {
        // On the stage the first step is made by a pick, and is numbered 1.
        let schedule = Schedule {
            runs: vec![(0, 3).into(), (1, 2).into(), (0, 1).into()],
            ..Schedule::default()
        };
        let notes = Notes::new();
        let mut continuation = Continuation::new(&schedule, until, onward, &notes);
        let made = play(&mut continuation, 0, steps);
        let words = notes.words().expect("they are few");
        (made, words.into_iter().map(Decision::of).collect())
    }

    #[test]
    fn the_beginning_is_the_schedule_s() {
        let (whole, decisions) = made(u32::MAX, &Onward::Drawn(1), &[3, 2]);
        assert_eq!(whole, [0, 0, 1, 1, 0]);
        let steps: Vec<u32> = decisions.iter().map(|decision| decision.step).collect();
        assert_eq!(steps, [1, 2, 3, 4]);
        for seed in 0..20 {
            let (made, _) = made(4, &Onward::Drawn(seed), &[3, 4]);
            assert_eq!(made[..3], [0, 0, 1]);
        }
    }

    #[test]
    fn what_follows_is_drawn_or_listed() {
        let rest = |onward| made(3, &onward, &[3, 2]).0[2..].to_vec();
        let drawn: Vec<_> = (0..30).map(|seed| rest(Onward::Drawn(seed))).collect();
        assert!(drawn.iter().any(|other| *other != drawn[0]));
        assert_eq!(rest(Onward::Listed(Vec::new())), [0, 1, 1]);
        assert_eq!(rest(Onward::Listed(vec![1, 0])), [1, 0, 1]);
        let (_, decisions) = made(3, &Onward::Listed(vec![1]), &[3, 2]);
        let expected = Decision {
            step: 3,
            taken: 1,
            of: 2,
        };
        assert_eq!(decisions[0], expected);
    }
}
