//! The facts of a report, to be shown in another way than as text.

use std::borrow::Cow;

use cct::trace::{Site, Step, Trace};

use super::names::{self, Names};
use super::origin::Origin;
use super::{Layout, Report, certain, describe, printed, waits};
use crate::failure::Record;
use crate::run::{Length, is_preemption, is_switch};

/// A failure whose steps are known.
#[derive(Clone, Copy, Debug)]
pub(in crate::report) struct Facts<'a> {
    report: &'a Report,
    trace: &'a Trace,
}

/// A change of worker between a step and the one before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::report) enum Switch {
    /// Nothing: the same worker went on.
    None,
    /// The worker before could not have gone on, or gave way.
    Voluntary,
    /// The worker before could have gone on.
    Preemption,
}

impl Report {
    /// The facts; none if the steps are not known.
    pub(in crate::report) fn facts(&self) -> Option<Facts<'_>> {
        let trace = self.record.trace.as_ref()?;
        let known = Facts {
            report: self,
            trace,
        };
        (!trace.steps.is_empty()).then_some(known)
    }

    /// The failure.
    pub(in crate::report) fn record(&self) -> &Record {
        &self.record
    }

    /// How the test failed, in a word; then in a sentence.
    pub(in crate::report) fn verdict(&self) -> (&'static str, String) {
        let message = self.message_in(|text| Cow::Borrowed(text));
        let message = anstream::adapter::strip_str(&message).to_string();
        (self.label(), message.trim_end().to_owned())
    }

    /// The last lines that the test printed; empty if there are none.
    pub(in crate::report) fn own_output(&self) -> String {
        printed::last_lines(&self.record)
    }

    /// A line of the source, from 1.
    pub(in crate::report) fn source_line(&self, file: &str, line: u32) -> Option<String> {
        self.source.line(file, line)
    }
}

impl<'a> Facts<'a> {
    /// The trace.
    pub(in crate::report) fn trace(self) -> &'a Trace {
        self.trace
    }

    fn names(self) -> &'a Names {
        &self.report.names
    }

    /// How long the schedule is.
    pub(in crate::report) fn length(self) -> Length {
        Length::of(self.trace)
    }

    /// The step that failed, by index.
    pub(in crate::report) fn failing(self) -> usize {
        self.report.failing(self.trace)
    }

    /// From where on it is certain, in a sentence, and the step by index if it is not from the start.
    pub(in crate::report) fn certain(self) -> Option<(String, Option<usize>)> {
        let certain = self.report.record.certain.as_ref()?;
        Some((certain::words(certain), self.report.certain(self.trace)))
    }

    /// The worker in whose column a worker's steps are.
    pub(in crate::report) fn lane(self, worker: u32) -> u32 {
        self.names().lane(worker)
    }

    /// The worker: `w1`.
    pub(in crate::report) fn worker(self, worker: u32) -> String {
        self.names().worker(worker)
    }

    /// The worker in a sentence: `thread 1 spawned at lib.rs:27`.
    pub(in crate::report) fn title(self, worker: u32) -> String {
        self.names().title(worker)
    }

    /// An object's name.
    pub(in crate::report) fn object(self, object: u32) -> &'a str {
        self.names().object(object)
    }

    /// An object's kind, by an operation on it.
    pub(in crate::report) fn kind(step: &Step) -> &'static str {
        names::kind(step)
    }

    /// A step in words.
    pub(in crate::report) fn text(self, index: usize) -> String {
        describe::step(self.trace, self.names(), index)
    }

    /// The worker that this step made.
    pub(in crate::report) fn child(self, index: usize) -> Option<u32> {
        self.names().child(index)
    }

    /// The worker that an object stands for.
    pub(in crate::report) fn owner(self, object: u32) -> Option<u32> {
        self.names().owner(object)
    }

    /// The step's place as it is shown: in the user's code, if there is one.
    pub(in crate::report) fn place(self, step: &Step) -> Option<&'a Site> {
        names::place(self.trace, step)
    }

    /// Where the step is carried out, if that is in other code than the user's: the name of the crate.
    pub(in crate::report) fn crate_of(self, step: &Step) -> Option<String> {
        let site = names::site(self.trace, step)?;
        Origin::of(site).folded().map(str::to_owned)
    }

    /// The change of worker between this step and the one before.
    pub(in crate::report) fn switch(self, index: usize) -> Switch {
        let steps = &self.trace.steps;
        let before = index.checked_sub(1).and_then(|before| steps.get(before));
        let (Some(before), Some(step)) = (before, steps.get(index)) else {
            return Switch::None;
        };
        if is_preemption(self.trace, index - 1) {
            Switch::Preemption
        } else if is_switch(self.trace, before, step) {
            Switch::Voluntary
        } else {
            Switch::None
        }
    }

    /// Which worker waits for which, as in the text; empty when the bug is not about waiting.
    pub(in crate::report) fn waits(self) -> String {
        let layout = Layout::FILE;
        let bug = self.report.record.bug.as_ref();
        let text = bug.map(|bug| waits::text(bug, Some((self.trace, self.names())), &layout));
        anstream::adapter::strip_str(&text.unwrap_or_default()).to_string()
    }
}
