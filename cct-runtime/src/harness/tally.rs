//! The counts of a search: its schedules, how many of them are distinct, and the time that they took.

use std::time::{Duration, Instant};

use super::distinct::Distinct;
use super::runner::Runner;
use crate::claim::Exception;
use crate::engine;
use crate::verdict::Verdict;
use crate::wire::{Counters, Ended, Fingerprints, Panic};

/// The most sites of unobserved panics that are told.
const MOST_PANICS: usize = 10;

/// The counts of a search so far.
#[derive(Debug)]
pub(super) struct Tally {
    pub(super) counters: Counters,
    /// Random numbers were drawn, other than the keys of hashes.
    pub(super) has_drawn_bytes: bool,
    schedules: Distinct,
    behaviours: Distinct,
    /// Each behaviour, and the iteration that showed it first, in one of several processes.
    news: Option<Vec<(u64, u64)>>,
    began: Instant,
}

impl Tally {
    /// Begins with these counts.
    pub(super) fn new(counters: Counters) -> Tally {
        Tally {
            counters,
            has_drawn_bytes: false,
            schedules: Distinct::new(),
            behaviours: Distinct::new(),
            news: None,
            began: budget_clock(),
        }
    }

    /// Starts the clock of the budget.
    pub(super) fn start_clock(&mut self) {
        self.began = budget_clock();
    }

    /// Keeps new behaviours, which the tool compares with other processes'.
    pub(super) fn keep_news(&mut self) {
        self.news = Some(Vec::new());
    }

    /// Counts the iteration that ended, also where a process that dies leaves its counts behind.
    pub(super) fn count(
        &mut self,
        iteration: u64,
        runner: &Runner,
        verdict: &Verdict,
        abandoned: bool,
    ) {
        self.add(iteration, runner, verdict, abandoned);
        let ended = Ended::of(iteration, &self.counters);
        runner.engine.tape().count(ended);
    }

    fn add(&mut self, iteration: u64, runner: &Runner, verdict: &Verdict, abandoned: bool) {
        let engine = &runner.engine;
        self.has_drawn_bytes |= engine.left_out().has(Exception::RandomNumbers);
        let steps = u64::from(engine.step_count());
        let counters = &mut self.counters;
        counters.schedules += 1;
        counters.steps += steps;
        counters.choice_points += engine.choice_point_count();
        counters.switches += engine.switch_count();
        counters.sleep_set_blocked += u64::from(abandoned);
        counters.cut_offs += u64::from(*verdict == Verdict::CutOff && !abandoned);
        counters.longest = counters.longest.max(steps);
        counters.workers = counters.workers.max(engine.worker_total());
        counters.concurrency = counters.concurrency.max(engine.width());
        counters.limits = counters.limits.and(engine.limits());
        counters.left_out = counters.left_out.and(runner.left_out());
        if engine.unobserved_panic().is_some() {
            note_panics(counters, engine.unobserved_panics());
        }
        if abandoned {
            return;
        }
        self.schedules.insert(engine.tape().fingerprint());
        counters.distinct = self.schedules.count();
        if let Some(behaviour) = engine.happens_before_hash() {
            counters.watched += 1;
            if self.behaviours.insert(behaviour) {
                counters.last_new = iteration;
                let news = self.news.as_mut();
                if let Some(news) = news.filter(|_| !self.behaviours.is_full()) {
                    news.push((behaviour, iteration));
                }
            }
            counters.behaviours = self.behaviours.count();
        }
    }

    /// Notes and returns the time that has passed.
    pub(super) fn elapsed(&mut self) -> Duration {
        let elapsed = self.began.elapsed();
        self.counters.nanos = u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX);
        self.counters.outside = engine::uses();
        elapsed
    }

    /// Returns the schedules and behaviours of one of several processes, which made its iterations through
    /// this one; `None` if there are no others.
    pub(super) fn fingerprints(&self, through: u64) -> Option<Fingerprints> {
        let news = self.news.as_ref()?;
        Some(Fingerprints {
            through,
            is_partial: self.schedules.is_full() || self.behaviours.is_full(),
            schedules: self.schedules.members(),
            behaviours: news.iter().map(|&(behaviour, _)| behaviour).collect(),
            first: news.iter().map(|&(_, iteration)| iteration).collect(),
        })
    }
}

/// Adds the panics whose sites are not known yet.
fn note_panics(counters: &mut Counters, panics: Vec<Panic>) {
    let known = &mut counters.unobserved_panics;
    for panic in panics {
        let is_known = known.iter().any(|other| other.site == panic.site);
        if !is_known && known.len() < MOST_PANICS {
            known.push(panic);
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the budget is spent in real time"
)]
fn budget_clock() -> Instant {
    Instant::now()
}
