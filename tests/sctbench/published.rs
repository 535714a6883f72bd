//! Published figures: `published/schedules.csv` and `published/threadfuzzer.csv`, whose headers
//! name the sources.

use crate::row::Row;

const SCHEDULES: &str = include_str!("published/schedules.csv");
const THREADFUZZER: &str = include_str!("published/threadfuzzer.csv");

/// The published schedules to the first bug.
#[derive(Debug)]
pub(crate) struct Published {
    columns: Vec<&'static str>,
    lines: Vec<Vec<&'static str>>,
}

/// A published result.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Measured {
    /// The mean over the trials that found the bug.
    pub(crate) mean: Option<f64>,
    pub(crate) found: u64,
    pub(crate) trials: u64,
}

/// How a mean of ours compares with the published ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Comparison {
    /// Nobody has published one.
    Unpublished,
    /// Fewer schedules than the best of them.
    Fewer,
    /// Between the best and the worst, or not certainly outside.
    Within,
    /// More schedules than the worst of them.
    More,
}

/// The columns that are of the same technique as a strategy of ours, with headings.
pub(crate) fn columns_of(strategy: &str) -> &'static [(&'static str, &'static str)] {
    match strategy {
        "random" => &[
            ("surw25_RW", "SURW'25"),
            ("fraydev_sync_RANDOM", "Fray, sync"),
            ("fraydev_mem_RANDOM", "Fray, memory"),
        ],
        "pct:3" => &[
            ("rff24_PCT3", "RFF'24"),
            ("surw25_PCT3", "SURW'25"),
            ("fraydev_sync_PCT3", "Fray, sync"),
            ("fraydev_mem_PCT3", "Fray, memory"),
        ],
        "pos" => &[
            ("rff24_POS", "RFF'24"),
            ("surw25_POS", "SURW'25"),
            ("fraydev_sync_POS", "Fray, sync"),
            ("fraydev_mem_POS", "Fray, memory"),
        ],
        "surw" => &[("surw25_SURW", "SURW'25")],
        "rff" => &[("rff24_RFF", "RFF'24")],
        "portfolio" => &[
            ("rff24_RFF", "RFF'24"),
            ("surw25_SURW", "SURW'25"),
            ("rff24_PERIOD", "PERIOD in RFF'24"),
            ("period22_reported", "PERIOD'22"),
        ],
        _ => &[],
    }
}

impl Published {
    pub(crate) fn read() -> Published {
        let (columns, lines) = table(SCHEDULES);
        Published { columns, lines }
    }

    /// A program's result in a column, if there is one.
    pub(crate) fn get(&self, program: &str, column: &str) -> Option<Measured> {
        let line = self.lines.iter().find(|line| line[0] == program)?;
        let at = self.columns.iter().position(|&name| name == column)?;
        let mean = line[at].parse().ok();
        match line[at + 1].split_once('/') {
            Some((found, trials)) => Some(Measured {
                mean,
                found: found.parse().ok()?,
                trials: trials.parse().ok()?,
            }),
            // A mean without the number of trials: of all that there were, for want of better.
            None if line[at + 1].is_empty() && mean.is_some() => Some(Measured {
                mean,
                found: 20,
                trials: 20,
            }),
            None => None,
        }
    }
}

/// The names of the columns, and the lines below.
fn table(text: &'static str) -> (Vec<&'static str>, Vec<Vec<&'static str>>) {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let mut lines = lines.map(|line| line.split(',').collect());
    (lines.next().unwrap_or_default(), lines.collect())
}

/// Compares by the cost of a bug: all schedules that were run, over the bugs found.
///
/// Costs are estimates with a relative error of one over the square root of the bugs found, as those of
/// waiting times are. Two differ if they differ by 1.645 times the error of their quotient: of those
/// that do not differ one in twenty will be said to be more, and one in twenty fewer.
pub(crate) fn compare(row: &Row, others: &[Measured]) -> Comparison {
    let ours = Cost::of(row.mean, row.found, row.trials, row.schedules as f64);
    let others = others.iter();
    let theirs: Vec<Cost> = others
        .map(|other| Cost::of(other.mean, other.found, other.trials, row.schedules as f64))
        .collect();
    if theirs.is_empty() {
        Comparison::Unpublished
    } else if theirs.iter().all(|theirs| theirs.is_below(&ours)) {
        Comparison::More
    } else if theirs.iter().all(|theirs| ours.is_below(theirs)) {
        Comparison::Fewer
    } else {
        Comparison::Within
    }
}

/// The cost of a bug in schedules.
struct Cost {
    schedules: f64,
    /// The number of bugs that this was measured with.
    found: f64,
    /// No bug was found: it costs at least as much.
    is_bound: bool,
}

impl Cost {
    fn of(mean: Option<f64>, found: u64, trials: u64, length: f64) -> Cost {
        let bugs = found.max(1) as f64;
        let run = mean.unwrap_or(0.0) * found as f64 + (trials - found) as f64 * length;
        Cost {
            schedules: run / bugs,
            found: bugs,
            is_bound: found == 0,
        }
    }

    /// True if it is less, and not by chance.
    fn is_below(&self, other: &Cost) -> bool {
        let error = (1.0 / self.found + 1.0 / other.found).sqrt();
        !self.is_bound && (other.schedules / self.schedules).ln() > 1.645 * error
    }
}

/// A line of ThreadFuzzer's tables: the percentages of runs in which an assertion was violated, and that
/// were not over in time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Percentages {
    pub(crate) violated: f64,
    pub(crate) timed_out: f64,
}

/// ThreadFuzzer's strategies, as its tables name them, with headings.
pub(crate) const THREADFUZZER_STRATEGIES: [(&str, &str); 5] = [
    ("baseline", "untouched"),
    ("random", "random"),
    ("systematic_first", "systematic, first"),
    ("systematic_random", "systematic, random"),
    ("delay_bounding", "delay bounding"),
];

/// The entries of ThreadFuzzer's tables on a program.
pub(crate) fn threadfuzzer(program: &str, strategy: &str) -> Option<Percentages> {
    let (_, lines) = table(THREADFUZZER);
    let line = lines
        .iter()
        .find(|line| line[1] == program && line[5] == strategy)?;
    Some(Percentages {
        violated: line[6].parse().ok()?,
        timed_out: line[7].parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs;

    fn row(mean: Option<f64>, found: u64) -> Row {
        Row {
            mean,
            found,
            trials: 20,
            schedules: 10_000,
            ..Row::default()
        }
    }

    #[test]
    fn columns_that_are_compared_with_exist() {
        let published = Published::read();
        for strategy in ["random", "pct:3", "pos", "surw", "rff", "portfolio"] {
            for (column, _) in columns_of(strategy) {
                assert!(published.columns.contains(column), "{column}");
            }
        }
    }

    #[test]
    fn results_are_read() {
        let published = Published::read();
        let found = published.get("CS/reorder_10", "surw25_PCT3");
        let expected = Measured {
            mean: Some(3225.0),
            found: 16,
            trials: 20,
        };
        assert_eq!(found, Some(expected));
        assert_eq!(published.get("CS/reorder_10", "rff24_GenMC"), None);
        assert_eq!(
            threadfuzzer("Stack", "random").map(|line| line.violated),
            Some(61.3)
        );
    }

    #[test]
    fn a_bug_that_was_never_found_costs_more_than_one_that_was() {
        let others = [Measured {
            mean: Some(100.0),
            found: 20,
            trials: 20,
        }];
        assert_eq!(compare(&row(None, 0), &others), Comparison::More);
        assert_eq!(compare(&row(Some(110.0), 20), &others), Comparison::Within);
        assert_eq!(compare(&row(Some(50.0), 20), &others), Comparison::Fewer);
        assert_eq!(compare(&row(Some(50.0), 1), &others), Comparison::More);
        let never = [Measured {
            mean: None,
            found: 0,
            trials: 20,
        }];
        assert_eq!(compare(&row(None, 0), &never), Comparison::Within);
        assert_eq!(compare(&row(Some(50.0), 20), &never), Comparison::Fewer);
    }

    #[test]
    fn each_program_that_names_a_published_line_has_one() {
        let published = Published::read();
        let mut named = programs::all().filter_map(|program| program.published_as);
        assert!(named.all(|name| published.lines.iter().any(|line| line[0] == name)));
    }
}
