//! Tests that disturb each other, for people and for programs.

use std::io;
use std::time::Duration;

use cct::footprint::Footprint;
use serde_json::{Value, json};

use super::failure::{Detail, Layout, Report};
use super::json::Json;
use super::out::say;
use super::style::{BAD, FAINT, GOOD, STRONG, WARN, paint};
use super::words::{count, duration, put};
use crate::failure::Record;
use crate::interference::{Pair, Share};

/// Tells of tests that run two at a time, as they come.
#[derive(Debug)]
pub(crate) struct Interferences {
    is_json: bool,
    tests: usize,
    failing: usize,
    /// How many pairs were looked at, and passed as far as that tells.
    passed: u64,
    /// Of these, the ones with a schedule that did not come to an end, or a failure that did not repeat.
    unfinished: u64,
    disturbed: u64,
    /// Pairs that were not looked at: of a test that fails alone, and beyond the most that are.
    spared: u64,
    left_out: usize,
    /// Others, of a test that has failed beside several already.
    alike: u64,
}

/// An executable whose tests were run once each.
#[derive(Debug)]
pub(crate) struct Profiled<'a> {
    /// Its name.
    pub binary: &'a str,
    /// How many passed.
    pub tests: usize,
    /// The others.
    pub failing: &'a [Footprint],
    /// How many pairs share what one of them changes.
    pub pairs: usize,
    /// How long it took.
    pub elapsed: Duration,
}

/// Two tests of which one fails beside the other.
#[derive(Debug)]
pub(crate) struct Disturbance<'a> {
    /// The executable's name.
    pub binary: &'a str,
    /// The tests.
    pub pair: &'a Pair,
    /// The one that fails, by number; none if the failure is both tests'.
    pub disturbed: Option<usize>,
    /// In how many schedules each passes alone.
    pub alone: u64,
    /// The failure.
    pub record: &'a Record,
    /// Its report.
    pub report: &'a Report,
}

impl Interferences {
    pub(crate) fn new(is_json: bool) -> Interferences {
        Interferences {
            is_json,
            tests: 0,
            failing: 0,
            passed: 0,
            unfinished: 0,
            disturbed: 0,
            spared: 0,
            left_out: 0,
            alike: 0,
        }
    }

    /// An executable's tests have run once each.
    pub(crate) fn profiled(&mut self, it: &Profiled<'_>) -> io::Result<()> {
        self.tests += it.tests;
        self.failing += it.failing.len();
        if self.is_json {
            let failing = it.failing.iter();
            let failing = failing.map(|it| json!({ "test": it.test, "reason": it.failed }));
            return Json::line(
                "profiled",
                json!({
                    "binary": it.binary,
                    "tests": it.tests,
                    "failing": failing.collect::<Vec<Value>>(),
                    "pairs": it.pairs,
                    "seconds": it.elapsed.as_secs_f64(),
                }),
            );
        }
        let mut text = format!(
            "{}: {} in {}, {} what one of the two changes\n",
            paint(STRONG, it.binary),
            count(it.tests as u64, "test"),
            duration(it.elapsed),
            match it.pairs {
                0 => "no two share".to_owned(),
                1 => "1 pair shares".to_owned(),
                pairs => format!("{pairs} pairs share"),
            }
        );
        for failing in it.failing {
            let reason = failing.failed.as_deref().unwrap_or_default();
            let reason = reason.lines().next().unwrap_or_default();
            let word = paint(WARN, "fails alone");
            put!(text, "  {word} {}: {reason}\n", failing.test);
        }
        say(&text)
    }

    /// A pair has passed in so many schedules, each of which came to an end if it is whole.
    pub(crate) fn passed(
        &mut self,
        binary: &str,
        pair: &Pair,
        schedules: u64,
        is_whole: bool,
    ) -> io::Result<()> {
        self.passed += 1;
        self.unfinished += u64::from(!is_whole);
        if !self.is_json {
            if is_whole {
                return Ok(());
            }
            let [one, other] = &pair.tests;
            let mut text = format!(
                "{} {one} and {other}, which share\n",
                paint(WARN, "unfinished")
            );
            for share in &pair.shares {
                put!(text, "    {}\n", told(share, &pair.tests));
            }
            return say(&text);
        }
        Json::line(
            "pair_passed",
            json!({
                "binary": binary,
                "tests": pair.tests,
                "shares": shares(pair),
                "schedules": schedules,
                "is_whole": is_whole,
            }),
        )
    }

    /// A pair is not looked at, or counts for nothing: one of the two fails alone as well.
    pub(crate) fn spared(&mut self) {
        self.spared += 1;
    }

    /// A pair is not looked at: one of the two has failed beside several others.
    pub(crate) fn alike(&mut self) {
        self.alike += 1;
    }

    /// So many pairs are not looked at.
    pub(crate) fn left_out(&mut self, pairs: usize) {
        self.left_out += pairs;
    }

    /// A test fails beside another one.
    pub(crate) fn disturbed(&mut self, it: &Disturbance<'_>) -> io::Result<()> {
        self.disturbed += 1;
        let is_of_machine = it.pair.shares.iter().any(Share::is_of_machine);
        if self.is_json {
            return Json::line(
                "interference",
                json!({
                    "binary": it.binary,
                    "id": it.record.id.to_string(),
                    "tests": it.pair.tests,
                    "disturbed": it.disturbed.map(|test| &it.pair.tests[test]),
                    "shares": shares(it.pair),
                    "is_of_machine": is_of_machine,
                    "schedules_alone": it.alone,
                    "failure": it.report.json(),
                }),
            );
        }
        let [one, other] = it.pair.tests.each_ref().map(|test| paint(STRONG, test));
        let mut text = match it.disturbed {
            Some(0) => format!("{} {one} by {other}\n", paint(BAD, "DISTURBED")),
            Some(_) => format!("{} {other} by {one}\n", paint(BAD, "DISTURBED")),
            None => format!("{} {one} and {other}\n", paint(BAD, "DISTURBED")),
        };
        put!(
            text,
            "  each passes alone, in {}; they share\n",
            count(it.alone, "schedule")
        );
        for share in &it.pair.shares {
            put!(text, "    {}\n", told(share, &it.pair.tests));
        }
        let remedy = if is_of_machine {
            "files and ports are the machine's: a process for each test, as nextest has it, would not keep \
             the two apart"
        } else {
            "a process for each test, as nextest has it, would hide this"
        };
        put!(text, "  {}\n\n", paint(FAINT, remedy));
        text.push_str(&it.report.text(&Layout::of_terminal(), Detail::Around));
        text.push('\n');
        say(&text)
    }

    /// Everything has been looked at; true if tests disturb each other.
    pub(crate) fn end(&self, is_stopped: bool) -> io::Result<bool> {
        let has_found = self.disturbed > 0;
        let looked = self.passed + self.disturbed;
        if self.is_json {
            Json::line(
                "interference_ended",
                json!({
                    "tests": self.tests,
                    "failing_alone": self.failing,
                    "pairs": looked,
                    "disturbed": self.disturbed,
                    "unfinished": self.unfinished,
                    "fail_alone": self.spared,
                    "left_out": self.left_out,
                    "alike": self.alike,
                    "is_stopped": is_stopped,
                }),
            )?;
            return Ok(has_found);
        }
        let verdict = match self.disturbed {
            0 => paint(GOOD, "no test was seen to disturb another"),
            1 => paint(BAD, "1 pair of tests disturbs each other"),
            n => paint(BAD, &format!("{n} pairs of tests disturb each other")),
        };
        let mut text = format!(
            "{verdict}: {} at a time, under control\n",
            count(looked, "pair")
        );
        if self.unfinished > 0 {
            let pairs = count(self.unfinished, "pair");
            put!(
                text,
                "  {pairs} with schedules that did not come to an end, or did not repeat\n"
            );
        }
        if self.spared > 0 {
            let pairs = count(self.spared, "pair");
            put!(
                text,
                "  {pairs} not looked at: one of the two fails alone (`cargo cct test`)\n"
            );
        }
        if self.alike > 0 {
            let pairs = count(self.alike, "pair");
            put!(
                text,
                "  {pairs} not looked at: one of the two has failed beside three others already\n"
            );
        }
        if self.left_out > 0 {
            let pairs = count(self.left_out as u64, "pair");
            put!(
                text,
                "  {pairs} not looked at, less suspicious ones: `--pairs` says how many are\n"
            );
        }
        if is_stopped {
            text.push_str("  stopped before the end\n");
        }
        say(&text)?;
        Ok(has_found)
    }
}

fn shares(pair: &Pair) -> Vec<Value> {
    let value = |share: &Share| {
        let by = share.changed_by.iter().zip(&pair.tests);
        let changed_by: Vec<&String> = by
            .filter(|(does, _)| **does)
            .map(|(_, test)| test)
            .collect();
        json!({ "kind": share.kind, "name": share.name, "changed_by": changed_by })
    };
    pair.shares.iter().map(value).collect()
}

fn told(share: &Share, [one, other]: &[String; 2]) -> String {
    let what = match (share.kind.as_str(), share.name.as_str()) {
        ("env", "") => "the environment as a whole".to_owned(),
        ("current directory" | "umask" | "panic hook" | "locale", "") => {
            format!("the {}", share.kind)
        }
        // Of functions that are not thread-safe.
        (group, "") => format!("what functions of `{group}` share"),
        (kind, name) => format!("{kind} `{name}`"),
    };
    match share.changed_by {
        [true, true] => format!("{what}, which both change"),
        [true, false] => format!("{what}, which {one} changes"),
        _ => format!("{what}, which {other} changes"),
    }
}
