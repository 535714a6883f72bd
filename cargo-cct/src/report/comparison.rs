//! A test under several strategies: a table with a line for each.

use std::io;

use cct::strategy::Spec;
use comfy_table::{CellAlignment, ContentArrangement, Table, TableComponent, presets};
use serde_json::json;

use super::claim;
use super::counters::nanos_per_step;
use super::cut_off;
use super::failure::{Detail, Layout, Report};
use super::json::Json;
use super::out::say;
use super::style::{FAINT, GOOD, STRONG, WARN, paint};
use super::words::{count, number, put, told_apart};
use crate::failure::Record;
use crate::run::{Claim, Outcome, RunSeed, TestName, TestRun, same_end};

/// A test under one strategy.
#[derive(Debug)]
pub(crate) struct Compared {
    /// The strategy.
    pub strategy: Spec,
    /// Its result.
    pub run: TestRun,
    /// The failure that it found, as it is on disk.
    pub failure: Option<(Record, Report)>,
}

/// Tells of comparisons, test by test.
#[derive(Debug)]
pub(crate) struct Comparison {
    layout: Layout,
    json: bool,
}

impl Comparison {
    /// For this terminal, or for programs.
    pub(crate) fn new(json: bool) -> Comparison {
        Comparison {
            layout: Layout::of_terminal(),
            json,
        }
    }

    /// The comparison begins.
    pub(crate) fn begin(&self, tests: usize, specs: &[Spec], seed: RunSeed) -> io::Result<()> {
        let seed = seed.number();
        if self.json {
            let strategies: Vec<_> = specs.iter().map(ToString::to_string).collect();
            let value = json!({ "tests": tests, "seed": seed, "strategies": strategies });
            return Json::line("comparison_started", value);
        }
        say(format!(
            "{} {} under {}, seed {seed}\n",
            paint(GOOD, &format!("{:>12}", "Comparing")),
            count(tests as u64, "test"),
            if specs.len() == 1 {
                "1 strategy".to_owned()
            } else {
                format!("{} strategies", number(specs.len() as u64))
            },
        ))
    }

    /// A test has run under each strategy.
    pub(crate) fn test(&self, name: &TestName, rows: &[Compared]) -> io::Result<()> {
        let distinct = distinct(rows);
        if self.json {
            let strategies: Vec<_> = rows.iter().map(row_json).collect();
            let failures: Vec<_> = distinct.iter().map(|report| report.json()).collect();
            let value = json!({
                "binary": name.binary,
                "test": name.test,
                "strategies": strategies,
                "failures": failures,
            });
            return Json::line("comparison", value);
        }
        let mut out = format!(
            "\n  {} {}\n",
            paint(FAINT, &name.binary),
            paint(STRONG, &name.test)
        );
        for line in table(rows, &self.layout).lines() {
            put!(out, "  {}\n", line.trim_end());
        }
        for row in rows {
            if let Some(claim) = Claim::of(&row.run) {
                put!(out, "  {}: {}\n", row.strategy, claim::text(&claim));
            }
        }
        for (strategy, reason) in rows.iter().filter_map(refusal) {
            put!(out, "  {} {strategy}: {reason}\n", paint(WARN, "warning:"));
        }
        out.push('\n');
        for report in distinct {
            out.push_str(&report.text(&self.layout, Detail::Around));
            out.push('\n');
        }
        say(out)
    }
}

/// One report for each bug: that of the first strategy that found it.
fn distinct(rows: &[Compared]) -> Vec<&Report> {
    let mut bugs: Vec<&Record> = Vec::new();
    let mut reports = Vec::new();
    for (record, report) in rows.iter().filter_map(|row| row.failure.as_ref()) {
        let is_same = |known: &&Record| same_end(known.bug.as_ref(), record.bug.as_ref());
        if !bugs.iter().any(is_same) {
            bugs.push(record);
            reports.push(report);
        }
    }
    reports
}

/// The columns that fit on a line of 100; programs are told all counters.
const HEAD: [&str; 10] = [
    "strategy",
    "first\nbug",
    "schedules",
    "distinct",
    "behaviours",
    "ns/step",
    "switches",
    "cut\noff",
    "all\nmade",
    "failure",
];

fn table(rows: &[Compared], layout: &Layout) -> String {
    let mut table = Table::new();
    let line = if layout.unicode { '─' } else { '-' };
    table
        .load_preset(presets::NOTHING)
        .set_style(TableComponent::HeaderLines, line)
        .set_style(TableComponent::MiddleHeaderIntersections, line)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(HEAD)
        .add_rows(rows.iter().map(cells));
    let last = HEAD.len() - 1;
    for (index, column) in table.column_iter_mut().enumerate() {
        if index > 0 && index < last {
            column.set_cell_alignment(CellAlignment::Right);
        }
        column.set_padding((u16::from(index > 0), 0));
    }
    table.to_string()
}

fn cells(row: &Compared) -> [String; 10] {
    let counters = &row.run.counters;
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    [
        row.strategy.to_string(),
        or_none(first_bug(row).map(number)),
        number(counters.schedules),
        told_apart(counters.distinct),
        or_none((counters.watched > 0).then(|| told_apart(counters.behaviours))),
        or_none(nanos_per_step(counters).map(number)),
        number(counters.switches),
        number(counters.cut_offs),
        claim::word(Claim::of(&row.run).as_ref()),
        or_none(
            row.failure
                .as_ref()
                .map(|(record, _)| record.id.to_string()),
        ),
    ]
}

fn first_bug(row: &Compared) -> Option<u64> {
    match &row.run.outcome {
        Outcome::Failed(finding) => Some(finding.iteration),
        _ => None,
    }
}

fn refusal(row: &Compared) -> Option<(&Spec, String)> {
    let reason = match &row.run.outcome {
        Outcome::Refused(reason) => reason.clone(),
        Outcome::FailedNatively(status) => format!("ran natively: {status}"),
        Outcome::Passed if row.run.started.is_none() => "ran natively".to_owned(),
        Outcome::Unfinished => format!("unfinished: {}", cut_off::unfinished(&row.run)),
        Outcome::Stopped => "stopped".to_owned(),
        Outcome::Passed | Outcome::Failed(_) => return None,
    };
    Some((&row.strategy, reason))
}

fn row_json(row: &Compared) -> serde_json::Value {
    json!({
        "strategy": row.strategy.to_string(),
        "first_bug": first_bug(row),
        "counters": row.run.counters,
        "claim": Claim::of(&row.run).as_ref().map(claim::value),
        "nanos_per_step": nanos_per_step(&row.run.counters),
        "seconds": row.run.elapsed.as_secs_f64(),
        "failure": row.failure.as_ref().map(|(record, _)| &record.id),
        "note": refusal(row).map(|(_, reason)| reason),
    })
}
