//! Seeds: one for the run, from which each test's own follows.

use std::ops::RangeInclusive;

use cct::config::Settings;

use super::name::TestName;

/// Where the run's seed comes from, which decides what counts more than a test's attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RunSeed {
    /// It was asked for on the command line or in the environment.
    Asked(u64),
    /// It is in the workspace's settings, or drawn.
    Default(u64),
}

/// Drawn seeds are short enough to be typed.
const DRAWN: RangeInclusive<u64> = 1..=u32::MAX as u64;

impl RunSeed {
    /// Takes the seed that was asked for, else the configured one, else draws one.
    pub(crate) fn choose(asked: Option<u64>, configured: Option<u64>) -> RunSeed {
        match asked {
            Some(seed) => RunSeed::Asked(seed),
            None => RunSeed::Default(configured.unwrap_or_else(|| rand::random_range(DRAWN))),
        }
    }

    /// A seed that is always the same for a text.
    pub(crate) fn of_text(text: &str) -> u64 {
        let name = TestName {
            binary: text.to_owned(),
            test: String::new(),
        };
        for_test(0, &name) % DRAWN.end() + 1
    }

    /// The number to print.
    pub(crate) fn number(self) -> u64 {
        match self {
            RunSeed::Asked(seed) | RunSeed::Default(seed) => seed,
        }
    }

    /// Puts a test's seed among its settings: above or below its attribute.
    pub(crate) fn apply(self, name: &TestName, overrides: &mut Settings, defaults: &mut Settings) {
        let seed = Some(for_test(self.number(), name));
        match self {
            RunSeed::Asked(_) => overrides.seed = seed,
            RunSeed::Default(_) => defaults.seed = seed,
        }
    }
}

/// The seed of a test: the same for the same run seed and name, on any machine.
fn for_test(run: u64, name: &TestName) -> u64 {
    // FNV-1a over the seed and the name, then SplitMix64's last step.
    let bytes = run
        .to_le_bytes()
        .into_iter()
        .chain(name.to_string().into_bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(test: &str) -> TestName {
        TestName {
            binary: "bank::bank".to_owned(),
            test: test.to_owned(),
        }
    }

    #[test]
    fn tests_of_a_run_have_seeds_of_their_own() {
        assert_ne!(for_test(1, &name("a")), for_test(1, &name("b")));
        assert_ne!(for_test(1, &name("a")), for_test(2, &name("a")));
    }

    #[test]
    fn a_seed_that_was_asked_for_counts_more_than_the_attribute() {
        let (mut over, mut under) = (Settings::default(), Settings::default());
        RunSeed::choose(Some(1), Some(2)).apply(&name("a"), &mut over, &mut under);
        assert_eq!(
            (over.seed, under.seed),
            (Some(for_test(1, &name("a"))), None)
        );
        let (mut over, mut under) = (Settings::default(), Settings::default());
        RunSeed::choose(None, Some(2)).apply(&name("a"), &mut over, &mut under);
        assert_eq!(
            (over.seed, under.seed),
            (None, Some(for_test(2, &name("a"))))
        );
    }
}
