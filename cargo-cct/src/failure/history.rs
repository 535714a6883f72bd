//! The history of a bug: how it is known again, and when it was seen.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::class::Class;

/// A bug's history, beside the shortest schedule that leads to it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct History {
    /// The marks that tell the bug from others of its test, as of the latest version of the program.
    pub class: Class,
    /// The runs in which it was seen, the latest ones if there are very many.
    pub sightings: BTreeSet<Sighting>,
    /// How many there were before those.
    #[serde(default)]
    pub earlier: u64,
    /// When it was seen first, in seconds since the Unix epoch.
    pub first: u64,
    /// The hash of the executable in which its schedule no longer led to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gone_in: Option<String>,
}

/// One run that came upon a bug.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(crate) struct Sighting {
    /// When, in seconds since the Unix epoch.
    pub at: u64,
    /// The run's seed.
    pub seed: u64,
    /// The iteration, from 1; 0 when a schedule that was known led to it, or a person.
    pub iteration: u64,
    /// The strategy that made the schedule.
    pub strategy: String,
}

/// At most so many runs are told one by one.
const MOST: usize = 256;

impl History {
    /// That of a bug that was seen once.
    pub(crate) fn new(class: Class, sighting: Sighting) -> History {
        History {
            class,
            first: sighting.at,
            sightings: [sighting].into(),
            earlier: 0,
            gone_in: None,
        }
    }

    /// How many runs came upon it.
    pub(crate) fn count(&self) -> u64 {
        self.earlier.saturating_add(self.sightings.len() as u64)
    }

    /// When it was seen last, in seconds since the Unix epoch.
    pub(crate) fn last(&self) -> u64 {
        self.sightings.last().map_or(self.first, |last| last.at)
    }

    /// The strategies that found it, and those that made schedules by which it was seen again.
    pub(crate) fn strategies(&self) -> BTreeSet<&str> {
        let sightings = self.sightings.iter();
        sightings.map(|seen| &*seen.strategy).collect()
    }

    /// Both together. A run that both know of counts once.
    pub(super) fn and(mut self, other: History) -> History {
        self.sightings.extend(other.sightings);
        self.earlier = self.earlier.max(other.earlier);
        while self.sightings.len() > MOST {
            self.sightings.pop_first();
            self.earlier += 1;
        }
        self.first = self.first.min(other.first);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(at: u64) -> History {
        let sighting = Sighting {
            at,
            seed: 7,
            iteration: 1,
            strategy: "random".to_owned(),
        };
        History::new(Class::default(), sighting)
    }

    #[test]
    fn a_run_that_both_know_of_counts_once() {
        let both = seen(1).and(seen(3)).and(seen(1));
        assert_eq!((both.count(), both.first, both.last()), (2, 1, 3));
        assert_eq!(both.clone().and(both.clone()), both);
    }

    #[test]
    fn very_many_runs_are_counted() {
        let many = (1..1000).fold(seen(0), |all, at| all.and(seen(at)));
        assert_eq!((many.count(), many.first, many.last()), (1000, 0, 999));
        assert_eq!(many.sightings.len(), MOST);
    }
}
