//! A run for people: a line for each test, the first failures in full, a summary at the end.

use std::collections::BTreeMap;
use std::env;
use std::io::{self, IsTerminal as _};
use std::time::Duration;

use cct::wire::Counters;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::commands::command;
use super::counters;
use super::failure::{Detail, Layout};
use super::out::say;
use super::style::{BAD, FAINT, GOOD, NOTE, STRONG, WARN, paint};
use super::tried::{self, Remark};
use super::visible::visible_on_a_line;
use super::words::{count, distinct, duration, isolated, number, put, switches, why_not_the_same};
use super::{Reported, Reporter, Summary, claim, machines as covered, shrinking, status};
use crate::run::{Outcome, Repeats, RunSeed, TestName, TestRun};

/// How many failures are shown in full; of the rest there is a line each.
const IN_FULL: usize = 5;

/// Writes to standard output; the bar, if there is one, is on standard error.
#[derive(Debug)]
pub(crate) struct Human {
    layout: Layout,
    verbose: bool,
    show_output: bool,
    bar: ProgressBar,
    schedules: BTreeMap<TestName, u64>,
    done: u64,
    shown: usize,
}

impl Human {
    /// For this terminal.
    pub(crate) fn new(verbose: bool, show_output: bool) -> Human {
        Human {
            layout: Layout::of_terminal(),
            verbose,
            show_output,
            bar: ProgressBar::hidden(),
            schedules: BTreeMap::new(),
            done: 0,
            shown: 0,
        }
    }

    fn print(&self, text: &str) -> io::Result<()> {
        self.bar.suspend(|| say(text))
    }

    fn details(&self, run: &TestRun) -> String {
        let mut out = String::new();
        let remarks = tried::remarks(&run.tried, self.verbose);
        for remark in &remarks {
            if let Remark::Note(text) = remark {
                put!(out, "{:>13}{} {text}\n", "", paint(NOTE, "note:"));
            }
        }
        if let Some(leak) = &run.leak {
            put!(
                out,
                "{:>13}{} {}\n",
                "",
                paint(NOTE, "note:"),
                isolated(leak)
            );
        }
        let mut warn = |text: &str| {
            put!(out, "{:>13}{} {text}\n", "", paint(WARN, "warning:"));
        };
        for remark in &remarks {
            if let Remark::Warning(text) = remark {
                warn(text);
            }
        }
        if let Some(divergence) = &run.diverged {
            warn(&format!(
                "its first schedule ran twice and differed at step {}: first {}, then {}; {}",
                divergence.step + 1,
                divergence.expected,
                divergence.found,
                why_not_the_same(&run.shared_files)
            ));
        }
        if let Outcome::Failed(finding) = &run.outcome
            && let Repeats::No(instead) = &finding.repeats
        {
            warn(&format!(
                "the failing schedule did not fail again: {instead}; {}",
                why_not_the_same(&finding.shared_files)
            ));
        }
        for what in &run.uncontrolled {
            // The reason why a test was not explored has to be told; the rest is for users who ask.
            if self.verbose || run.started.is_none() {
                warn(&format!("not controlled: {what}"));
            }
        }
        for used in &run.counters.outside {
            warn(&format!(
                "not controlled: {} ({}); a replay may differ",
                used.what,
                count(used.times, "time")
            ));
        }
        if run.counters.failed_before > 0 {
            warn(&format!(
                "{} failed in earlier runs and will not be made again: see `cargo cct list`",
                count(run.counters.failed_before, "schedule")
            ));
        }
        if let Some(error) = &run.counters.resume_error {
            warn(&format!("the search cannot be resumed from here: {error}"));
        }
        for panic in &run.counters.unobserved_panics {
            let place = panic
                .site
                .as_ref()
                .map(|site| format!(" at {}:{}", site.file, site.line))
                .unwrap_or_default();
            let name = panic
                .name
                .as_deref()
                .map(|name| format!(" `{name}`"))
                .unwrap_or_default();
            let message = panic.message.lines().next().unwrap_or_default();
            let message = visible_on_a_line(message);
            warn(&format!(
                "worker {}{name} panicked{place} and nobody noticed: {message}",
                panic.worker
            ));
        }
        if let Outcome::Refused(reason) = &run.outcome {
            warn(reason);
        }
        let native_failure = matches!(run.outcome, Outcome::FailedNatively(_));
        if (native_failure || self.show_output) && !run.printed.is_empty() {
            for line in run.printed.lines() {
                put!(out, "{:>13}{line}\n", "");
            }
        }
        out
    }
}

impl Reporter for Human {
    fn begin(&mut self, tests: usize, seed: RunSeed) -> io::Result<()> {
        if tests == 0 {
            return Ok(());
        }
        let seed = seed.number();
        self.print(&format!(
            "{} {}, seed {seed}\n",
            paint(GOOD, &format!("{:>12}", "Exploring")),
            count(tests as u64, "test"),
        ))?;
        if io::stderr().is_terminal() && env::var_os("CI").is_none() {
            let style = "{elapsed_precise:.dim} [{bar:30}] {pos}/{len} tests, {wide_msg}";
            let style = ProgressStyle::with_template(style).map_err(io::Error::other)?;
            let target = ProgressDrawTarget::stderr_with_hz(8);
            self.bar = ProgressBar::with_draw_target(Some(tests as u64), target)
                .with_style(style.progress_chars("=> "));
            self.bar.enable_steady_tick(Duration::from_millis(250));
        }
        Ok(())
    }

    fn begun(&mut self, name: &TestName) -> io::Result<()> {
        self.schedules.insert(name.clone(), 0);
        Ok(())
    }

    fn progress(&mut self, name: &TestName, counters: &Counters) -> io::Result<()> {
        self.schedules.insert(name.clone(), counters.schedules);
        let schedules = self.done + self.schedules.values().sum::<u64>();
        let running = match self.schedules.keys().next() {
            Some(first) if self.schedules.len() == 1 => first.to_string(),
            Some(first) => format!("{first} and {} more", self.schedules.len() - 1),
            None => String::new(),
        };
        self.bar
            .set_message(format!("{}: {running}", count(schedules, "schedule")));
        Ok(())
    }

    fn shrinks(&mut self, name: &TestName, executions: u64) -> io::Result<()> {
        self.bar.set_message(shrinking::status(name, executions));
        Ok(())
    }

    fn ended(
        &mut self,
        run: &TestRun,
        native: Option<&str>,
        failure: Reported<'_>,
    ) -> io::Result<()> {
        self.schedules.remove(&run.name);
        self.done += run.counters.schedules;
        self.bar.inc(1);
        let mut text = status::line(run, native, failure.map(|(record, _)| record));
        text.push('\n');
        if self.verbose && native.is_none() {
            text.push_str(&counters::table(run));
        }
        text.push_str(&self.details(run));
        if let Some((_, report)) = failure {
            self.shown += 1;
            if self.shown <= IN_FULL {
                text.push_str(&report.text(&self.layout, Detail::Around));
                text.push('\n');
            }
        }
        self.print(&text)
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        self.bar.finish_and_clear();
        let counters = &summary.counters;
        let rule = if self.layout.unicode { "─" } else { "-" };
        let failed = summary.ran() - summary.passed;
        let mut parts = vec![format!("{} passed", number(summary.passed as u64))];
        let mut part = |n: usize, style, what: &str| {
            if n > 0 {
                parts.push(paint(style, &format!("{} {what}", number(n as u64))));
            }
        };
        part(summary.failed, BAD, "failed");
        part(summary.flaky, WARN, "flaky");
        part(summary.unfinished, BAD, "unfinished");
        part(summary.refused, BAD, "refused");
        part(summary.not_run, WARN, "not run");
        part(summary.native, FAINT, "not under control");
        part(summary.earlier, FAINT, "by earlier commands");
        part(summary.left_out, FAINT, "left out");
        let mut out = format!("{}\n", paint(FAINT, &rule.repeat(12)));
        put!(
            out,
            "{} [{:>8}] {}: {}\n",
            paint(
                if failed > 0 { BAD } else { GOOD },
                &format!("{:>12}", "Summary")
            ),
            duration(summary.elapsed),
            count(summary.ran() as u64, "test"),
            parts.join(", ")
        );
        put!(
            out,
            "{:>24}{}, {}, {}, {}; seed {}\n",
            "",
            count(counters.schedules, "schedule"),
            distinct(counters.distinct),
            count(counters.steps, "step"),
            count(counters.cut_offs, "cut-off"),
            summary.seed
        );
        if self.verbose {
            put!(
                out,
                "{:>24}{}, {}, {} at most; {}\n",
                "",
                count(counters.choice_points, "choice point"),
                switches(counters.switches),
                count(counters.concurrency.into(), "candidate"),
                claim::of_tests(summary)
            );
        }
        out.push_str(&machines(summary));
        for failed in &summary.failures {
            let id = failed.id.as_deref().unwrap_or_default();
            put!(
                out,
                "{} {}   {}\n",
                paint(BAD, &format!("{:>12}", failed.status)),
                failed.name,
                paint(STRONG, id)
            );
        }
        let ids: Vec<_> = summary
            .failures
            .iter()
            .filter_map(|failed| failed.id.as_deref())
            .collect();
        if ids.len() > IN_FULL {
            let show = command("show", "<id>");
            out.push_str(&paint(NOTE, &format!("the reports of the rest: {show}\n")));
        }
        self.print(&out)
    }
}

/// A line for each type of machine, and where their pictures are.
fn machines(summary: &Summary) -> String {
    let mut out = String::new();
    for (binary, all) in summary.machines.merged() {
        for machine in &all.machines {
            let title = if out.is_empty() { "Machines" } else { "" };
            put!(
                out,
                "{} {} {}\n",
                paint(GOOD, &format!("{title:>12}")),
                paint(FAINT, binary),
                covered::line(machine)
            );
        }
    }
    if let Some(folder) = summary.pictures.as_ref().filter(|_| !out.is_empty()) {
        put!(
            out,
            "{:>13}{}\n",
            "",
            paint(FAINT, &format!("pictures in {folder}"))
        );
    }
    out
}
