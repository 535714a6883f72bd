//! Joins results of shards. To join some twice, or in another order, makes no difference.

use std::collections::BTreeMap;
use std::path::Path;

use cct::claim::Exceptions;
use cct::wire::Counters;

use super::file::ResultsError;
use super::saved::{Ending, Results, Saved};
use crate::failure::Id;
use crate::run::{Claim, Shard, TestName};

/// A test over all shards that there are results of.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Joined {
    /// The worst end.
    pub ending: Ending,
    /// The word for it.
    pub status: String,
    /// Why, where there is no failure to say so.
    pub reason: Option<String>,
    /// The sum of all counters; distinct ones are those of all shards together.
    pub counters: Counters,
    /// Each schedule's fingerprint is counted.
    pub is_exact: bool,
    /// It ran as it is, once.
    pub is_native: bool,
    /// The claim about all schedules, if one holds.
    pub claim: Option<Claim>,
    /// Its failures with the iterations they were found in, the first one first.
    pub failures: Vec<(Id, u64)>,
    /// The time that all shards took for it.
    pub seconds: f64,
}

/// Shards that lack.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Missing {
    /// Nothing is there of these.
    pub without: Vec<Shard>,
    /// These have more to do.
    pub under_way: Vec<Shard>,
}

impl Results {
    /// Takes in results that `folder` has. Of a shard that is in both, each test is taken from where it is
    /// further.
    pub(crate) fn join(&mut self, folder: &Path, other: Results) -> Result<(), ResultsError> {
        if let Some(difference) = other.origin.difference(&self.origin) {
            return Err(ResultsError::Other(Results::path(folder), difference));
        }
        for (shard, tests) in other.shards {
            let own = self.shards.entry(shard).or_default();
            for (name, saved) in tests {
                let is_further = own
                    .get(&name)
                    .is_none_or(|known| saved.is_further_than(known));
                if is_further {
                    own.insert(name, saved);
                }
            }
        }
        self.complete.extend(other.complete);
        for (shard, elapsed) in other.elapsed {
            let own = self.elapsed.entry(shard).or_default();
            *own = own.max(elapsed);
        }
        for (name, seen) in other.seen {
            let own = self.seen.entry(name.clone()).or_default();
            let (schedules, behaviours) = (seen.schedules.into_iter(), seen.behaviours.into_iter());
            if !own.join(schedules, behaviours) {
                for tests in self.shards.values_mut() {
                    if let Some(saved) = tests.get_mut(&name) {
                        saved.is_exact = false;
                    }
                }
            }
        }
        Ok(())
    }

    /// Calls failures by other ids.
    pub(crate) fn rename(&mut self, ids: &[(Id, Id)]) {
        let tests = self.shards.values_mut().flat_map(BTreeMap::values_mut);
        for (failure, _) in tests.filter_map(|saved| saved.failure.as_mut()) {
            if let Some((_, now)) = ids.iter().find(|(before, _)| before == failure) {
                failure.clone_from(now);
            }
        }
    }

    /// The shards that lack.
    pub(crate) fn missing(&self) -> Missing {
        let of = self.origin.shards;
        let mut missing = Missing::default();
        for number in 0..of {
            let shard = Shard { number, of };
            if !self.shards.contains_key(&number) {
                missing.without.push(shard);
            } else if !self.complete.contains(&number) {
                missing.under_way.push(shard);
            }
        }
        missing
    }

    /// Each test over all shards.
    pub(crate) fn tests(&self) -> BTreeMap<TestName, Joined> {
        let mut all: BTreeMap<&TestName, Vec<&Saved>> = BTreeMap::new();
        for (name, saved) in self.shards.values().flatten() {
            all.entry(name).or_default().push(saved);
        }
        let joined = all
            .into_iter()
            .map(|(name, saved)| (name.clone(), self.joined(name, &saved)));
        joined.collect()
    }

    /// Each test of one shard.
    pub(crate) fn tests_of(&self, shard: u32) -> BTreeMap<TestName, Joined> {
        let tests = self.shards.get(&shard).into_iter().flatten();
        let joined = tests.map(|(name, saved)| (name.clone(), self.joined(name, &[saved])));
        joined.collect()
    }

    /// A test of one shard; none if the shard does not have it.
    pub(crate) fn test_of(&self, shard: u32, name: &TestName) -> Option<Joined> {
        let saved = self.shards.get(&shard)?.get(name)?;
        Some(self.joined(name, &[saved]))
    }

    fn joined(&self, name: &TestName, all: &[&Saved]) -> Joined {
        let mut counters = Counters::default();
        for saved in all {
            counters = counters.and(saved.counters.clone());
        }
        // It is enough if schedules came to an end in one of them.
        let has_ended = counters.ended() > 0;
        let judged = all
            .iter()
            .filter(|saved| !(has_ended && saved.only_lacks_an_end()));
        let worst = judged
            .max_by_key(|saved| saved.outcome())
            .expect("a shard has it, and one of them schedules that ended");
        let seen = self.seen.get(name);
        if let Some(seen) = seen {
            counters.distinct = seen.schedules.len() as u64;
            counters.behaviours = seen.behaviours.len() as u64;
            counters.last_new = seen.behaviours.values().copied().max().unwrap_or(0);
        }
        let mut failures: Vec<_> = all
            .iter()
            .filter_map(|saved| saved.failure.clone())
            .collect();
        failures.sort_by_key(|(id, iteration)| (*iteration, id.clone()));
        let mut known = Vec::new();
        failures.retain(|(id, _)| {
            let is_new = !known.contains(id);
            known.push(id.clone());
            is_new
        });
        Joined {
            ending: worst.ending,
            status: worst.status.clone(),
            reason: worst.reason.clone(),
            is_exact: all.iter().all(|saved| saved.is_exact),
            is_native: all.iter().all(|saved| saved.is_native),
            claim: claim(all),
            counters,
            failures,
            seconds: all.iter().map(|saved| saved.seconds).sum(),
        }
    }
}

impl Joined {
    /// How the test ended, if there is nothing more to come: nothing was found in one that is open, or no
    /// schedule has come to an end so far.
    pub(crate) fn outcome(&self) -> Ending {
        outcome(self.ending, self.reason.as_deref())
    }
}

fn outcome(ending: Ending, reason: Option<&str>) -> Ending {
    match (ending, reason) {
        (Ending::Open, Some(_)) => Ending::Unfinished,
        (Ending::Open, None) => Ending::Passed,
        _ => ending,
    }
}

impl Saved {
    /// The same of one shard.
    fn outcome(&self) -> Ending {
        outcome(self.ending, self.reason.as_deref())
    }

    /// True if nothing speaks against the test but that no schedule has come to its end.
    fn only_lacks_an_end(&self) -> bool {
        self.outcome() == Ending::Unfinished && !self.silent
    }

    /// True if more of the test is done here, or it has failed, which is not lost.
    fn is_further_than(&self, other: &Saved) -> bool {
        let key = |saved: &Saved| {
            let has_failed = saved.ending >= Ending::Flaky;
            (
                has_failed,
                saved.next,
                saved.counters.schedules,
                saved.ending,
            )
        };
        key(self) > key(other)
    }
}

/// The claim that one shard has come to by itself, if none of the others speaks against it. It is about all
/// schedules, those of shards that are missing too.
fn claim(all: &[&Saved]) -> Option<Claim> {
    let speaks_against = |saved: &&Saved| {
        let counters = &saved.counters;
        let has_ended = matches!(saved.ending, Ending::Open | Ending::Passed);
        !has_ended || saved.diverged || counters.cut_offs > 0 || counters.limits.steps
    };
    if all.iter().any(speaks_against) {
        return None;
    }
    let claims = all.iter().filter_map(|saved| saved.claim);
    let best = claims.max_by_key(|claim| (claim.is_about_all(), claim.made))?;
    let others = all.iter().filter(|saved| saved.counters.schedules > 0);
    let left_out = others.fold(Exceptions::NONE, |all, saved| all.and(saved.left_out));
    Some(Claim {
        // The others have seen nothing that it does not name.
        but_for: if all.iter().all(|saved| saved.counters.workers < 2) {
            best.but_for.and(left_out.of_inputs())
        } else {
            best.but_for.and(left_out)
        },
        ..best
    })
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::BTreeSet;

    use cct::claim::Exception;

    use super::super::saved::{Origin, Seen};
    use super::*;
    use crate::run::Scope;

    fn name() -> TestName {
        TestName {
            binary: "bank".to_owned(),
            test: "a".to_owned(),
        }
    }

    /// A shard that has made so many schedules.
    pub(in super::super) fn shard(schedules: u64, is_complete: bool) -> (Saved, bool) {
        let mut saved = Saved::default();
        saved.counters.schedules = schedules;
        saved.counters.workers = 2;
        saved.next = schedules + 1;
        saved.ending = if is_complete {
            Ending::Passed
        } else {
            Ending::Open
        };
        (saved, is_complete)
    }

    /// Results of one test, whose schedules are named by their number and that of the shard, but for the
    /// first, which is the same for all.
    pub(in super::super) fn results(of: u32, shards: &[(u32, (Saved, bool))]) -> Results {
        let mut results = Results {
            origin: Origin {
                tool: "1".to_owned(),
                executables: "e".to_owned(),
                seed: 1,
                settings: String::new(),
                shards: of,
                is_campaign: false,
            },
            shards: BTreeMap::new(),
            complete: BTreeSet::new(),
            elapsed: BTreeMap::new(),
            seen: BTreeMap::new(),
        };
        let mut seen = Seen::default();
        for &(number, (ref saved, is_complete)) in shards {
            let schedules = 0..saved.counters.schedules;
            let own = |n: u64| {
                if n == 0 {
                    u64::MAX
                } else {
                    u64::from(number) << 32 | n
                }
            };
            seen.schedules.extend(schedules.map(own));
            seen.behaviours.insert(99, u64::from(number) + 1);
            results
                .shards
                .insert(number, BTreeMap::from([(name(), saved.clone())]));
            if is_complete {
                results.complete.insert(number);
            }
        }
        results.seen.insert(name(), seen);
        results
    }

    fn join(all: &[&Results]) -> Results {
        let mut joined = all[0].clone();
        for other in all {
            joined
                .join(Path::new("x"), (*other).clone())
                .expect("of one run");
        }
        joined
    }

    #[test]
    fn nothing_is_lost_or_counted_twice() {
        let one = results(3, &[(0, shard(10, true))]);
        let begun = results(3, &[(1, shard(5, false))]);
        let other = results(3, &[(1, shard(20, true))]);
        let joined = join(&[&one, &begun, &other]);
        for order in [
            [&other, &one, &begun],
            [&begun, &other, &one],
            [&joined, &joined, &joined],
        ] {
            assert_eq!(join(&order), joined);
        }
        let test = &joined.tests()[&name()];
        assert_eq!((test.counters.schedules, test.counters.distinct), (30, 29));
        assert_eq!(test.ending, Ending::Passed);
        let shard = |number| Shard { number, of: 3 };
        let missing = joined.missing();
        assert_eq!(
            (missing.without, missing.under_way),
            (vec![shard(2)], vec![])
        );
        let missing = join(&[&one, &begun]).missing();
        assert_eq!(missing.under_way, [shard(1)]);
    }

    /// Another attempt at the same shard may have come further without it.
    #[test]
    fn a_failure_is_not_lost_to_more_schedules() {
        let failed = |schedules| {
            let (saved, is_complete) = shard(schedules, true);
            let ending = Ending::Failed;
            (Saved { ending, ..saved }, is_complete)
        };
        let (found, passed) = (
            results(3, &[(0, failed(5))]),
            results(3, &[(0, shard(20, true))]),
        );
        for order in [[&found, &passed], [&passed, &found]] {
            assert_eq!(join(&order).tests()[&name()].ending, Ending::Failed);
        }
    }

    /// Each shard has tried its own schedules of one test.
    #[test]
    fn schedules_that_ended_in_one_shard_are_enough() {
        let cut_off = |silent| {
            let (mut saved, is_complete) = shard(10, true);
            saved.counters.cut_offs = 10;
            saved.reason = Some("no schedule came to an end".to_owned());
            let ending = Ending::Unfinished;
            let saved = Saved {
                ending,
                silent,
                ..saved
            };
            (saved, is_complete)
        };
        let ending = |one, other| {
            let results = results(2, &[(0, one), (1, other)]);
            results.tests()[&name()].outcome()
        };
        let ended = || shard(8, true);
        assert_eq!(ending(cut_off(false), ended()), Ending::Passed);
        assert_eq!(ending(ended(), cut_off(false)), Ending::Passed);
        assert_eq!(ending(ended(), cut_off(true)), Ending::Unfinished);
        assert_eq!(ending(cut_off(false), cut_off(false)), Ending::Unfinished);
    }

    #[test]
    fn results_of_other_runs_are_refused_with_the_difference() {
        let one = results(3, &[(0, shard(10, true))]);
        let refused = |change: &dyn Fn(&mut Origin), why: &str| {
            let mut other = one.clone();
            change(&mut other.origin);
            let error = one
                .clone()
                .join(Path::new("x"), other)
                .expect_err("refused");
            assert!(error.to_string().contains(why), "{error}");
        };
        refused(&|origin| origin.seed = 2, "seed `2`, not `1`");
        refused(&|origin| origin.shards = 4, "shards `4`, not `3`");
        refused(
            &|origin| origin.settings = "watch=1\n".to_owned(),
            "settings `watch=1`, not ``",
        );
        refused(
            &|origin| origin.is_campaign = true,
            "kind `a campaign`, not `a run`",
        );
        refused(
            &|origin| origin.executables = "f".to_owned(),
            "executables `f`, not `e`",
        );
    }

    #[test]
    fn a_claim_holds_unless_a_shard_speaks_against_it() {
        let claim = Claim {
            scope: Scope::Proved,
            made: 10,
            failed_before: 0,
            but_for: Exceptions::NONE,
        };
        let claiming = |change: &dyn Fn(&mut Saved)| {
            let (mut one, mut other) = (shard(10, true), shard(8, true));
            one.0.claim = Some(claim);
            change(&mut other.0);
            results(2, &[(0, one), (1, other)]).tests()[&name()].claim
        };
        assert_eq!(claiming(&|_| {}), Some(claim));
        assert_eq!(claiming(&|other| other.ending = Ending::Failed), None);
        assert_eq!(claiming(&|other| other.diverged = true), None);
        assert_eq!(claiming(&|other| other.counters.cut_offs = 1), None);
        let left_out = Exceptions::of(Exception::Clocks);
        let but_for = Some(Claim {
            but_for: left_out,
            ..claim
        });
        assert_eq!(claiming(&|other| other.left_out = left_out), but_for);
    }
}
