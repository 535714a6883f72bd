//! From values to words: the only place where text for people and for programs is made.

mod brief;
mod bugs;
mod claim;
mod commands;
mod comparison;
mod counters;
pub(crate) mod crates;
mod cut_off;
pub(crate) mod expansion;
mod failure;
mod github;
mod human;
mod interference;
mod json;
mod junit;
mod log;
mod machines;
mod many;
pub(crate) mod merged;
mod out;
mod replay;
mod settings;
pub(crate) mod shrinking;
mod status;
mod style;
mod timeline;
mod tried;
mod tsvd;
mod visible;
mod words;

use std::io;
use std::path::Path;

use crate::build::cache::{Cache, News};
use crate::failure::Record;
use crate::results::{Ending, Joined};
use crate::run::{Claim, RunSeed, TestName, TestRun};
use cct::claim::Exceptions;
use cct::wire::Counters;

pub(crate) use brief::Brief;
pub(crate) use commands::set_place;
pub(crate) use comparison::{Compared, Comparison};
pub(crate) use failure::{Detail, Layout, Live, Origin, Report, Stacks, ended_as, failed_with};
pub(crate) use github::GitHub;
pub(crate) use human::Human;
pub(crate) use interference::{Disturbance, Interferences, Profiled};
pub(crate) use json::Json;
pub(crate) use junit::JUnit;
pub(crate) use log::log;
pub(crate) use machines::Machines;
pub(crate) use many::Many;
pub(crate) use out::{nobody_reads, note, remark, remark_line, say, say_plainly};
pub(crate) use replay::{Edits, Followed, Replay, saved};
pub(crate) use settings::settings;
pub(crate) use status::{
    label as status_label, list_line, outcome_label, reason as status_reason, seen_json,
};
pub(crate) use style::choose as choose_color;
pub(crate) use timeline::{chrome_trace, timeline};
pub(crate) use tsvd::{InjectedRun, Injections};
pub(crate) use words::count;

/// A test's failure, if it has one: what is on record, and how it is told.
pub(crate) type Reported<'a> = Option<(&'a Record, &'a Report)>;

/// The events of a run for its reporter, in this order for each test: earlier, begun, progress, failed,
/// ended.
pub(crate) trait Reporter {
    /// The run begins.
    fn begin(&mut self, tests: usize, seed: RunSeed) -> io::Result<()>;
    /// The results that this run goes on with have a test; if it is not run again, this is how it ended.
    fn earlier(
        &mut self,
        _name: &TestName,
        _test: &Joined,
        _failure: Reported<'_>,
    ) -> io::Result<()> {
        Ok(())
    }
    /// A test has begun.
    fn begun(&mut self, name: &TestName) -> io::Result<()>;
    /// A test is this far.
    fn progress(&mut self, name: &TestName, counters: &Counters) -> io::Result<()>;
    /// A test's failure is shrunk: there is a shorter schedule after so many executions, or none yet after 0.
    fn shrinks(&mut self, _name: &TestName, _executions: u64) -> io::Result<()> {
        Ok(())
    }
    /// A test has ended; with its failure, if it has one.
    fn ended(
        &mut self,
        run: &TestRun,
        native: Option<&str>,
        failure: Reported<'_>,
    ) -> io::Result<()>;
    /// The run has ended.
    fn end(&mut self, summary: &Summary) -> io::Result<()>;
}

/// The result of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Summary {
    /// The run's seed.
    pub seed: u64,
    /// Tests without a finding.
    pub passed: usize,
    /// Tests among them that are not under control and ran once.
    pub native: usize,
    /// Tests with a bug that repeats.
    pub failed: usize,
    /// Tests with a bug that did not repeat.
    pub flaky: usize,
    /// Tests of which no schedule came to an end.
    pub unfinished: usize,
    /// Tests that would not begin.
    pub refused: usize,
    /// Tests that were selected but did not run to their end.
    pub not_run: usize,
    /// Tests that filters and `#[ignore]` left out.
    pub left_out: usize,
    /// Tests among all these that an earlier command has run, and this one has not.
    pub earlier: usize,
    /// Tests of which something is claimed about all schedules.
    pub exhausted: usize,
    /// The exceptions of at least one of these claims.
    pub but_for: Exceptions,
    /// The sum of all counters; of `longest`, `workers` and `concurrency` the greatest; what
    /// is about one test, such as `progress`, is not here.
    pub counters: Counters,
    /// How long all took.
    pub elapsed: std::time::Duration,
    /// The failures: status, test, id.
    pub failures: Vec<Failed>,
    /// The coverage of machines.
    pub machines: Machines,
    /// The folder with pictures of these, if there are any.
    pub pictures: Option<String>,
}

/// A warning: accesses to memory are to be seen, and the toolchain cannot show them.
pub(crate) const NO_CODE: &str = concat!(
    "data races are not looked for, and reference counts are no steps: this toolchain's ",
    "compiler has no pass that shows accesses to memory"
);

/// A line of the summary.
#[derive(Clone, Debug)]
pub(crate) struct Failed {
    /// The word for how it failed.
    pub status: String,
    /// The test.
    pub name: TestName,
    /// The failure's id; none for what ran natively.
    pub id: Option<String>,
}

impl Summary {
    /// How many tests ran to their end.
    pub(crate) fn ran(&self) -> usize {
        self.passed + self.unfinished + self.failed + self.flaky + self.refused
    }

    /// Adds one test's counters, and what is claimed of it.
    pub(crate) fn add(&mut self, run: &TestRun) {
        self.add_explored(&run.counters, Claim::of(run));
    }

    /// Adds the results of a test that an earlier command has run.
    pub(crate) fn add_earlier(&mut self, name: &TestName, test: &Joined) {
        self.earlier += 1;
        self.add_explored(&test.counters, test.claim);
        let count = match test.outcome() {
            Ending::Open | Ending::Passed => {
                self.native += usize::from(test.is_native);
                self.passed += 1;
                return;
            }
            Ending::Unfinished => &mut self.unfinished,
            Ending::Refused => &mut self.refused,
            Ending::Flaky => &mut self.flaky,
            Ending::Failed => &mut self.failed,
        };
        *count += 1;
        self.failures.push(Failed {
            status: test.status.clone(),
            name: name.clone(),
            id: test.failures.first().map(|(id, _)| id.to_string()),
        });
    }

    fn add_explored(&mut self, counters: &Counters, claim: Option<Claim>) {
        self.counters.schedules += counters.schedules;
        self.counters.distinct += counters.distinct;
        self.counters.watched += counters.watched;
        self.counters.behaviours += counters.behaviours;
        self.counters.sleep_set_blocked += counters.sleep_set_blocked;
        self.counters.steps += counters.steps;
        self.counters.choice_points += counters.choice_points;
        self.counters.switches += counters.switches;
        self.counters.cut_offs += counters.cut_offs;
        self.counters.longest = self.counters.longest.max(counters.longest);
        self.counters.workers = self.counters.workers.max(counters.workers);
        self.counters.concurrency = self.counters.concurrency.max(counters.concurrency);
        self.counters.limits = self.counters.limits.and(counters.limits);
        self.counters.left_out = self.counters.left_out.and(counters.left_out);
        self.counters.nanos += counters.nanos;
        if let Some(claim) = claim.filter(|claim| claim.is_about_all()) {
            self.exhausted += 1;
            self.but_for = self.but_for.and(claim.but_for);
        }
    }
}

/// A text without colours.
fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

/// The word before an error.
pub(crate) fn error_word() -> String {
    style::paint(style::BAD, "error")
}

/// The line after a picture was opened by this program, or was not.
pub(crate) fn opened(is_open: bool, opener: &str, path: &str) -> String {
    if is_open {
        return format!("Opened {path}\n");
    }
    format!("`{opener}` opens nothing here; the picture is at {path}\n")
}

/// The line after a failure was kept.
pub(crate) fn kept(id: &str, file: &str) -> String {
    let (word, id) = (
        style::paint(style::GOOD, "        Kept"),
        style::paint(style::STRONG, id),
    );
    format!("{word} {id} in `{file}`: commit it, and every run tries it first\n")
}

/// The line after an archive was made of so many executables, files and bytes.
pub(crate) fn archived(
    path: &std::path::Path,
    (executables, files, bytes): (usize, usize, u64),
    seed: u64,
) -> String {
    let word = style::paint(style::GOOD, &format!("{:>12}", "Archived"));
    let executables = words::count(executables as u64, "test executable");
    let (files, size) = (words::count(files as u64, "file"), bytes as f64 / 1e6);
    format!(
        "{word} {executables} and all they need: {files}, {size:.1} MB, seed {seed}: {}",
        path.display()
    )
}

/// The line before something is done to the cache.
pub(crate) fn news_of_cache(news: News<'_>, cache: &Cache, release: &str) -> String {
    let begun = |word: &str| style::paint(style::GOOD, &format!("{word:>12}"));
    match news {
        News::Makes => {
            let word = begun("Preparing");
            format!("{word} engine and facade of std for {release} (once)")
        }
        News::Mends(home) => {
            let word = begun("Preparing");
            format!("{word} `{}` again: its files have changed", home.display())
        }
        News::WaitsFor(process) => waiting(process, cache.folder()),
        News::Trims(number) => {
            let (word, folder) = (begun("Removed"), cache.folder().display());
            let entries = if number == 1 { "entry" } else { "entries" };
            format!("{word} {number} {entries} of `{folder}` that had not been used for long")
        }
    }
}

/// The line after failures were removed from this folder.
pub(crate) fn trimmed(number: usize, folder: &Path) -> String {
    let word = style::paint(style::GOOD, &format!("{:>12}", "Removed"));
    let (failures, folder) = (count(number as u64, "failure"), folder.display());
    format!("{word} {failures} of `{folder}` that had not been seen for long")
}

/// The line after a folder was removed.
pub(crate) fn removed(folder: &Path) -> String {
    format!("removed `{}`", folder.display())
}

/// The line instead of that where there was none.
pub(crate) fn nothing_there(folder: &Path) -> String {
    format!("there is no `{}`", folder.display())
}

/// The line after entries of the cache were removed.
pub(crate) fn removed_entries(number: usize, cache: &Path) -> String {
    let entries = if number == 1 { "entry" } else { "entries" };
    format!(
        "removed {number} {entries} of the cache `{}`",
        cache.display()
    )
}

/// The line before a wait for who uses, makes or removes a folder: this process, if it is known.
pub(crate) fn waiting(process: u32, folder: &Path) -> String {
    let word = style::paint(style::GOOD, &format!("{:>12}", "Waiting"));
    let who = match process {
        0 => "another cargo-cct".to_owned(),
        known => format!("process {known}"),
    };
    format!(
        "{word} for {who}, which is at work in `{}`",
        folder.display()
    )
}

/// The line of a command that this signal has ended before it came to any test.
pub(crate) fn interrupted(signal: u8) -> String {
    let signal = match i32::from(signal) {
        libc::SIGTERM => "SIGTERM",
        libc::SIGHUP => "SIGHUP",
        _ => "ctrl-C",
    };
    let word = style::paint(style::WARN, &format!("{:>12}", "Stopped"));
    format!("{word} by {signal} before any test was run; nothing is lost")
}

/// The word before a warning.
pub(crate) fn warning_word() -> String {
    style::paint(style::WARN, "warning")
}
