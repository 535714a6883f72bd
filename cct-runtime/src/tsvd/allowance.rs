//! How long threads and tests may be held in all: no test is to fail since it takes too long, and no run is
//! to take much longer than it would.

use std::collections::BTreeMap;
use std::time::Duration;

use super::parameters::Parameters;
use super::planner::{Party, Time};

/// The time for which threads and tests have been held.
#[derive(Debug)]
pub(super) struct Allowance {
    per_thread: Time,
    per_test: Time,
    /// Of a run that is as short as can be.
    least: Time,
    /// The part that a nanosecond of the run adds to that.
    share: f64,
    began: Time,
    threads: BTreeMap<Party, Time>,
    tests: BTreeMap<u32, Time>,
    all: Time,
}

impl Allowance {
    pub(super) fn new(parameters: &Parameters, began: Time) -> Allowance {
        Allowance {
            per_thread: parameters.delay_per_thread.as_nanos() as Time,
            per_test: parameters.delay_per_test.as_nanos() as Time,
            least: parameters.delay_per_run.as_nanos() as Time,
            share: parameters.share,
            began,
            threads: BTreeMap::new(),
            tests: BTreeMap::new(),
            all: 0,
        }
    }

    /// The part of a delay that this thread, of this test, may still be held for. It counts as spent.
    pub(super) fn grant(&mut self, thread: Party, test: u32, delay: Time, now: Time) -> Time {
        let left = |of: Option<&Time>, most: Time| most.saturating_sub(of.copied().unwrap_or(0));
        let elapsed = Duration::from_nanos(now.saturating_sub(self.began));
        let most = self.least + elapsed.mul_f64(self.share).as_nanos() as Time;
        let granted = delay
            .min(left(self.threads.get(&thread), self.per_thread))
            .min(left(self.tests.get(&test), self.per_test))
            .min(left(Some(&self.all), most));
        *self.threads.entry(thread).or_default() += granted;
        *self.tests.entry(test).or_default() += granted;
        self.all += granted;
        granted
    }

    /// It was held for so much less.
    pub(super) fn give_back(&mut self, thread: Party, test: u32, rest: Time) {
        *self.threads.entry(thread).or_default() -= rest;
        *self.tests.entry(test).or_default() -= rest;
        self.all -= rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_a_thread_nor_a_test_nor_a_run_is_held_for_longer() {
        let parameters = Parameters {
            delay_per_thread: Duration::from_nanos(100),
            delay_per_test: Duration::from_nanos(150),
            delay_per_run: Duration::from_nanos(200),
            share: 0.5,
            ..Parameters::default()
        };
        let mut allowance = Allowance::new(&parameters, 1000);
        let now = 1000;
        assert_eq!(allowance.grant(1, 1, 70, now), 70);
        assert_eq!(allowance.grant(1, 1, 70, now), 30);
        assert_eq!(allowance.grant(1, 1, 70, now), 0);
        allowance.give_back(1, 1, 30);
        assert_eq!(allowance.grant(2, 1, 99, now), 80);
        assert_eq!(allowance.grant(2, 2, 120, now), 20);
        assert_eq!(allowance.grant(3, 3, 99, now), 30);
        assert_eq!(allowance.grant(3, 3, 99, now + 40), 20);
    }
}
