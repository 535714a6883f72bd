//! The report of a replay that has stopped before a step: the steps up to there, and where everybody is.

use cct::operation::Operation;
use cct::trace::{Outcome, Site, Trace, WorkerKind};
use serde_json::{Value, json};

use super::calls::{self, Stacks};
use super::layout::{Detail, Layout};
use super::source::short_site;
use super::table::Table;
use super::{Report, cited, describe, names, printed, rows};
use crate::report::style::{FAINT, STRONG, WARN, paint};
use crate::report::words::{count, put, switches};
use crate::run::Length;

/// The margin of a call.
const CALL: &str = "            ";

/// A replay that has stopped: the report has the steps up to there.
#[derive(Clone, Debug)]
pub(super) struct Stopped {
    /// All steps of the execution, those included that do not happen any more.
    whole: Trace,
    /// The step that comes next, by index.
    next: usize,
}

/// The place of a worker.
enum Where<'a> {
    /// It does this next, the step with that index.
    Before(usize, &'a Site),
    /// It waits in this step.
    Waits(usize, &'a Site),
    /// It has no step any more.
    AtEnd,
}

impl Report {
    /// The same, of a replay that has stopped before the step with this index; `happened` has where
    /// everybody is.
    pub(crate) fn stopped_before(self, next: usize, happened: &Trace, printed: String) -> Report {
        let mut report = self;
        let record = &mut report.record;
        let Some(trace) = &mut record.trace else {
            return report;
        };
        let whole = trace.clone();
        trace.steps.truncate(next);
        trace.prints.retain(|print| print.after as usize <= next);
        trace.backtraces.clone_from(&happened.backtraces);
        trace.awaits.clone_from(&happened.awaits);
        record.bug = None;
        record.unobserved_panics.clear();
        record.printed = printed;
        report.stopped = Some(Stopped { whole, next });
        report
    }

    pub(super) fn text_until(&self, stopped: &Stopped, layout: &Layout, detail: Detail) -> String {
        let (whole, next) = (&stopped.whole, stopped.next);
        let mut out = self.head(layout);
        let number = self.names.step(next);
        let who = self.names.worker(whole.steps[next].worker);
        let action = describe::action(whole, &self.names, next);
        let site = names::place(whole, &whole.steps[next]);
        let site = site.map(|site| format!(" at {site}")).unwrap_or_default();
        put!(
            out,
            "stopped before step {number} of {}, as it was told\n{}\n\n",
            whole.len(),
            paint(STRONG, &format!("{who} is next: {action}{site}"))
        );
        let trace = self.record.trace.as_ref();
        let Some(trace) = trace.filter(|trace| !trace.steps.is_empty()) else {
            return out;
        };
        let length = Length::of(trace);
        put!(
            out,
            "Up to there: {}, {}, {}\n\n",
            count(length.steps, "step"),
            switches(length.switches),
            count(length.preemptions, "preemption"),
        );
        let last = trace.steps.len() - 1;
        let rows = rows::rows(trace, &self.names, &self.wanted(trace), last, detail);
        let table = Table {
            trace,
            names: &self.names,
            failing: trace.steps.len(),
            end: None,
            certain: None,
        };
        out.push_str(&table.text(&rows, layout));
        out.push('\n');
        out.push_str(&self.whereabouts(stopped, trace));
        out.push('\n');
        if self.stacks != Stacks::Own {
            out.push_str(&calls::of_workers(trace, &self.names, self.stacks));
            out.push('\n');
        }
        let source = &self.source;
        let cited = cited::text(trace, &self.names, &rows, last + 1, None, source, layout);
        if !cited.is_empty() {
            out.push_str(&cited);
            out.push('\n');
        }
        out.push_str(&printed::below(&self.record, &rows));
        out
    }

    /// The places of all workers, one below the other.
    fn whereabouts(&self, stopped: &Stopped, trace: &Trace) -> String {
        let mut out = format!("  {}\n", paint(STRONG, "where everybody is"));
        for worker in workers(trace) {
            let who = self.who(worker, trace);
            let who = paint(WARN, &format!("{who:<5}"));
            match stopped.place_of(worker, trace) {
                Where::Before(step, site) => put!(
                    out,
                    "    {who} {} before step {}, {}\n",
                    short_site(site),
                    self.names.step(step),
                    describe::action(&stopped.whole, &self.names, step)
                ),
                Where::Waits(step, site) => put!(
                    out,
                    "    {who} {} waits since step {}, {}\n",
                    short_site(site),
                    self.names.step(step),
                    describe::action(&stopped.whole, &self.names, step)
                ),
                Where::AtEnd => put!(out, "    {who} {}\n", paint(FAINT, "makes no more steps")),
            }
            if let Where::Before(_, site) | Where::Waits(_, site) = stopped.place_of(worker, trace)
            {
                out.push_str(&calls::own(trace, worker, site, CALL));
                out.push_str(&calls::awaits(trace, worker, site, CALL));
            }
        }
        out
    }

    /// The worker's name, which a thread leaves to the future that it blocks on.
    fn who(&self, worker: u32, trace: &Trace) -> String {
        let is_driver =
            workers(trace).any(|other| self.names.kind(other) == WorkerKind::Root(worker));
        let name = self.names.worker(worker);
        if is_driver {
            format!("{name}'s executor")
        } else {
            name
        }
    }

    /// The same for programs.
    pub(super) fn stopped_json(&self) -> Option<Value> {
        let stopped = self.stopped.as_ref()?;
        let trace = self.record.trace.as_ref()?;
        let (whole, next) = (&stopped.whole, stopped.next);
        let workers = workers(trace).map(|worker| {
            let (is, step, site) = match stopped.place_of(worker, trace) {
                Where::Before(step, site) => ("before", Some(step), Some(site)),
                Where::Waits(step, site) => ("waits", Some(step), Some(site)),
                Where::AtEnd => ("at_end", None, None),
            };
            json!({
                "worker": names::worker(worker),
                "is": is,
                "step": step.map(|step| self.names.step(step)),
                "site": site.map(ToString::to_string),
                "calls": calls::known(trace, worker),
            })
        });
        let step = &whole.steps[next];
        Some(json!({
            "before": self.names.step(next),
            "worker": names::worker(step.worker),
            "site": names::place(whole, step).map(ToString::to_string),
            "text": describe::action(whole, &self.names, next),
            "workers": workers.collect::<Vec<_>>(),
        }))
    }
}

impl Stopped {
    fn place_of(&self, worker: u32, trace: &Trace) -> Where<'_> {
        let is_own = |index: &usize| {
            let step = &self.whole.steps[*index];
            step.worker == worker && !step.note
        };
        let place = |index: usize| names::place(&self.whole, &self.whole.steps[index]);
        let last = (0..trace.steps.len()).rev().find(is_own);
        let last = last.filter(|&index| self.whole.steps[index].outcome == Outcome::Waits);
        if let Some((index, site)) = last.and_then(|index| Some((index, place(index)?)))
            && index < self.next
            && self.whole.steps[self.next].worker != worker
        {
            return Where::Waits(index, site);
        }
        let next = (self.next..self.whole.steps.len()).find(is_own);
        match next.and_then(|index| Some((index, place(index)?))) {
            Some((index, site)) => Where::Before(index, site),
            None => Where::AtEnd,
        }
    }
}

/// The workers that are there and have not ended.
fn workers(trace: &Trace) -> impl Iterator<Item = u32> {
    let has_ended = |worker: u32| {
        let mut steps = trace.steps.iter();
        steps.any(|step| step.worker == worker && names::operation(step) == Some(Operation::End))
    };
    let has_begun = |worker: u32| {
        let info = &trace.workers[worker as usize];
        let made = info
            .made_by
            .is_none_or(|step| (step as usize) < trace.steps.len());
        made && info.kind != WorkerKind::WakeUp
    };
    (0..trace.workers.len() as u32).filter(move |&worker| has_begun(worker) && !has_ended(worker))
}
