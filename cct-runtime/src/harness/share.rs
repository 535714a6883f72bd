//! The iterations of one of several processes that explore a test.
//!
//! An iteration's number says which strategy makes it, and with which seed. So any process may make it.
//! Only a strategy that learns from its iterations, or counts the schedules that are left, has one
//! process for all of them.

use crate::part::Part;
use crate::strategy::Strategy;

/// The iterations of one process among those of several.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Share {
    process: u32,
    /// The process of each iteration, over and over.
    owners: Vec<u32>,
}

impl Share {
    /// All iterations.
    pub(super) fn whole() -> Share {
        Share {
            process: 0,
            owners: vec![0],
        }
    }

    /// The turns of these strategies that one process has.
    pub(super) fn of(part: Part, strategies: &[&dyn Strategy]) -> Share {
        let (process, processes) = (part.number, part.of);
        if strategies.iter().all(|strategy| strategy.enumerates()) {
            // The end of the search depends on how far each of them is.
            return Share {
                process,
                ..Share::whole()
            };
        }
        let mut loads = vec![0; processes.max(1) as usize];
        let mut learners = 0;
        // Strategies that need all their turns have one process for them; the others fill up the rest.
        let fixed: Vec<Option<usize>> = strategies
            .iter()
            .map(|strategy| {
                (strategy.enumerates() || strategy.learns()).then(|| {
                    let owner = learners % loads.len();
                    learners += 1;
                    loads[owner] += loads.len();
                    owner
                })
            })
            .collect();
        let rounds = 0..loads.len();
        let owners = rounds.flat_map(|_| fixed.clone()).map(|owner| {
            let owner = owner.unwrap_or_else(|| {
                let least = (0..loads.len()).min_by_key(|&process| loads[process]);
                let least = least.expect("there is a process");
                loads[least] += 1;
                least
            });
            owner as u32
        });
        Share {
            process,
            owners: owners.collect(),
        }
    }

    /// True if this process has the iteration with this number, from 1.
    #[inline]
    pub(super) fn has(&self, iteration: u64) -> bool {
        let turn = (iteration - 1) % self.owners.len() as u64;
        self.owners[turn as usize] == self.process
    }

    /// Returns how many of so many iterations this process has.
    pub(super) fn count(&self, iterations: u64) -> u64 {
        let round = self.owners.len() as u64;
        let is_own = |turn: &u64| self.has(turn + 1);
        let own = (0..round).filter(is_own).count() as u64;
        let rest = (0..iterations % round).filter(is_own).count() as u64;
        iterations / round * own + rest
    }

    /// Returns the first iteration from this one on that this process has; `None` if it has none at all.
    pub(super) fn first_from(&self, from: u64) -> Option<u64> {
        let mut round = from..from.saturating_add(self.owners.len() as u64);
        round.find(|&iteration| self.has(iteration))
    }

    /// True if this process has no iteration.
    pub(super) fn is_empty(&self) -> bool {
        !self.owners.contains(&self.process)
    }

    /// True if other processes have some.
    pub(super) fn is_part(&self) -> bool {
        self.process > 0 || self.owners.iter().any(|&owner| owner > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::Spec;

    fn shares(spec: &str, processes: u32) -> Vec<Share> {
        let strategies = Spec::parse(spec).expect("well-formed").build();
        let strategies: Vec<_> = strategies.iter().map(|(_, strategy)| &**strategy).collect();
        (0..processes)
            .map(|number| {
                let of = processes;
                Share::of(
                    Part {
                        number,
                        of,
                        ..Part::WHOLE
                    },
                    &strategies,
                )
            })
            .collect()
    }

    #[test]
    fn each_iteration_has_one_process() {
        for spec in [
            "random",
            "sticky,pct,random,sticky:200",
            "pct",
            "dfs,random",
        ] {
            for processes in 1..6 {
                let shares = shares(spec, processes);
                for iteration in 1..200 {
                    let owners = shares.iter().filter(|share| share.has(iteration));
                    assert_eq!(owners.count(), 1, "{spec} {processes} {iteration}");
                }
            }
        }
    }

    #[test]
    fn a_learner_stays_and_the_others_fill_up() {
        let [first, second] = &shares("sticky,pct,random,pos", 2)[..] else {
            panic!("two processes")
        };
        let made = |share: &Share| (1..=800).filter(|&n| share.has(n)).count();
        let counted = (0..800).all(|most| {
            let made = (1..=most).filter(|&n| first.has(n)).count();
            first.count(most) == made as u64
        });
        assert!(counted);
        assert_eq!((made(first), made(second)), (400, 400));
        let by_pct = |share: &Share| (1..=800).filter(|n| n % 4 == 2 && share.has(*n)).count();
        assert_eq!((by_pct(first), by_pct(second)), (200, 0));
    }

    #[test]
    fn an_enumeration_is_apart_from_the_others() {
        let [first, second] = &shares("dfs,random", 2)[..] else {
            panic!("two processes")
        };
        for iteration in 1..200 {
            assert_eq!(first.has(iteration), iteration % 2 == 1);
            assert_eq!(second.has(iteration), iteration % 2 == 0);
        }
    }

    #[test]
    fn enumerations_and_single_learners_are_not_shared() {
        for spec in ["dfs", "dpor,dfs", "pct"] {
            let shares = shares(spec, 3);
            assert!(!shares[0].is_empty(), "{spec}");
            assert!(shares[1].is_empty() && shares[2].is_empty(), "{spec}");
        }
    }
}
