//! Figures of several rounds.

use std::fmt;
use std::time::Duration;

/// The time of one operation.
pub(crate) fn nanos_each(time: Duration, operations: u64) -> f64 {
    time.as_nanos() as f64 / operations as f64
}

/// The median of some rounds, with the least and the most.
#[derive(Clone, Copy)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    least: f64,
    most: f64,
}

impl Spread {
    pub(crate) fn of(mut samples: Vec<f64>) -> Spread {
        samples.sort_by(f64::total_cmp);
        Spread {
            median: samples[samples.len() / 2],
            least: samples[0],
            most: samples[samples.len() - 1],
        }
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Spread {
            median,
            least,
            most,
        } = self;
        write!(f, "{median:.0} ({least:.0}–{most:.0})")
    }
}
