//! A row of results: one program under one strategy at one granularity.

use std::collections::BTreeMap;

use crate::cli::Job;
use crate::racy::Granularity;

/// The result of a row.
#[derive(Clone, Default, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Row {
    /// Suite and name.
    pub(crate) program: String,
    /// As on the command line.
    pub(crate) strategy: String,
    pub(crate) granularity: Granularity,
    /// How many trials found the bug.
    pub(crate) found: u64,
    pub(crate) trials: u64,
    /// Schedules to the first bug, the one with the bug included: the mean over the trials that found it,
    /// as in the published tables.
    pub(crate) mean: Option<f64>,
    /// True for a program without a bug.
    pub(crate) control: bool,
    /// Their standard deviation, if there are two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sd: Option<f64>,
    /// The fewest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) min: Option<u64>,
    /// The most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) max: Option<u64>,
    /// The most schedules of a trial.
    pub(crate) schedules: u64,
    /// The seed of the first trial; each of the others has the next.
    pub(crate) seed_base: u64,
    /// Schedules that were cut off, over all trials.
    pub(crate) cut_offs: u64,
    /// The most threads and the most steps of one schedule.
    pub(crate) workers: u32,
    pub(crate) longest: u64,
    /// How many trials found which kind of bug.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) kinds: BTreeMap<String, u64>,
    /// The share of schedules with a bug, where it is measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) share: Option<Share>,
    /// The forbidden results: bugs that did not replay, verdicts of controls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) errors: Vec<String>,
}

/// How many of some schedules had a bug.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Share {
    /// How many schedules.
    pub(crate) schedules: u64,
    /// In how many an assertion was violated.
    pub(crate) violated: u64,
    /// In how many nobody could go on.
    pub(crate) deadlocked: u64,
}

impl Row {
    /// The row of a job before its first trial.
    pub(crate) fn new(job: &Job) -> Row {
        Row {
            program: job.program.id(),
            strategy: job.strategy.to_string(),
            granularity: job.granularity,
            trials: job.seeds,
            control: job.program.is_control(),
            schedules: job.schedules,
            seed_base: job.seed_base,
            ..Row::default()
        }
    }

    /// True if the other is about the same, and takes its place.
    pub(crate) fn is_about_same(&self, other: &Row) -> bool {
        self.program == other.program
            && self.strategy == other.strategy
            && self.granularity == other.granularity
    }

    /// Sums up the schedules to the first bug of those trials that found it.
    pub(crate) fn sum_up(&mut self, first: &[u64]) {
        let count = first.len() as f64;
        self.found = first.len() as u64;
        self.min = first.iter().min().copied();
        self.max = first.iter().max().copied();
        if first.is_empty() {
            return;
        }
        let mean = first.iter().sum::<u64>() as f64 / count;
        self.mean = Some(mean);
        if first.len() > 1 {
            let squares = first.iter().map(|&n| (n as f64 - mean).powi(2));
            self.sd = Some((squares.sum::<f64>() / (count - 1.0)).sqrt());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_over_the_trials_that_found_the_bug() {
        let job = Job {
            program: crate::programs::all().next().unwrap(),
            strategy: cct::strategy::Spec::default(),
            granularity: Granularity::Racy,
            seed_base: 1,
            seeds: 4,
            schedules: 10,
        };
        let mut row = Row::new(&job);
        row.sum_up(&[2, 4, 9]);
        assert_eq!((row.found, row.trials, row.mean), (3, 4, Some(5.0)));
        assert_eq!(
            (row.min, row.max, row.sd),
            (Some(2), Some(9), Some(13.0_f64.sqrt()))
        );
        row.sum_up(&[]);
        assert_eq!((row.found, row.min), (0, None));
    }
}
