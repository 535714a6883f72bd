//! How often each outcome of a body comes up, and whether that is as it should be.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU8;

use cct::config::Settings;
use cct::harness::Explorer;
use cct::strategy::Spec;
use cct::wire::Counters;
use cct_shims::std::sync::atomic::{AtomicUsize, Ordering};

/// How often there was each outcome.
pub(crate) type Tally = BTreeMap<u64, u64>;

/// Runs schedules of one strategy, and counts what the body returns.
pub(crate) fn tally(
    explorer: &mut Explorer,
    strategy: &str,
    schedules: u64,
    body: impl Fn() -> u64,
) -> (Tally, Counters) {
    let tally = RefCell::new(Tally::new());
    let settings = Settings {
        iterations: Some(schedules),
        strategy: Some(Spec::parse(strategy).expect("a strategy of ours")),
        seed: Some(7),
        watch: Some(0),
        ..Settings::default()
    };
    let exploration = explorer.explore(&settings, || {
        let outcome = body();
        cct::engine::outside(|| *tally.borrow_mut().entry(outcome).or_default() += 1);
    });
    assert_eq!(exploration.found, None);
    assert_eq!(exploration.counters.cut_offs, 0);
    (tally.into_inner(), exploration.counters)
}

/// Asserts that outcomes come up with these probabilities, and no others.
///
/// Of the sum of squares, with f degrees of freedom, Laurent and Massart show that it exceeds
/// f + 2 sqrt(f x) + 2 x with a probability below e^-x; x is 12, so that one right distribution in
/// 160,000 is refused, and the seed is fixed. One more is allowed for the first schedule, which is run twice.
pub(crate) fn assert_distribution(tally: &Tally, probabilities: &BTreeMap<u64, f64>) {
    let total = tally.values().sum::<u64>() as f64;
    for outcome in tally.keys() {
        assert!(
            probabilities.contains_key(outcome),
            "{outcome:o} is impossible"
        );
    }
    let terms = probabilities.iter().map(|(outcome, probability)| {
        let expected = total * probability;
        assert!(expected >= 50.0, "too few for {outcome:o}");
        let found = tally.get(outcome).copied().unwrap_or(0) as f64;
        ((found - expected).abs() - 1.0).max(0.0).powi(2) / expected
    });
    let sum: f64 = terms.sum();
    let freedom = (probabilities.len() - 1) as f64;
    let bound = freedom + 2.0 * (freedom * 12.0).sqrt() + 24.0;
    assert!(sum <= bound, "{sum} > {bound}: {tally:?}");
}

/// Asserts that there are so many outcomes, and that all come up with the same probability.
pub(crate) fn assert_uniform(tally: &Tally, outcomes: usize) {
    assert_eq!(tally.len(), outcomes, "{tally:?}");
    let probability = 1.0 / outcomes as f64;
    let uniform = tally.keys().map(|&outcome| (outcome, probability));
    assert_distribution(tally, &uniform.collect());
}

/// Asserts that an event that has this probability at least came up so often: `found` of `total`, up to
/// five standard deviations and the schedule that is run twice.
pub(crate) fn assert_at_least(found: u64, total: u64, probability: f64) {
    let expected = total as f64 * probability;
    assert!(expected >= 50.0, "too few to tell");
    assert!(
        found as f64 >= expected - 5.0 * expected.sqrt() - 1.0,
        "{found} of {total}, expected {expected}"
    );
}

/// Asserts that an event with this probability came up `found` times of `total`, within five standard
/// deviations.
pub(crate) fn assert_probability(found: u64, total: u64, probability: f64) {
    let expected = total as f64 * probability;
    let deviation = (expected * (1.0 - probability)).sqrt();
    assert!(
        (found as f64 - expected).abs() <= 5.0 * deviation + 1.0,
        "{found} of {total}, expected {expected} ± {deviation}"
    );
}

/// The order in which workers touch an atomic.
#[derive(Debug, Default)]
pub(crate) struct Order {
    clock: AtomicUsize,
    /// By time: who touched it. Native, since the engine must not see it.
    log: [AtomicU8; 18],
}

impl Order {
    pub(crate) fn new() -> Arc<Order> {
        Arc::default()
    }

    /// One step of this worker, a number from 1 to 7.
    pub(crate) fn touch(&self, who: u8) {
        let time = self.clock.fetch_add(1, Ordering::SeqCst);
        self.note(time, who);
    }

    /// Notes who did something at a time.
    pub(crate) fn note(&self, time: usize, who: u8) {
        self.log[time].store(who, Ordering::SeqCst);
    }

    /// True if this worker has touched it.
    pub(crate) fn has(&self, who: u8) -> bool {
        self.log
            .iter()
            .any(|entry| entry.load(Ordering::SeqCst) == who)
    }

    /// The workers as octal digits, the first one first.
    pub(crate) fn code(&self) -> u64 {
        let digits = self.log.iter().map(|who| who.load(Ordering::SeqCst));
        let digits = digits.take_while(|&who| who > 0);
        digits.fold(0, |code, who| code << 3 | u64::from(who))
    }
}

/// The code of workers that touch it in a row, each so often.
pub(crate) fn code(runs: &[(u8, usize)]) -> u64 {
    let digits = runs
        .iter()
        .flat_map(|&(who, times)| std::iter::repeat_n(who, times));
    digits.fold(0, |code, who| code << 3 | u64::from(who))
}
