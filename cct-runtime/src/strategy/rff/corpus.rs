//! Abstract schedules that led to something new, which of them to vary next, and how.

use super::super::Rng;
use super::coverage::{Coverage, Pair};

/// The most constraints of an abstract schedule.
pub(super) const MOST_CONSTRAINTS: usize = 16;
/// The most abstract schedules that are kept; later ones are dropped.
const MOST_SCHEDULES: usize = 1024;
/// The most variations of one abstract schedule in a row are two to this power.
const MOST_DOUBLINGS: u32 = 6;
/// One in so many constraints that are put in demands its pair; the others forbid theirs. A demanded
/// pair needs a certain past, and only one write is the last: a rare pair is seldom missed for want
/// of a demand, but a common one has to be forbidden for anything else to come.
const DEMANDS: u32 = 9;

/// The constraint of an abstract schedule on a pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Constraint {
    pub(super) pair: Pair,
    /// True if the read must read from the write at least once; else it must never.
    pub(super) is_positive: bool,
}

/// The abstract schedules kept, of which each in turn is varied.
#[derive(Debug)]
pub(super) struct Corpus {
    kept: Vec<Kept>,
    turn: usize,
    /// How many more variations of the one whose turn it is.
    energy: u32,
    /// The variation under way.
    varied: Vec<Constraint>,
}

#[derive(Debug)]
struct Kept {
    constraints: Vec<Constraint>,
    /// The combination of pairs that it led to when it was new.
    combination: Option<u32>,
    /// How often it has been taken since it was last passed over.
    taken: u32,
}

impl Corpus {
    /// A corpus of the empty schedule.
    pub(super) fn new() -> Corpus {
        Corpus {
            kept: Vec::new(),
            turn: 0,
            energy: 0,
            varied: Vec::with_capacity(MOST_CONSTRAINTS),
        }
    }

    /// The abstract schedule of the next iteration.
    pub(super) fn next(&mut self, coverage: &Coverage, rng: &mut Rng) -> &[Constraint] {
        self.varied.clear();
        if self.kept.is_empty() {
            return &self.varied;
        }
        if self.energy == 0 {
            self.take_turns(coverage);
        }
        self.energy -= 1;
        self.varied
            .extend_from_slice(&self.kept[self.turn].constraints);
        mutate(&mut self.varied, coverage.pairs(), rng);
        &self.varied
    }

    /// The iteration led to something new, if only because it was the first: its abstract schedule is
    /// kept, and another's turn begins.
    pub(super) fn keep(&mut self, combination: Option<u32>) {
        self.energy = 0;
        if self.kept.len() < MOST_SCHEDULES {
            self.kept.push(Kept {
                constraints: self.varied.clone(),
                combination,
                taken: 0,
            });
        }
    }

    /// True before the first schedule is kept.
    pub(super) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Gives the next one its energy, by the cut-off exponential power schedule: none if what it led to
    /// has come up more often than is usual, which passes the turn on, and else twice what it had the
    /// last time.
    fn take_turns(&mut self, coverage: &Coverage) {
        let frequency = |kept: &Kept| coverage.frequency(kept.combination);
        let total: u64 = self.kept.iter().map(frequency).sum();
        let count = self.kept.len();
        loop {
            self.turn = (self.turn + 1) % count;
            let kept = &mut self.kept[self.turn];
            if frequency(kept) * count as u64 > total {
                kept.taken = 0;
                continue;
            }
            kept.taken = (kept.taken + 1).min(MOST_DOUBLINGS);
            self.energy = 1 << kept.taken;
            return;
        }
    }
}

/// Changes one constraint: inserts, swaps, deletes or negates it; or none, since the random part of the
/// next execution differs all the same.
fn mutate(constraints: &mut Vec<Constraint>, pairs: &[Pair], rng: &mut Rng) {
    let free = |constraints: &[Constraint], rng: &mut Rng| {
        let pair = pairs[rng.below(pairs.len() as u32) as usize];
        let is_used = constraints.iter().any(|used| used.pair == pair);
        (!is_used).then_some(pair)
    };
    if pairs.is_empty() {
        return;
    }
    let count = constraints.len() as u32;
    if count == 0 || rng.below(4) == 0 {
        if (count as usize) < MOST_CONSTRAINTS
            && let Some(pair) = free(constraints, rng)
        {
            constraints.push(Constraint {
                pair,
                is_positive: rng.below(DEMANDS) == 0,
            });
        }
        return;
    }
    let index = rng.below(count) as usize;
    match rng.below(3) {
        0 => {
            if let Some(pair) = free(constraints, rng) {
                constraints[index].pair = pair;
            }
        }
        1 => constraints[index].is_positive ^= true,
        _ => {
            constraints.swap_remove(index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::event::Event;
    use super::*;

    fn coverage_of(pairs: u16) -> Coverage {
        let mut coverage = Coverage::new();
        for read in 0..pairs {
            coverage.add(Pair {
                write: Event(2),
                read: Event(3 + read),
            });
        }
        coverage
    }

    #[test]
    fn variations_differ_in_one_constraint_from_what_is_kept() {
        let coverage = coverage_of(10);
        let mut rng = Rng::new(1);
        let mut corpus = Corpus::new();
        assert!(corpus.next(&coverage, &mut rng).is_empty());
        corpus.keep(None);
        for _ in 0..5000 {
            let (base, index) = if corpus.energy == 0 {
                (None, 0)
            } else {
                (Some(corpus.kept[corpus.turn].constraints.clone()), 1)
            };
            let varied = corpus.next(&coverage, &mut rng).to_vec();
            assert!(varied.len() <= MOST_CONSTRAINTS);
            let mut pairs: Vec<_> = varied.iter().map(|used| used.pair).collect();
            pairs.dedup();
            assert_eq!(pairs.len(), varied.len());
            if let Some(base) = base {
                let kept = |constraint: &&Constraint| base.contains(constraint);
                let same = varied.iter().filter(kept).count();
                assert!(same + index >= varied.len().max(base.len()));
            }
            if rng.below(20) == 0 {
                corpus.keep(None);
            }
        }
        assert!(corpus.kept.iter().any(|kept| kept.constraints.len() > 2));
    }

    #[test]
    fn what_came_up_too_often_is_passed_over() {
        let mut coverage = coverage_of(3);
        let mut rng = Rng::new(1);
        let mut corpus = Corpus::new();
        let end = |coverage: &mut Coverage, read| {
            coverage.realise(Pair {
                write: Event(2),
                read: Event(read),
            });
            coverage.end_iteration().1
        };
        for read in 3..5 {
            let combination = end(&mut coverage, read);
            corpus.keep(combination);
        }
        for _ in 0..50 {
            end(&mut coverage, 3);
        }
        for _ in 0..200 {
            corpus.next(&coverage, &mut rng);
            assert_eq!(corpus.turn, 1);
        }
        assert_eq!(corpus.kept[1].taken, MOST_DOUBLINGS);
        for _ in 0..100 {
            end(&mut coverage, 4);
        }
        corpus.energy = 0;
        corpus.next(&coverage, &mut rng);
        assert_eq!((corpus.turn, corpus.kept[1].taken), (0, MOST_DOUBLINGS));
    }

    #[test]
    fn the_corpus_is_bounded() {
        let coverage = coverage_of(3);
        let mut rng = Rng::new(1);
        let mut corpus = Corpus::new();
        for _ in 0..2 * MOST_SCHEDULES {
            corpus.next(&coverage, &mut rng);
            corpus.keep(None);
        }
        assert_eq!(corpus.kept.len(), MOST_SCHEDULES);
    }
}
