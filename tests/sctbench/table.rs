//! The page `docs/sctbench.md`: our rows beside the published ones.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::program::Program;
use crate::programs;
use crate::published::{
    Comparison, Measured, Published, THREADFUZZER_STRATEGIES, columns_of, compare, threadfuzzer,
};
use crate::racy::Granularity;
use crate::remarks::{self, REMARKS};
use crate::row::Row;

/// The text of the page before the first table.
const INTRODUCTION: &str = include_str!("introduction.md");

/// Renders the page.
pub(crate) fn render(rows: &[Row]) -> String {
    let page = Page {
        rows,
        published: Published::read(),
    };
    let mut text = INTRODUCTION.to_owned();
    page.parameters(&mut text);
    page.overview(&mut text);
    for strategy in page.strategies() {
        page.beside_published(&mut text, strategy);
    }
    Page::remarks(&mut text);
    page.shares(&mut text);
    page.granularities(&mut text);
    page.controls(&mut text);
    text
}

/// Rows whose mean is above the published ones, and that no remark is about.
pub(crate) fn unexplained(rows: &[Row]) -> Vec<String> {
    let published = Published::read();
    let page = Page { rows, published };
    let unexplained = page.main_rows().filter(|(program, row)| {
        page.compare(program, row) == Comparison::More
            && remarks::about(&row.program, &row.strategy).is_none()
    });
    unexplained
        .map(|(_, row)| format!("{} under {}", row.program, row.strategy))
        .collect()
}

struct Page<'a> {
    rows: &'a [Row],
    published: Published,
}

impl Page<'_> {
    /// The granularity of the comparison is SCTBench's own.
    fn main_rows(&self) -> impl Iterator<Item = (&'static Program, &Row)> {
        let rows = self.rows.iter();
        rows.filter(|row| row.granularity == Granularity::Racy)
            .filter_map(|row| Some((programs::by_id(&row.program)?, row)))
    }

    fn find(&self, program: &Program, strategy: &str, granularity: Granularity) -> Option<&Row> {
        let id = program.id();
        let mut rows = self.rows.iter();
        rows.find(|row| {
            row.program == id && row.strategy == strategy && row.granularity == granularity
        })
    }

    /// In the order of the rows.
    fn strategies(&self) -> Vec<&str> {
        let mut strategies: Vec<&str> = Vec::new();
        for row in self.rows {
            if !strategies.contains(&row.strategy.as_str()) {
                strategies.push(&row.strategy);
            }
        }
        strategies
    }

    fn others(&self, program: &Program, strategy: &str) -> Vec<Option<Measured>> {
        let line = program.published_line();
        let columns = columns_of(strategy).iter();
        columns
            .map(|(column, _)| self.published.get(&line, column))
            .collect()
    }

    fn compare(&self, program: &Program, row: &Row) -> Comparison {
        if row.control {
            return Comparison::Unpublished;
        }
        let others = self.others(program, &row.strategy);
        compare(row, &others.into_iter().flatten().collect::<Vec<_>>())
    }

    fn parameters(&self, text: &mut String) {
        let parameters = |(_, row): (_, &Row)| (row.schedules, row.trials, row.seed_base);
        let all: BTreeSet<(u64, u64, u64)> = self.main_rows().map(parameters).collect();
        let mut lines = Vec::new();
        for (schedules, trials, first) in all {
            let last = first + trials - 1;
            let here = self
                .main_rows()
                .filter(|&row| parameters(row) == (schedules, trials, first))
                .map(|(_, row)| row.program.as_str())
                .collect::<BTreeSet<_>>();
            let of = match here.len() {
                few @ 1..4 => Vec::from_iter(here).join(if few == 2 { " and " } else { ", " }),
                count => format!("{count} programs"),
            };
            lines.push(format!(
                "{of}: seeds {first} to {last}, at most {schedules} schedules each"
            ));
        }
        let _ = writeln!(text, "Parameters of the run: {}.\n", lines.join("; "));
    }

    /// One line a program, all strategies.
    fn overview(&self, text: &mut String) {
        let strategies = self.strategies();
        text.push_str("## All strategies\n\n");
        text.push_str(
            "The mean number of schedules to the first bug, over the trials that found it; how many \
             did, unless all. Bold where it is above the published ones.\n\n",
        );
        head(text, &["program"], &strategies);
        for program in programs::all().filter(|program| !program.is_control()) {
            let cells = strategies.iter().map(|strategy| {
                let row = self.find(program, strategy, Granularity::Racy);
                row.map_or(String::new(), |row| {
                    let cell = ours(row);
                    match self.compare(program, row) {
                        Comparison::More => format!("**{cell}**"),
                        _ => cell,
                    }
                })
            });
            line(text, &program.id(), cells);
        }
        text.push('\n');
    }

    /// One strategy beside the columns that are of the same technique.
    fn beside_published(&self, text: &mut String, strategy: &str) {
        let columns = columns_of(strategy);
        if columns.is_empty() {
            return;
        }
        let _ = writeln!(text, "## `{strategy}`\n");
        let headings = columns.iter().map(|&(_, heading)| heading);
        let headings: Vec<&str> = ["ours", "sd"].into_iter().chain(headings).collect();
        head(text, &["program"], &[&headings[..], &["compared"]].concat());
        for program in programs::all().filter(|program| !program.is_control()) {
            let Some(row) = self.find(program, strategy, Granularity::Racy) else {
                continue;
            };
            let others = self.others(program, strategy);
            if others.iter().all(Option::is_none) {
                continue;
            }
            let deviation = row.sd.map_or(String::new(), number);
            let mut cells = vec![ours(row), deviation];
            cells.extend(
                others
                    .iter()
                    .map(|other| other.map_or(String::new(), theirs)),
            );
            cells.push(match self.compare(program, row) {
                Comparison::Unpublished => String::new(),
                Comparison::Fewer => "fewer".to_owned(),
                Comparison::Within => "within".to_owned(),
                Comparison::More => match remarks::about(&row.program, strategy) {
                    Some(remark) => format!("**more** ({remark})"),
                    None => "**more**".to_owned(),
                },
            });
            line(text, &program.id(), cells.into_iter());
        }
        text.push('\n');
    }

    fn remarks(text: &mut String) {
        text.push_str("## Where ours are more\n\n");
        for (remark, number) in REMARKS.iter().zip(1..) {
            let _ = writeln!(text, "{number}. {}", remark.text);
        }
        text.push('\n');
    }

    /// Beside ThreadFuzzer's tables.
    fn shares(&self, text: &mut String) {
        let strategies = self.strategies();
        text.push_str("## Shares of schedules\n\n");
        text.push_str(
            "The percentage of schedules in which an assertion was violated, and, behind a plus sign, \
             in which nobody could go on. ThreadFuzzer's are of 150 runs, and what is behind its plus \
             sign is runs that took too long: deadlocks, some of them its own. Ours are of the first \
             150 schedules of each seed, and go on after a bug. Its strategies are in italics.\n\n",
        );
        let theirs: Vec<String> = THREADFUZZER_STRATEGIES
            .iter()
            .map(|(_, heading)| format!("*{heading}*"))
            .collect();
        let theirs: Vec<&str> = theirs.iter().map(String::as_str).collect();
        head(text, &["program"], &[&strategies[..], &theirs].concat());
        for program in programs::all().filter(|program| program.counts_share) {
            let ours = strategies.iter().map(|strategy| {
                let row = self.find(program, strategy, Granularity::Racy);
                row.and_then(|row| row.share)
                    .map_or(String::new(), |share| {
                        let percent = |n: u64| 100.0 * n as f64 / share.schedules as f64;
                        percentages(percent(share.violated), percent(share.deadlocked))
                    })
            });
            let theirs = THREADFUZZER_STRATEGIES.iter().map(|(strategy, _)| {
                threadfuzzer(program.name, strategy).map_or(String::new(), |published| {
                    percentages(published.violated, published.timed_out)
                })
            });
            line(text, &program.id(), ours.chain(theirs));
        }
        text.push('\n');
    }

    /// The figures at the other granularities.
    fn granularities(&self, text: &mut String) {
        let measured: Vec<&Row> = self
            .rows
            .iter()
            .filter(|row| row.granularity != Granularity::Racy && !row.control)
            .collect();
        if measured.is_empty() {
            return;
        }
        text.push_str("## Other granularities\n\n");
        text.push_str(
            "The same with points at synchronisation only (`sync`), and at every access to a shared \
             plain variable, ordered or not (`all`).\n\n",
        );
        let strategies = self.strategies();
        let is_used = |strategy: &&str| measured.iter().any(|row| row.strategy == **strategy);
        let strategies: Vec<&str> = strategies.into_iter().filter(is_used).collect();
        head(text, &["program", "points"], &strategies);
        for program in programs::all().filter(|program| !program.is_control()) {
            for granularity in Granularity::ALL {
                let rows: Vec<_> = strategies
                    .iter()
                    .map(|strategy| self.find(program, strategy, granularity))
                    .collect();
                let is_new = |row: &&Row| row.program == program.id();
                if !measured.iter().any(is_new) || rows.iter().all(Option::is_none) {
                    continue;
                }
                let means = rows.into_iter().map(|row| row.map_or(String::new(), ours));
                let cells = std::iter::once(granularity.to_string()).chain(means);
                line(text, &program.id(), cells);
            }
        }
        text.push('\n');
    }

    fn controls(&self, text: &mut String) {
        text.push_str("## Controls\n\n");
        let rows: Vec<&Row> = self.rows.iter().filter(|row| row.control).collect();
        let programs: BTreeSet<&str> = rows.iter().map(|row| row.program.as_str()).collect();
        let schedules: u64 = rows.iter().map(|row| row.trials * row.schedules).sum();
        let verdicts: u64 = rows.iter().map(|row| row.found).sum();
        let cut_offs: u64 = rows.iter().map(|row| row.cut_offs).sum();
        let _ = writeln!(
            text,
            "{} programs without a bug, {schedules} schedules, {verdicts} verdicts, {cut_offs} schedules \
             cut off: {}.",
            programs.len(),
            Vec::from_iter(programs).join(", "),
        );
    }
}

/// The head of a table: columns of words, columns of numbers.
fn head(text: &mut String, words: &[&str], numbers: &[&str]) {
    let names = words.iter().chain(numbers).copied();
    let _ = writeln!(text, "| {} |", names.collect::<Vec<_>>().join(" | "));
    let _ = writeln!(
        text,
        "|{}{}",
        "---|".repeat(words.len()),
        "---:|".repeat(numbers.len())
    );
}

fn line(text: &mut String, name: &str, cells: impl Iterator<Item = String>) {
    let cells = cells.collect::<Vec<_>>().join(" | ");
    let _ = writeln!(text, "| {name} | {cells} |");
}

fn ours(row: &Row) -> String {
    result(row.mean, row.found, row.trials)
}

fn theirs(other: Measured) -> String {
    result(other.mean, other.found, other.trials)
}

/// A mean, with the number of trials that it is of unless it is of all.
fn result(mean: Option<f64>, found: u64, trials: u64) -> String {
    match mean {
        None => "–".to_owned(),
        Some(mean) if found == trials => number(mean),
        Some(mean) => format!("{} ({found}/{trials})", number(mean)),
    }
}

fn number(number: f64) -> String {
    if number < 99.5 {
        format!("{number:.1}")
    } else {
        format!("{number:.0}")
    }
}

fn percentages(violated: f64, stuck: f64) -> String {
    match (violated, stuck) {
        (violated, 0.0) => format!("{violated:.1}"),
        (0.0, stuck) => format!("+{stuck:.1}"),
        (violated, stuck) => format!("{violated:.1}+{stuck:.1}"),
    }
}
