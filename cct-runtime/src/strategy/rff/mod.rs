//! RFF, the reads-from fuzzer.

mod constraints;
mod corpus;
mod coverage;
mod event;
mod object;
mod steer;

use self::corpus::Corpus;
use self::coverage::Coverage;
use self::event::Events;
use self::steer::Steering;
use super::{
    Beginning, Beyond, Candidates, Ending, Executed, Observer, Pick, Rng, Strategy, WorkerId,
};

/// Fuzzes abstract schedules: sets of demands on which write a read gets its value from.
///
/// **Idea.** The next operation of a worker depends on the values it has read, so that executions in
/// which each read gets its value from the same write are equal for it, and there are far fewer such
/// classes than interleavings. An *abstract schedule* demands or forbids some of the pairs of a write and
/// a read, as places in the source, whichever worker comes there. Abstract schedules that led to a pair
/// never seen before are kept and varied; those whose combination of pairs has become common are passed
/// over.
///
/// **Guarantee.** None beyond that of partial-order sampling, which it is where no constraint speaks.
/// Wolff, Shi, Duck, Mathur and Roychoudhury: *Greybox Fuzzing for Concurrency Testing*, ASPLOS 2024.
///
/// **Parameters.** None.
///
/// **Departures.** An event is an operation and a site; objects are told apart within an execution only,
/// since their addresses differ from one to the next. Where memory is weak, a load reads the store that is
/// demanded, and pairs are of the store that was read. A critical section counts as one access, which its
/// acquire stands for. The random part of each execution is new, and not kept with the abstract schedule. A
/// worker that spins over its budget comes after all others, those that are avoided included; after
/// `fair_after` steps the walk is uniformly random. Memory is bounded: 4,096 events, 16,384 pairs, 16,384
/// combinations and 1,024 abstract schedules of 16 constraints each, about 2 MB in all, and about 90 bytes
/// for each object of the largest iteration. Later ones are not told apart, not learned, counted as new, or
/// not kept.
#[derive(Debug)]
pub struct Rff {
    events: Events,
    coverage: Coverage,
    corpus: Corpus,
    steering: Steering,
    fair_after: u32,
}

impl Default for Rff {
    fn default() -> Self {
        Rff {
            events: Events::new(),
            coverage: Coverage::new(),
            corpus: Corpus::new(),
            steering: Steering::new(),
            fair_after: 0,
        }
    }
}

impl Strategy for Rff {
    fn begin(&mut self, beginning: &Beginning) {
        self.fair_after = beginning.fair_after;
        let mut rng = Rng::new(beginning.seed);
        let constraints = self.corpus.next(&self.coverage, &mut rng);
        self.steering.begin(rng.bits(), constraints);
    }

    fn pick(&mut self, candidates: &dyn Candidates) -> Pick {
        let worker = if candidates.step() >= self.fair_after {
            candidates.nth(self.steering.below(candidates.len()))
        } else {
            self.steering.pick(candidates, &mut self.events)
        };
        self.steering.note_pick(worker);
        Pick { worker, quantum: 0 }
    }

    fn choose_index(&mut self, n: u32) -> u32 {
        self.steering.below(n)
    }

    fn choose_store(&mut self, n: u32, drawn: u32) -> u32 {
        self.steering.choose_store(n, drawn)
    }

    fn fair_from(&self) -> u32 {
        self.fair_after
    }

    fn end(&mut self, _ending: &Ending) {
        let (is_new, combination) = self.coverage.end_iteration();
        if is_new || self.corpus.is_empty() {
            self.corpus.keep(combination);
        }
    }

    fn on_enabled(&mut self, worker: WorkerId) -> bool {
        self.steering.insert(worker);
        true
    }

    fn on_disabled(&mut self, worker: WorkerId) {
        self.steering.remove(worker);
    }

    fn observer(&mut self) -> Option<&mut dyn Observer> {
        Some(self)
    }
}

impl Observer for Rff {
    fn on_step(&mut self, executed: &Executed, _beyond: &Beyond<'_>) {
        self.steering
            .step(executed, &mut self.events, &mut self.coverage);
    }
}

#[cfg(test)]
mod tests {
    use super::super::script::{Script, action};
    use super::*;
    use crate::operation::Operation;
    use std::panic::Location;

    /// Setters write `a` and then `b`; a checker is to read `a` after one of them, and `b` before all.
    fn reorder(setters: usize) -> Script {
        let (set_a, set_b) = (Location::caller(), site());
        let set = vec![
            action(Operation::Store, 8, set_a),
            action(Operation::Store, 16, set_b),
        ];
        let check = vec![
            action(Operation::Load, 8, set_a),
            action(Operation::Load, 16, set_b),
        ];
        let mut workers = vec![set; setters];
        workers.push(check);
        Script { workers }
    }

    fn site() -> &'static Location<'static> {
        Location::caller()
    }

    /// At random this has a probability of about 10^-14. There are four pairs; to forbid one of them is
    /// enough, and is tried in about one of six executions. A hundred fail in each of 20 searches with
    /// probability below 10^-6.
    #[test]
    fn what_chance_never_finds_is_found_at_once() {
        let setters = 50;
        let program = reorder(setters);
        let checker = WorkerId(setters as u32);
        for search in 0..20 {
            let mut rff = Rff::default();
            let found = (0..100).find(|index| {
                let made = program.run(&mut rff, search * 1000 + index, *index);
                let position = |wanted| made.iter().position(|&step| step == wanted);
                let first = |action| {
                    made.iter()
                        .position(|step| *step != (checker, action) && step.1 == action)
                };
                first(0) < position((checker, 0)) && position((checker, 1)) < first(1)
            });
            assert!(found.is_some(), "search {search}");
        }
    }

    #[test]
    fn the_same_seeds_make_the_same_executions() {
        let program = reorder(3);
        let search = || {
            let mut rff = Rff::default();
            (0..50)
                .map(|index| program.run(&mut rff, index, index))
                .collect::<Vec<_>>()
        };
        assert_eq!(search(), search());
    }
}
