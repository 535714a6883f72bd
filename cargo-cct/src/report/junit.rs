//! A run for build servers: a file in JUnit's XML, with a suite for each test executable.
//!
//! The file is there from the beginning and is replaced while tests end, so that a run that is killed leaves
//! what it knew. Tests that have not ended are in it as skipped.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::{fs, io};

use cct::wire::Counters;
use chrono::DateTime;
use quick_junit::{NonSuccessKind, Report as Xml, TestCase, TestCaseStatus, TestSuite};

use super::words::{count, distinct};
use super::{Brief, Detail, Layout, Report, Reported, Reporter, Summary, plain};
use crate::plain_file;
use crate::results::Joined;
use crate::room;
use crate::run::{RunSeed, TestName, TestRun};

/// The file is written again at most this often before the end.
const EVERY: Duration = Duration::from_secs(1);

/// Writes the file.
#[derive(Debug)]
pub(crate) struct JUnit {
    path: PathBuf,
    seed: u64,
    began: SystemTime,
    clock: Instant,
    written: Instant,
    /// The file lacks something.
    is_behind: bool,
    /// Each test by its executable and name; none for one that has not ended.
    suites: BTreeMap<String, BTreeMap<String, Option<TestCase>>>,
}

impl JUnit {
    /// For these tests; the file's folder is made.
    pub(crate) fn new(path: &Path, tests: impl IntoIterator<Item = TestName>) -> io::Result<JUnit> {
        let mut suites: BTreeMap<String, BTreeMap<_, _>> = BTreeMap::new();
        for test in tests {
            let suite = suites.entry(test.binary.clone()).or_default();
            suite.insert(case_name(&test), None);
        }
        let junit = JUnit {
            path: path.to_owned(),
            seed: 0,
            began: SystemTime::now(),
            clock: Instant::now(),
            written: Instant::now(),
            is_behind: false,
            suites,
        };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        junit.write(false)?;
        Ok(junit)
    }

    /// Puts a test in, with what is told of it, in place of how it ended before.
    fn insert(&mut self, name: &TestName, mut case: TestCase, out: String) {
        case.set_system_out(out);
        let suite = self.suites.entry(name.binary.clone()).or_default();
        suite.insert(case_name(name), Some(case));
        self.is_behind = true;
        self.keep_up();
    }

    /// Writes what the file lacks, unless it was just written.
    fn keep_up(&mut self) {
        if self.is_behind && self.written.elapsed() >= EVERY {
            self.written = Instant::now();
            // If it cannot be written now, it is written later, or that is told at the end.
            self.is_behind = self.write(false).is_err();
        }
    }

    /// Replaces the file: a reader finds the old one or the new one. A pipe is written into once.
    fn write(&self, is_over: bool) -> io::Result<()> {
        if !is_over && plain_file::replaceable(&self.path).is_none() {
            return Ok(());
        }
        let xml = self.xml(is_over).to_string().map_err(io::Error::other)?;
        let text = as_published(&xml);
        let written = plain_file::replace(&self.path, |path| fs::write(path, &text));
        written.map_err(|error| room::at(&self.path, error))
    }

    fn xml(&self, is_over: bool) -> Xml {
        let since = self.began.duration_since(UNIX_EPOCH).unwrap_or_default();
        let began = DateTime::from_timestamp(since.as_secs().cast_signed(), 0).unwrap_or_default();
        let mut xml = Xml::new("cargo-cct");
        xml.set_time(self.clock.elapsed());
        for (binary, cases) in &self.suites {
            let mut suite = TestSuite::new(binary.as_str());
            let cases = cases.iter().map(|(name, case)| match case {
                Some(case) => case.clone(),
                None => unended(binary, name, is_over),
            });
            let cases: Vec<TestCase> = cases.collect();
            suite
                .set_timestamp(began)
                .set_time(cases.iter().filter_map(|case| case.time).sum())
                .add_property(("seed", self.seed.to_string().as_str()))
                .add_test_cases(cases);
            xml.add_test_suite(suite);
        }
        xml
    }
}

impl Reporter for JUnit {
    fn begin(&mut self, _: usize, seed: RunSeed) -> io::Result<()> {
        self.seed = seed.number();
        self.write(false)
    }

    fn earlier(&mut self, name: &TestName, test: &Joined, failure: Reported<'_>) -> io::Result<()> {
        let brief = Brief::of_earlier(test, failure);
        let report = failure.map(|(_, report)| report);
        let seconds = Duration::try_from_secs_f64(test.seconds).unwrap_or_default();
        let explored = if test.is_native {
            "ran natively".to_owned()
        } else {
            explored(&test.counters)
        };
        let case = case(name, status(brief, report), seconds);
        self.insert(name, case, format!("{explored}, by an earlier command"));
        Ok(())
    }

    fn begun(&mut self, _: &TestName) -> io::Result<()> {
        self.keep_up();
        Ok(())
    }

    fn progress(&mut self, _: &TestName, _: &Counters) -> io::Result<()> {
        self.keep_up();
        Ok(())
    }

    fn ended(
        &mut self,
        run: &TestRun,
        native: Option<&str>,
        failure: Reported<'_>,
    ) -> io::Result<()> {
        let report = failure.map(|(_, report)| report);
        let case = case(
            &run.name,
            status(Brief::of(run, report), report),
            run.elapsed,
        );
        let explored = match native {
            Some(reason) => format!("ran natively: {reason}"),
            None => explored(&run.counters),
        };
        let printed = &run.printed;
        let out = match failure {
            None if !run.is_controlled() && !printed.is_empty() => {
                format!("{explored}\n{printed}")
            }
            // The report has what the failing schedule printed; what others do is the harness's word.
            _ => explored,
        };
        self.insert(&run.name, case, out);
        Ok(())
    }

    fn end(&mut self, _: &Summary) -> io::Result<()> {
        self.write(true)
    }
}

/// An executable that is run as a whole is one test, and a test needs a name.
fn case_name(name: &TestName) -> String {
    let is_whole = name.test.is_empty();
    if is_whole { &name.binary } else { &name.test }.clone()
}

fn case(name: &TestName, status: TestCaseStatus, time: Duration) -> TestCase {
    let mut case = TestCase::new(case_name(name), status);
    case.set_classname(name.binary.as_str()).set_time(time);
    case
}

fn explored(counters: &Counters) -> String {
    let made = count(counters.schedules, "schedule");
    format!("{made}, {}", distinct(counters.distinct))
}

fn unended(binary: &str, name: &str, is_over: bool) -> TestCase {
    let mut status = TestCaseStatus::skipped();
    status.set_message(if is_over {
        "not run: the run ended before"
    } else {
        "not run, or not to its end"
    });
    let mut case = TestCase::new(name, status);
    case.set_classname(binary);
    case
}

fn status(brief: Option<Brief>, report: Option<&Report>) -> TestCaseStatus {
    let Some(brief) = brief else {
        return TestCaseStatus::success();
    };
    let mut status = match (brief.is_failure, brief.is_refusal) {
        (false, _) => TestCaseStatus::skipped(),
        (true, false) => TestCaseStatus::non_success(NonSuccessKind::Failure),
        (true, true) => TestCaseStatus::non_success(NonSuccessKind::Error),
    };
    let text = match report {
        Some(report) => plain(&report.text(&Layout::FILE, Detail::Around)),
        None => brief.message.clone(),
    };
    status
        .set_message(in_one_line(&brief.text()))
        .set_type(brief.label)
        .set_description(text);
    status
}

/// A reader of XML makes blanks of an attribute's lines.
fn in_one_line(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("; ")
}

/// The published schemas know no attribute `skipped` of the whole, only of suites; and XML has no place for
/// two characters that Unicode never assigns.
fn as_published(xml: &str) -> String {
    let xml = &xml.replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}");
    let Some((head, rest)) = xml.split_once("<testsuites") else {
        return xml.to_owned();
    };
    let (tag, body) = rest.split_once('>').unwrap_or((rest, ""));
    let attribute = tag.split_once(" skipped=\"");
    let tag = attribute.map(|(before, after)| {
        let after = after.split_once('"').map_or("", |(_, after)| after);
        format!("{before}{after}")
    });
    match tag {
        Some(tag) => format!("{head}<testsuites{tag}>{body}"),
        None => xml.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_has_no_count_of_what_was_skipped() {
        let xml = "<?xml?>\n<testsuites name=\"a\" tests=\"1\" skipped=\"1\" failures=\"0\">\n\
                   <testsuite name=\"b\" skipped=\"1\"/></testsuites>";
        let expected = "<?xml?>\n<testsuites name=\"a\" tests=\"1\" failures=\"0\">\n\
                        <testsuite name=\"b\" skipped=\"1\"/></testsuites>";
        assert_eq!(as_published(xml), expected);
        assert_eq!(as_published("<a>\u{ffff}\u{fffe}"), "<a>\u{fffd}\u{fffd}");
    }

    #[test]
    fn tests_that_have_not_ended_are_in_the_file() {
        let folder = std::env::temp_dir().join(format!("cct-junit-{}", std::process::id()));
        let path = folder.join("deep").join("junit.xml");
        let test = TestName {
            binary: "bank".to_owned(),
            test: "a<b>".to_owned(),
        };
        let mut junit = JUnit::new(&path, [test]).expect("writable");
        let xml = fs::read_to_string(&path).expect("it is there");
        assert!(xml.contains("not run, or not to its end"), "{xml}");
        junit.end(&Summary::default()).expect("writable");
        let xml = fs::read_to_string(&path).expect("it is there");
        assert!(xml.contains("the run ended before"), "{xml}");
        assert!(xml.contains("name=\"a&lt;b&gt;\""), "{xml}");
        fs::remove_dir_all(&folder).expect("removable");
    }
}
