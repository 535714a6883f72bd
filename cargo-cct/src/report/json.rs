//! A run for programs: one JSON object a line, each with the version and its kind.

use std::io;

use cct::wire::Counters;
use serde_json::{Value, json};

use super::out::say_plainly;
use super::words::isolated;
use super::{Reported, Reporter, Summary, claim, machines, status, tried};
use crate::build::cargo::Executable;
use crate::results::Joined;
use crate::run::{Claim, Outcome, RunSeed, TestName, TestRun};

/// The version of the lines.
pub(crate) const VERSION: u32 = 1;

/// Writes to standard output.
#[derive(Debug)]
pub(crate) struct Json;

impl Json {
    /// Writes one object; `kind` says what it is.
    pub(crate) fn line(kind: &str, value: Value) -> io::Result<()> {
        let mut line = json!({ "version": VERSION, "event": kind });
        if let (Some(line), Value::Object(value)) = (line.as_object_mut(), value) {
            line.extend(value);
        }
        say_plainly(format_args!("{line}\n"))
    }

    /// Which test executables there are, of those that are under control.
    pub(crate) fn executables(executables: &[Executable]) -> io::Result<()> {
        let controlled = executables
            .iter()
            .filter(|executable| executable.marker.is_some());
        for executable in controlled {
            Json::line(
                "executable",
                json!({
                    "binary": executable.label,
                    "path": executable.path,
                    "folder": executable.folder,
                }),
            )?;
        }
        Ok(())
    }
}

impl Reporter for Json {
    fn begin(&mut self, tests: usize, seed: RunSeed) -> io::Result<()> {
        Json::line(
            "run_started",
            json!({ "tests": tests, "seed": seed.number() }),
        )
    }

    fn earlier(&mut self, name: &TestName, test: &Joined, failure: Reported<'_>) -> io::Result<()> {
        let first = test.failures.first();
        Json::line(
            "test_earlier",
            json!({
                "binary": name.binary,
                "test": name.test,
                "outcome": test.outcome(),
                "status": test.status,
                "reason": test.reason,
                "controlled": !test.is_native,
                "seconds": test.seconds,
                "first_bug": first.map(|(_, iteration)| iteration),
                "counters": test.counters,
                "distinct_is_exact": test.is_exact,
                "claim": test.claim.as_ref().map(claim::value),
                "failure": failure.map(|(_, report)| report.json()),
            }),
        )
    }

    fn begun(&mut self, name: &TestName) -> io::Result<()> {
        Json::line("test_started", json!(name))
    }

    fn progress(&mut self, name: &TestName, counters: &Counters) -> io::Result<()> {
        Json::line(
            "progress",
            json!({ "binary": name.binary, "test": name.test, "counters": counters }),
        )
    }

    fn ended(
        &mut self,
        run: &TestRun,
        native: Option<&str>,
        failure: Reported<'_>,
    ) -> io::Result<()> {
        let outcome = match &run.outcome {
            Outcome::Passed => "passed",
            Outcome::Unfinished => "unfinished",
            outcome if outcome.is_flaky() => "flaky",
            Outcome::Failed(_) | Outcome::FailedNatively(_) => "failed",
            Outcome::Refused(_) => "refused",
            Outcome::Stopped => "stopped",
        };
        Json::line(
            "test_ended",
            json!({
                "binary": run.name.binary,
                "test": run.name.test,
                "outcome": outcome,
                "status": status::label(run),
                "reason": status::reason(run),
                "controlled": run.is_controlled(),
                "native": native,
                "seconds": run.elapsed.as_secs_f64(),
                "seed": run.started.as_ref().map(|started| started.seed),
                "strategy": run.started.as_ref().map(|started| &started.strategy),
                "first_bug": match &run.outcome {
                    Outcome::Failed(finding) => Some(finding.iteration),
                    _ => None,
                },
                "counters": run.counters,
                "claim": Claim::of(run).as_ref().map(claim::value),
                "tried": tried::json(&run.tried),
                "diverged": run.diverged,
                "isolation": run.started.as_ref().map(|started| &started.isolation),
                "isolated_since": run.leak.as_ref().map(isolated),
                "shared_files": run.shared_files,
                "uncontrolled": run.uncontrolled,
                "machines": run.covered.machines.iter().map(machines::json_of_type).collect::<Vec<_>>(),
                "failure": failure.map(|(_, report)| report.json()),
            }),
        )
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        let failures = summary.failures.iter().map(|failed| {
            json!({
                "status": failed.status,
                "binary": failed.name.binary,
                "test": failed.name.test,
                "id": failed.id,
            })
        });
        Json::line(
            "run_ended",
            json!({
                "seed": summary.seed,
                "passed": summary.passed,
                "native": summary.native,
                "failed": summary.failed,
                "flaky": summary.flaky,
                "unfinished": summary.unfinished,
                "refused": summary.refused,
                "earlier": summary.earlier,
                "not_run": summary.not_run,
                "left_out": summary.left_out,
                "exhausted": summary.exhausted,
                "exhausted_but_for": summary.but_for,
                "counters": summary.counters,
                "seconds": summary.elapsed.as_secs_f64(),
                "machines": summary.pictures,
                "failures": failures.collect::<Vec<_>>(),
            }),
        )
    }
}
