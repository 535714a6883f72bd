//! The report of one failure: what happened, step by step, and how to see it again.

mod actors;
mod calls;
mod certain;
mod cited;
mod columns;
mod describe;
mod early;
mod facts;
#[cfg(test)]
mod forms;
mod inside;
mod layout;
mod leads_to;
mod live;
mod names;
mod origin;
mod printed;
mod repeating;
mod rows;
mod short;
mod slice;
mod source;
mod stopped;
mod story;
mod table;
mod torn;
mod waits;
mod wanted;
mod whereabouts;

use std::borrow::Cow;
use std::path::Path;

use cct::operation::Operation;
use cct::trace::{Site, Step, Trace, WorkerKind};
use cct::verdict::{BugKind, Consequence};
use serde_json::{Value, json};

pub(crate) use calls::Stacks;
pub(super) use facts::{Facts, Switch};
pub(crate) use layout::{Detail, Layout};
pub(crate) use live::{Live, ended_as, failed_with};
pub(crate) use origin::Origin;

use self::inside::{Inside, short_path};
use self::names::Names;
use self::source::Source;
use self::stopped::Stopped;
use self::story::{Scene, Story};
use self::table::Table;
use self::torn::Torn;
use self::wanted::Wanted;
use super::bugs::words;
use super::shrinking;
use super::status::kept_label;
use super::style::{BAD, FAINT, STRONG, WARN, paint};
use super::words::{count, number, put, switches, why_not_the_same};
use crate::failure::Record;
use crate::report::bugs::is_at_a_statement;
use crate::report::visible::{visible, visible_on_a_line};
use crate::run::{Length, Repeats};

/// The version of [`Report::json`].
const VERSION: u32 = 1;

/// A failure with everything looked up that its report shows.
#[derive(Debug)]
pub(crate) struct Report {
    record: Record,
    source: Source,
    names: Names,
    /// The path of its picture, if there is one.
    picture: Option<String>,
    stacks: Stacks,
    /// The call into a dependency that is torn, where that is looked into.
    torn: Option<Torn>,
    /// The length of the schedule to which the failure's id leads, if it is another one.
    other: Option<Length>,
    /// The place where the replay has stopped, if it was told to.
    stopped: Option<Stopped>,
}

impl Report {
    /// Looks up what the report needs; `root` is the workspace that the sites' paths start from.
    pub(crate) fn of(record: &Record, root: &Path) -> Report {
        let source = Source::new(root).with(&record.provenance.chosen.named);
        let mut record = record.clone();
        columns::restore(&mut record, &source);
        // Programs have put text of their own into them.
        for label in record.trace.iter_mut().flat_map(|trace| &mut trace.labels) {
            *label = visible_on_a_line(label).into_owned();
        }
        let names = record.trace.as_ref().map(|trace| Names::of(trace, &source));
        Report {
            record,
            source,
            names: names.unwrap_or_default(),
            picture: None,
            stacks: Stacks::default(),
            torn: None,
            other: None,
            stopped: None,
        }
    }

    /// The same with so much of the workers' stacks.
    pub(crate) fn with_stacks(self, stacks: Stacks) -> Report {
        Report { stacks, ..self }
    }

    /// The same with the path of its picture.
    pub(crate) fn with_picture(self, picture: Option<String>) -> Report {
        Report { picture, ..self }
    }

    /// The same, where another schedule of this length is on record.
    pub(crate) fn with_other(self, other: Option<Length>) -> Report {
        Report { other, ..self }
    }

    /// The same as people are told it: a failure inside a dependency with that one's own steps.
    fn told(&self) -> Option<Report> {
        let scene = self.scene()?;
        let unexplained = !Story::is_explained(&scene);
        let inside = Inside::of(&self.record, &self.names, scene.failing, unexplained)?;
        let source = inside.source(&self.source);
        let names = Names::of(inside.record.trace.as_ref()?, &source);
        let files = inside.files.into_keys().collect();
        Some(Report {
            source,
            names: names.with_inner(inside.calls, files),
            torn: inside.torn,
            record: inside.record,
            picture: self.picture.clone(),
            stacks: self.stacks,
            other: self.other,
            stopped: None,
        })
    }

    /// The report for people.
    pub(crate) fn text(&self, layout: &Layout, detail: Detail) -> String {
        match self.told() {
            Some(told) => told.as_it_is(layout, detail),
            None => self.as_it_is(layout, detail),
        }
    }

    fn as_it_is(&self, layout: &Layout, detail: Detail) -> String {
        if let Some(stopped) = &self.stopped {
            return self.text_until(stopped, layout, detail);
        }
        let record = &self.record;
        let mut out = self.head(layout);
        out.push_str(&self.message());
        if !self.is_race() {
            out.push_str(&self.backtrace());
        }
        out.push_str(&self.story(layout));
        if self.is_race() {
            out.push_str(&self.backtrace());
        }
        out.push_str(&self.other_panics());
        if let Repeats::No(instead) = &record.repeats {
            out.push_str(&printed::below(record, &[]));
            let why = why_not_the_same(&record.shared_files);
            let warning = format!(
                "The schedule did not fail again: {instead};\n{why}.\n\
                 What follows is the repetition, not the failure.\n\n"
            );
            out.push_str(&paint(WARN, &warning));
        }
        if let Some(trace) = record
            .trace
            .as_ref()
            .filter(|trace| !trace.steps.is_empty())
        {
            out.push_str(&self.steps(trace, layout, detail));
        } else {
            out.push_str(&self.without_trace(layout));
            if self.is_of_failure() {
                out.push_str(&printed::below(record, &[]));
            }
        }
        if let Some(leads_to) = &record.leads_to {
            out.push_str(&leads_to::text(leads_to, layout));
            out.push('\n');
        }
        put!(
            out,
            "  {}    {replay}\n  {}     {replay} --debugger \"rust-gdb --args\"\n",
            paint(STRONG, "replay"),
            paint(STRONG, "debug"),
            replay = self.replay_command(),
        );
        if let Some(picture) = &self.picture {
            put!(out, "  {}   {picture}\n", paint(STRONG, "picture"));
        }
        out
    }

    /// True if it is of two accesses to the same memory.
    fn is_race(&self) -> bool {
        self.record
            .bug
            .as_ref()
            .is_some_and(|bug| bug.race.is_some())
    }

    /// True if the trace is of the execution that failed, and not of a repetition that went another way.
    fn is_of_failure(&self) -> bool {
        !matches!(self.record.repeats, Repeats::No(_))
    }

    /// The rule above a report: how it failed, which test, which id.
    fn head(&self, layout: &Layout) -> String {
        let record = &self.record;
        let label = self.label();
        let (name, id) = (record.name.to_string(), record.id.to_string());
        let rule = layout.pick("─", "-");
        let used = 3 + label.len() + name.chars().count() + id.len() + 3 + 5;
        let fill = rule.repeat(layout.width.min(100).saturating_sub(used).max(3));
        format!(
            "{} {} {} {} {} {}\n",
            rule.repeat(3),
            paint(BAD, label),
            paint(STRONG, &name),
            fill,
            paint(STRONG, &id),
            rule.repeat(3),
        )
    }

    /// The label of its test.
    pub(crate) fn label(&self) -> &'static str {
        if self.stopped.is_some() {
            return "STOPPED";
        }
        kept_label(self.record.bug.as_ref(), &self.record.repeats)
    }

    fn message(&self) -> String {
        self.message_in(visible)
    }

    /// The message with its text in this form.
    fn message_in(&self, form: fn(&str) -> Cow<'_, str>) -> String {
        let Some(bug) = &self.record.bug else {
            return "no failure: a schedule that was saved for its own sake\n\n".to_owned();
        };
        let what = words(bug.kind).title;
        let place = at(bug.site.as_ref());
        let is_by_one =
            |worker: &u32| *worker > 0 && !matches!(bug.kind, BugKind::Race | BugKind::Violation);
        let who = bug.worker.filter(is_by_one);
        let who = who.map(|worker| self.names.worker(worker));
        let who = who.map(|worker| format!("{worker} ")).unwrap_or_default();
        let separator = if bug.message.contains('\n') {
            ":\n"
        } else {
            ": "
        };
        let mut out = format!(
            "{who}{what}{place}{separator}{}\n",
            paint(
                STRONG,
                &no_command(&form(&printed::head_of(bug.message.trim_end())))
            )
        );
        if let Some(consequence) = &bug.led_to {
            let worker = self.names.worker(consequence.worker);
            let place = at(consequence.site.as_ref());
            let message = visible_on_a_line(first_line(&consequence.message));
            put!(out, "{worker} panicked in turn{place}: {message}\n");
        }
        out.push('\n');
        out
    }

    /// The backtrace of the panic that is the bug, or those of a race.
    fn backtrace(&self) -> String {
        let trace = self.record.trace.as_ref();
        let race = self.record.bug.as_ref().and_then(|bug| bug.race.as_deref());
        let text = match race {
            Some(race) => calls::of_race(race, &self.names, self.stacks),
            None => trace.map_or_else(String::new, |trace| {
                calls::of_panic(trace, self.failing(trace), self.stacks)
            }),
        };
        if text.is_empty() {
            text
        } else {
            format!("{text}\n")
        }
    }

    /// The failing schedule with its bug.
    fn scene(&self) -> Option<Scene<'_>> {
        let trace = self
            .record
            .trace
            .as_ref()
            .filter(|trace| !trace.steps.is_empty() && self.is_of_failure())?;
        Some(Scene {
            trace,
            names: &self.names,
            bug: self.record.bug.as_ref()?,
            failing: self.failing(trace),
            torn: self.torn,
            tells_callers: false,
        })
    }

    /// The paragraph about what happened.
    fn story(&self, layout: &Layout) -> String {
        let Some(scene) = self.scene() else {
            return String::new();
        };
        let text = Story::of(&scene).text(&scene);
        let text = layout.wrapped(&layout.text(&text));
        if text.is_empty() {
            text
        } else {
            format!("{text}\n")
        }
    }

    /// Panics that are not the bug: those that nobody noticed, and those of tasks, which what they print does
    /// not name.
    fn other_panics(&self) -> String {
        let record = &self.record;
        let mut out = String::new();
        let bug = record.bug.as_ref();
        let is_bug = |site: Option<&Site>, message: &str| {
            bug.is_some_and(|bug| {
                let led_to = bug.led_to.as_ref();
                let told = [(bug.site.as_ref(), &bug.message)].into_iter();
                let mut told = told.chain(led_to.map(|last| (last.site.as_ref(), &last.message)));
                told.any(|(at, text)| at == site && first_line(text) == first_line(message))
            })
        };
        for panic in &record.unobserved_panics {
            if !is_bug(panic.site.as_ref(), &panic.message) {
                let (worker, place) = (self.names.worker(panic.worker), at(panic.site.as_ref()));
                let message = visible(panic.message.trim_end());
                put!(
                    out,
                    "{worker} panicked{place} and nobody noticed: {message}\n"
                );
            }
        }
        let steps = record.trace.iter().flat_map(|trace| {
            let steps = trace.steps.iter();
            steps.map(move |step| (trace, step))
        });
        for (trace, step) in steps {
            let is_panic = names::operation(step) == Some(Operation::Panic);
            if !is_panic || self.names.kind(step.worker) != WorkerKind::Task {
                continue;
            }
            let (task, site) = (self.names.title(step.worker), names::site(trace, step));
            let message = describe::label(trace, step).unwrap_or_default();
            if !is_bug(site, message) {
                put!(out, "{task} panicked{}: {message}\n", at(site));
            }
        }
        if !out.is_empty() {
            out.push('\n');
        }
        out
    }

    fn steps(&self, trace: &Trace, layout: &Layout, detail: Detail) -> String {
        let bug = self.record.bug.as_ref().filter(|_| self.is_of_failure());
        // No step of a repetition is the one that failed.
        let failing = match bug {
            None if !self.is_of_failure() => trace.steps.len(),
            _ => self.failing(trace),
        };
        let (wanted, last) = (self.wanted(trace), self.last(trace));
        let rows = rows::rows(trace, &self.names, &wanted, last, detail);
        let by = match (self.record.iteration, &*trace.schedule.strategy) {
            (0, strategy) => strategy.to_owned(),
            (iteration, "") => format!("iteration {}", number(iteration)),
            (iteration, strategy) => format!("iteration {}, {strategy}", number(iteration)),
        };
        let mut out = self.heading(trace, &by, layout);
        out.push('\n');
        let end = self.end_of_column(trace);
        let table = Table {
            trace,
            names: &self.names,
            failing,
            certain: self.certain(trace),
            end,
        };
        out.push_str(&table.text(&rows, layout));
        out.push('\n');
        if let Some(certain) = &bug.and(self.record.certain) {
            let is_marked = table.certain.is_some();
            out.push_str(&certain::lines(certain, is_marked, layout));
            out.push('\n');
        }
        let waits = bug.map_or_else(String::new, |bug| {
            waits::text(bug, Some((trace, &self.names)), layout)
        });
        let whereabouts = bug.map_or_else(String::new, |bug| {
            whereabouts::text(bug, trace, &self.names, layout)
        });
        let repeating = repeating::text(bug, trace, &self.names);
        let early = early::text(trace, &self.names);
        let paragraphs = [&repeating, &early, &waits, &whereabouts];
        for paragraph in paragraphs.into_iter().filter(|it| !it.is_empty()) {
            out.push_str(paragraph);
            out.push('\n');
        }
        let tells_others = !waits.is_empty() || !whereabouts.is_empty();
        if self.stacks == Stacks::Full || self.stacks == Stacks::Short && tells_others {
            out.push_str(&calls::of_workers(trace, &self.names, self.stacks));
            out.push('\n');
        }
        let cited = cited::text(
            trace,
            &self.names,
            &rows,
            failing,
            bug.and_then(|bug| bug.site.as_ref()),
            &self.source,
            layout,
        );
        if !cited.is_empty() {
            out.push_str(&cited);
            out.push('\n');
        }
        if self.is_of_failure() {
            out.push_str(&printed::below(&self.record, &rows));
        }
        out
    }

    /// The lines above the table: how long the schedule is, and where it comes from.
    fn heading(&self, trace: &Trace, by: &str, layout: &Layout) -> String {
        let length = Length::of(trace);
        let mut out = format!(
            "{}: {}, {}, {}",
            match &self.record.bug {
                _ if !self.is_of_failure() => "Repetition",
                Some(_) => "Failing schedule",
                None => "Schedule",
            },
            count(length.steps, "step"),
            switches(length.switches),
            count(length.preemptions, "preemption"),
        );
        let by = format!("({by})");
        let is_beside = out.chars().count() + 2 + by.chars().count() <= layout.width;
        let space = if is_beside { "  " } else { "\n  " };
        put!(out, "{space}{}\n", paint(FAINT, &by));
        if let Some(shrinking) = &self.record.shrinking {
            let history = shrinking::history(shrinking, length, &self.record.id.to_string());
            put!(out, "  {}\n", paint(FAINT, &history));
        }
        if let Some(other) = self.other {
            let is = if other < length {
                "a shorter one"
            } else {
                "another one"
            };
            let other = shrinking::words(other);
            let other = format!("replays are of {is} on record: {other}");
            put!(out, "  {}\n", paint(FAINT, &other));
        }
        out
    }

    /// The panic that is the bug, else the last step of the worker that failed, or of all when no single
    /// one did.
    fn failing(&self, trace: &Trace) -> usize {
        let last = trace.steps.len().saturating_sub(1);
        let Some(bug) = &self.record.bug else {
            return last;
        };
        let Some(worker) = bug.worker else {
            return self.end_of_test(trace).unwrap_or(last);
        };
        let lane = |step: &Step| self.names.lane(step.worker);
        let is_it = |step: &Step| {
            lane(step) == worker
                && names::operation(step) == Some(Operation::Panic)
                && names::site(trace, step) == bug.site.as_ref()
        };
        let is_panic = is_at_a_statement(bug.kind);
        let panic = trace.steps.iter().rposition(is_it).filter(|_| is_panic);
        // A panic that came from elsewhere: the last that the user wrote was there before it unwound.
        let is_own = |step: &Step| {
            let site = names::site(trace, step);
            lane(step) == worker && site.is_some_and(|site| Origin::of(site) == Origin::User)
        };
        let own = || trace.steps.iter().rposition(is_own).filter(|_| is_panic);
        let by_worker = || trace.steps.iter().rposition(|step| step.worker == worker);
        panic.or_else(own).or_else(by_worker).unwrap_or(last)
    }

    /// Where something has not happened when the test is over: the last that its body did. All else is the
    /// end of others.
    fn end_of_test(&self, trace: &Trace) -> Option<usize> {
        let bug = self.record.bug.as_ref()?;
        let is_over = bug.is_at_the_end();
        let is_bodys = |step: &Step| {
            let counts = names::operation(step).is_some_and(Operation::counts_references);
            self.names.lane(step.worker) == 0 && !counts
        };
        let found = trace.steps.iter().rposition(is_bodys);
        found.filter(|_| is_over)
    }

    /// The last step that is worth a line: what is done while a panic unwinds has nothing to do with its
    /// cause, but that it leads to another one.
    fn last(&self, trace: &Trace) -> usize {
        let failing = self.failing(trace);
        let is_panic = |step: &Step| names::operation(step) == Some(Operation::Panic);
        if !trace.steps.get(failing).is_some_and(is_panic) {
            let last = trace.steps.len().saturating_sub(1);
            return self.end_of_test(trace).unwrap_or(last);
        }
        let led_to = self.record.bug.as_ref().and_then(|bug| bug.led_to.as_ref());
        let is_last = |last: &Consequence, step: &Step| {
            is_panic(step)
                && self.names.lane(step.worker) == last.worker
                && names::site(trace, step) == last.site.as_ref()
        };
        let found =
            led_to.and_then(|last| trace.steps.iter().rposition(|step| is_last(last, step)));
        found.map_or(failing, |last| last.max(failing))
    }

    /// The step after which the failure is certain, if there is one.
    fn certain(&self, trace: &Trace) -> Option<usize> {
        let certain = self.record.certain.as_ref()?;
        certain::step(certain, trace, &self.names)
    }

    /// The steps that are worth a line.
    fn wanted(&self, trace: &Trace) -> Wanted {
        let Some(scene) = self.scene() else {
            let last = self.failing(trace);
            return Wanted::from(trace, &self.names, [last].into());
        };
        let last = self.last(trace);
        let told = early::told(trace).chain([last]);
        let mut wanted = Wanted::of(&scene, &Story::of(&scene), told);
        wanted.required.extend(self.certain(trace));
        wanted
    }

    fn end_of_column(&self, trace: &Trace) -> Option<(u32, String, Option<Site>)> {
        let bug = self.record.bug.as_ref().filter(|_| self.is_of_failure())?;
        let failing = trace.steps.get(self.failing(trace))?;
        if names::operation(failing) == Some(Operation::Panic) {
            // It has a line of its own.
            return None;
        }
        let word = words(bug.kind).last_row?;
        let known = |worker: &u32| (*worker as usize) < trace.workers.len();
        let worker = bug.worker.filter(known).unwrap_or(0);
        Some((worker, word.to_owned(), bug.site.clone()))
    }

    /// The report of a process that did not live to tell its steps.
    fn without_trace(&self, layout: &Layout) -> String {
        let record = &self.record;
        let steps: u64 = record
            .schedule
            .runs
            .iter()
            .map(|run| u64::from(run.steps))
            .sum();
        let mut out = format!(
            "Failing schedule: {}, {}; no process lived to tell them, so it is not shrunk\n\n",
            count(steps, "step"),
            switches(record.schedule.runs.len().saturating_sub(1) as u64),
        );
        let Some(bug) = &record.bug else {
            return out;
        };
        let waits = waits::text(bug, None, layout);
        if !waits.is_empty() {
            out.push_str(&waits);
            out.push('\n');
        }
        if let Some(site) = &bug.site
            && let Some(line) = self.source.line(&site.file, site.line)
        {
            let bar = layout.pick("│", "|");
            put!(out, "  {}\n  {:>4} {bar} {line}\n\n", site.file, site.line);
        }
        out
    }

    /// The report for programs.
    pub(crate) fn json(&self) -> Value {
        let inside = self.told();
        let told = inside.as_ref().unwrap_or(self);
        let record = &self.record;
        let trace = record.trace.as_ref();
        let length = trace.map(Length::of);
        let workers = trace.map(|trace| {
            (0..).zip(&trace.workers).map(|(number, worker)| {
                json!({
                    "label": names::worker(number),
                    "kind": worker.kind,
                    "title": self.names.title(number),
                    "name": worker.name,
                    "spawned_at": worker.spawned_at,
                })
            })
        });
        let objects = trace.map(|trace| {
            (0..).zip(&trace.objects).map(|(number, object)| {
                json!({ "name": self.names.object(number), "address": object.address })
            })
        });
        let steps = trace.map(|trace| {
            trace
                .steps
                .iter()
                .enumerate()
                .map(|(index, step)| self.step_json(trace, index, step))
        });
        let prints = trace.map(|trace| {
            trace.prints.iter().map(|print| {
                json!({
                    "worker": names::worker(print.worker),
                    "step": (print.after as usize).checked_sub(1).map(|before| self.names.step(before)),
                    "stream": if print.is_error { "stderr" } else { "stdout" },
                    "text": print.text,
                    "ends_line": print.ends_line,
                })
            })
        });
        json!({
            "version": VERSION,
            "id": record.id,
            "binary": record.name.binary,
            "test": record.name.test,
            "package": record.provenance.package,
            "status": self.label(),
            "bug": record.bug,
            "summary": told.scene().map(|scene| Story::of(&scene).json(&scene)),
            "repeats": record.repeats,
            "iteration": record.iteration,
            "seed": record.provenance.run_seed,
            "strategy": record.schedule.strategy,
            "tool": record.provenance.tool,
            "rustc": record.provenance.rustc,
            "switches": length.map(|length| length.switches),
            "shrunk": record.shrinking,
            "shorter_on_record": self.other.filter(|&other| length.is_some_and(|length| other < length)),
            "certain": record.certain,
            "leads_to": record.leads_to,
            "led_by": record.led_by,
            "repeating": trace.map(|trace| repeating::json(record.bug.as_ref(), trace, &self.names)),
            "preemptions": length.map(|length| length.preemptions),
            "workers": workers.map(Iterator::collect::<Vec<_>>),
            "objects": objects.map(Iterator::collect::<Vec<_>>),
            "steps": steps.map(Iterator::collect::<Vec<_>>),
            "unobserved_panics": record.unobserved_panics,
            "prints": prints.map(Iterator::collect::<Vec<_>>),
            "printed": record.printed,
            "whereabouts": trace
                .zip(record.bug.as_ref())
                .and_then(|(trace, bug)| whereabouts::json(bug, trace)),
            "stopped": self.stopped_json(),
            "replay": self.replay_command(),
        })
    }

    fn step_json(&self, trace: &Trace, index: usize, step: &Step) -> Value {
        json!({
            "step": self.names.step(index),
            "note": step.note,
            "worker": names::worker(step.worker),
            "thread": step.thread.map(names::worker),
            "operation": names::operation(step).map(cct::operation::Operation::name),
            "object": step.object.map(|object| self.names.object(object)),
            "site": names::site(trace, step).map(ToString::to_string),
            "caller": names::caller(trace, step).map(ToString::to_string),
            "outcome": step.outcome,
            "read": step.read.map(|value| value.to_string()),
            "written": step.written.map(|value| value.to_string()),
            "ahead_of": step.ahead_of.iter().copied().map(names::worker).collect::<Vec<_>>(),
            "text": describe::step(trace, &self.names, index),
        })
    }
}

fn at(site: Option<&Site>) -> String {
    site.map_or_else(String::new, |site| {
        let file = short_path(&site.file);
        format!(" at {file}:{}:{}", site.line, site.column)
    })
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// The text without lines that GitHub's runner takes for commands.
fn no_command(text: &str) -> String {
    let lines = text.split('\n').map(|line| match line {
        line if line.starts_with("::") || line.starts_with("##[") => format!(" {line}"),
        line => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}
