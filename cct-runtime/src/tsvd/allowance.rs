//! How long threads and tests may be held in all: no test is to fail since it takes too long.

use std::collections::BTreeMap;

use super::parameters::Parameters;
use super::planner::{Party, Time};

/// The time for which threads and tests have been held.
#[derive(Debug)]
pub(super) struct Allowance {
    per_thread: Time,
    per_test: Time,
    threads: BTreeMap<Party, Time>,
    tests: BTreeMap<u32, Time>,
}

impl Allowance {
    pub(super) fn new(parameters: &Parameters) -> Allowance {
        Allowance {
            per_thread: parameters.delay_per_thread.as_nanos() as Time,
            per_test: parameters.delay_per_test.as_nanos() as Time,
            threads: BTreeMap::new(),
            tests: BTreeMap::new(),
        }
    }

    /// The part of a delay that this thread, of this test, may still be held for.
    pub(super) fn grant(&self, thread: Party, test: u32, delay: Time) -> Time {
        let spent = |of: Option<&Time>, most: Time| most.saturating_sub(of.copied().unwrap_or(0));
        delay
            .min(spent(self.threads.get(&thread), self.per_thread))
            .min(spent(self.tests.get(&test), self.per_test))
    }

    /// It was held for so long.
    pub(super) fn spend(&mut self, thread: Party, test: u32, held: Time) {
        *self.threads.entry(thread).or_default() += held;
        *self.tests.entry(test).or_default() += held;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn neither_a_thread_nor_a_test_is_held_for_longer() {
        let parameters = Parameters {
            delay_per_thread: Duration::from_nanos(100),
            delay_per_test: Duration::from_nanos(150),
            ..Parameters::default()
        };
        let mut allowance = Allowance::new(&parameters);
        assert_eq!(allowance.grant(1, 1, 70), 70);
        allowance.spend(1, 1, 70);
        assert_eq!(allowance.grant(1, 1, 70), 30);
        assert_eq!(allowance.grant(2, 1, 99), 80);
        assert_eq!(allowance.grant(2, 2, 120), 100);
    }
}
