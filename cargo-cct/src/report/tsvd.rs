//! The findings of delay injection, for people and for programs.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use cct::trace::{Call, Site};
use cct::tsvd::Parameters;
use cct::tsvd::told::{Figures, Severity, Side};
use serde_json::{Value, json};

use super::failure::Origin;
use super::json::Json;
use super::out::say;
use super::style::{BAD, FAINT, GOOD, STRONG, WARN, paint};
use super::words::{count, duration, list, put};
use crate::plain_file;
use crate::tsvd::{Found, FoundSide};

/// Tells of runs in which threads are held, as they come.
#[derive(Debug)]
pub(crate) struct Injections {
    is_json: bool,
    /// A folder in it for each violation.
    folder: PathBuf,
    figures: Figures,
    /// Of each executable, the most places that a run has reached, and those of them at once.
    places: BTreeMap<String, (u64, u64)>,
}

/// An executable that has run.
#[derive(Debug)]
pub(crate) struct InjectedRun<'a> {
    /// Its name.
    pub binary: &'a str,
    /// The number of the run, from 1.
    pub run: u32,
    /// How long it took.
    pub elapsed: Duration,
    /// Its figures, if it came to its end.
    pub figures: Option<Figures>,
    /// How it failed, and what it printed.
    pub failed: Option<(&'a str, &'a str)>,
}

impl Injections {
    pub(crate) fn new(is_json: bool, folder: PathBuf) -> Injections {
        Injections {
            is_json,
            folder,
            figures: Figures::default(),
            places: BTreeMap::new(),
        }
    }

    /// The runs begin.
    pub(crate) fn begin(
        &self,
        binaries: usize,
        runs: u32,
        parameters: &Parameters,
    ) -> io::Result<()> {
        if self.is_json {
            let parameters = Parameters::ROWS
                .iter()
                .map(|row| (row.name.to_owned(), json!(parameters.get(row.name))));
            let parameters: serde_json::Map<String, Value> = parameters.collect();
            let begun = json!({ "binaries": binaries, "runs": runs, "parameters": parameters });
            return Json::line("tsvd_started", begun);
        }
        say(format!(
            "{} of {}, {}\n",
            count(u64::from(runs), "run"),
            count(binaries as u64, "test executable"),
            parameters.algorithm
        ))
    }

    /// A violation that is none of those before.
    pub(crate) fn violation(&self, found: &Found) -> io::Result<()> {
        let folder = self.folder.join(found.id.to_string());
        let text = told(found);
        let value = value(found);
        let plain = anstream::adapter::strip_str(&text).to_string();
        plain_file::folder(&folder)?;
        for (name, text) in [
            ("report.txt", plain),
            ("report.json", format!("{value:#}\n")),
        ] {
            plain_file::put(&folder.join(name), |path| fs::write(path, text))?;
        }
        if self.is_json {
            return Json::line("violation", value);
        }
        say(text)
    }

    /// An executable has run.
    pub(crate) fn ran(&mut self, run: &InjectedRun<'_>) -> io::Result<()> {
        let figures = run.figures.clone().unwrap_or_default();
        let all = &mut self.figures;
        all.delays += figures.delays;
        all.delayed += figures.delayed;
        all.points += figures.points;
        all.spared += figures.spared;
        let places = self.places.entry(run.binary.to_owned()).or_default();
        *places = (*places).max((figures.places, figures.places_at_once));
        let failed = run.failed.map(|(how, _)| how);
        if self.is_json {
            return Json::line(
                "tsvd_ran",
                json!({
                    "binary": run.binary,
                    "run": run.run,
                    "seconds": run.elapsed.as_secs_f64(),
                    "failed": failed,
                    "places": figures.places,
                    "places_at_once": figures.places_at_once,
                    "points": figures.points,
                    "delays": figures.delays,
                    "delayed_seconds": figures.delayed as f64 / 1e6,
                    "spared": figures.spared,
                    "violations": figures.violations,
                }),
            );
        }
        let (style, word) = match run.failed {
            None => (GOOD, "RAN"),
            Some(_) => (WARN, "FAILED"),
        };
        let mut out = String::new();
        let delays = if figures.delays == 0 {
            String::new()
        } else {
            format!(
                ", {} of {} in all",
                count(figures.delays, "delay"),
                duration(Duration::from_micros(figures.delayed))
            )
        };
        put!(
            out,
            "{} run {} {}  {}{delays}\n",
            paint(style, &format!("{word:>12}")),
            run.run,
            paint(STRONG, run.binary),
            duration(run.elapsed)
        );
        if let Some((how, printed)) = run.failed {
            put!(
                out,
                "{:>13}it did not pass ({how}); its tests printed:\n",
                ""
            );
            for line in printed.lines() {
                put!(out, "{:>13}{line}\n", "");
            }
        }
        say(out)
    }

    /// All runs have ended, or nobody wants more of them.
    pub(crate) fn end(
        &self,
        found: &[Found],
        elapsed: Duration,
        is_stopped: bool,
    ) -> io::Result<()> {
        let figures = &self.figures;
        if self.is_json {
            let in_run = |first: bool| {
                found
                    .iter()
                    .filter(|found| (found.run == 1) == first)
                    .count()
            };
            return Json::line(
                "tsvd_ended",
                json!({
                    "violations": found.len(),
                    "stopped": is_stopped,
                    "in_first_run": in_run(true),
                    "in_later_runs": in_run(false),
                    "delays": figures.delays,
                    "delayed_seconds": figures.delayed as f64 / 1e6,
                    "seconds": elapsed.as_secs_f64(),
                    "all": found.iter().map(seen).collect::<Vec<_>>(),
                }),
            );
        }
        let mut out = String::new();
        let style = if found.is_empty() { GOOD } else { BAD };
        put!(
            out,
            "{} {}",
            paint(style, &format!("{:>12}", "Summary")),
            count(found.len() as u64, "violation")
        );
        if figures.spared > 0 {
            put!(
                out,
                "; {} left out, since the thread or the test had been held for as long as is allowed",
                count(figures.spared, "delay")
            );
        }
        if is_stopped {
            put!(out, "; stopped before all runs had ended");
        }
        put!(out, "  [{}]\n", duration(elapsed));
        for found in found {
            put!(out, "{:>13}{} {}\n", "", found.id, short(found));
        }
        let (places, at_once) = self
            .places
            .values()
            .fold((0, 0), |all, of| (all.0 + of.0, all.1 + of.1));
        put!(
            out,
            "{:>13}accesses at {} were looked at whole, at {at_once} of them while several threads were at \
             work\n",
            "",
            count(places, "place"),
        );
        say(out)
    }
}

/// How it is wrong.
fn wrong(severity: Severity) -> &'static str {
    match severity {
        Severity::Undefined => "undefined behaviour",
        Severity::Contract => "broken contract",
        Severity::Logical => "interference",
    }
}

/// In a line, for the end.
fn short(found: &Found) -> String {
    let [held, came] = &found.sides;
    let stacks = if found.stacks == 1 {
        String::new()
    } else {
        format!(", by {} pairs of stacks", found.stacks)
    };
    let place = |side: &FoundSide| {
        let site = side.located.site.as_ref();
        site.map_or_else(|| "no line".to_owned(), Site::to_string)
    };
    format!(
        "{} and {}, in run {}{stacks}",
        place(held),
        place(came),
        found.run
    )
}

/// As it is told where it is found.
fn told(found: &Found) -> String {
    let [held, came] = &found.sides;
    let mut out = String::new();
    let tests: Vec<&str> = found.tests.iter().map(String::as_str).collect();
    put!(
        out,
        "\n{} {} {}  {}\n",
        paint(BAD, &format!("{:>12}", "VIOLATION")),
        paint(STRONG, &found.binary),
        list(&tests),
        paint(FAINT, &found.id.to_string())
    );
    put!(out, "  {}: {}\n\n", wrong(found.severity), sentence(found));
    for (side, how) in [
        (held, "was held here, about to"),
        (came, "came meanwhile, about to"),
    ] {
        put!(out, "  {} {how} {}\n", thread(&side.told), does(side));
        put!(out, "{}\n", calls(side));
    }
    out
}

fn sentence(found: &Found) -> String {
    let [held, came] = &found.sides;
    let each = match (held.told.writes, came.told.writes) {
        (true, true) => "both change it",
        _ => "one changes it while the other reads it",
    };
    match found.severity {
        Severity::Undefined if found.group.is_empty() => format!(
            "two threads are about to access the same memory at a time, nothing orders them, and {each}"
        ),
        Severity::Undefined | Severity::Contract => format!(
            "two threads are about to call functions of `{}` at a time, which is not allowed: {each}",
            found.group
        ),
        Severity::Logical => format!(
            "two tests go about the same `{}` at a time, and {each}: each may see what the other does",
            found.group
        ),
    }
}

fn thread(side: &Side) -> String {
    let kind = if side.is_task { "task" } else { "thread" };
    // The C library knows the first 15 bytes of a name.
    let is_tests = !side.thread.is_empty() && side.test.starts_with(&side.thread);
    let of = if side.test.is_empty() || is_tests {
        String::new()
    } else {
        format!(" of test `{}`", side.test)
    };
    if side.thread.is_empty() || side.is_task {
        format!("{kind} {}{of}", side.party)
    } else {
        let name = if is_tests { &side.test } else { &side.thread };
        format!("{kind} `{name}`{of}")
    }
}

fn does(side: &FoundSide) -> String {
    let told = &side.told;
    if !told.api.is_empty() {
        return format!("call `{}`", told.api);
    }
    let verb = if told.writes { "write" } else { "read" };
    let through = if side.located.calls.is_empty() {
        String::new()
    } else {
        format!(", in `{}`", side.located.calls)
    };
    format!(
        "{verb} {} at {:#x}{through}",
        count(told.size, "byte"),
        told.address
    )
}

/// The calls of a side: those of std are folded, but for the innermost that the program has called.
fn calls(side: &FoundSide) -> String {
    /// So many are shown.
    const SHOWN: usize = 12;
    let mut out = String::new();
    let is_shown = |call: &&Call| match &call.site {
        Some(place) => Origin::of(place) != Origin::Std,
        None => false,
    };
    let shown: Vec<&Call> = side.calls.iter().filter(is_shown).collect();
    for call in shown.iter().take(SHOWN) {
        put!(out, "      {}\n", call.function);
        if let Some(site) = &call.site {
            put!(out, "{}\n", paint(FAINT, &format!("        at {site}")));
        }
    }
    if shown.len() > SHOWN {
        put!(
            out,
            "      and {}\n",
            count((shown.len() - SHOWN) as u64, "call")
        );
    }
    if shown.is_empty() {
        put!(out, "      no line of the program is known\n");
    }
    out
}

fn value(found: &Found) -> Value {
    let side = |side: &FoundSide| {
        json!({
            "site": side.located.site,
            "function": side.located.function,
            "calls_std": side.located.calls,
            "operation": if side.told.api.is_empty() {
                if side.told.writes { "write" } else { "read" }
            } else {
                &side.told.api
            },
            "writes": side.told.writes,
            "address": side.told.address,
            "size": side.told.size,
            "thread": side.told.thread,
            "party": side.told.party,
            "is_task": side.told.is_task,
            "test": side.told.test,
            "stack": side.calls,
        })
    };
    let [held, came] = &found.sides;
    json!({
        "id": found.id,
        "binary": found.binary,
        "severity": match found.severity {
            Severity::Undefined => "undefined-behaviour",
            Severity::Contract => "broken-contract",
            Severity::Logical => "interference",
        },
        "group": found.group,
        "tests": found.tests,
        "run": found.run,
        "held": side(held),
        "came": side(came),
    })
}

fn seen(found: &Found) -> Value {
    json!({
        "id": found.id,
        "stack_pairs": found.stacks,
        "tests": found.tests,
    })
}
