//! The test that is led, and how its schedule is kept.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use cct::wire::Question;

use super::guide::Guide;
use crate::command::keeper::Keeper;
use crate::report::saved;
use crate::run::{
    Finding, Launch, Lead, Led, Repeated, Repeats, Scratch, Stop, TestName, interact, repeat,
};

/// A test to be led.
#[derive(Debug)]
pub(in crate::command) struct Subject<'a> {
    /// The test, as it is run.
    pub launch: Launch<'a>,
    /// Its name.
    pub name: TestName,
    /// The index of its executable.
    pub executable: usize,
    /// The schedule that it begins as, which is followed at first.
    pub lead: Lead<'a>,
    /// How long the test may be silent when nothing is asked.
    pub hang_timeout: Duration,
    /// Where files go.
    pub scratch: &'a Scratch,
    /// Set when everything is to end.
    pub stop: &'a Stop,
    /// Keeps what is saved.
    pub keeper: &'a Keeper<'a>,
}

impl Subject<'_> {
    /// Runs it once; `answer` is asked each question, and ends the process by none.
    pub(super) fn run(
        &self,
        answer: impl FnMut(Question, &Path) -> Option<u32>,
    ) -> anyhow::Result<Led> {
        let (timeout, scratch) = (self.hang_timeout, self.scratch);
        let led = interact(&self.launch, self.lead, timeout, scratch, self.stop, answer);
        Ok(led?)
    }

    /// The guide that is followed at first, if there is one.
    pub(super) fn guide(&self) -> Option<Guide> {
        match self.lead {
            Lead::Fresh => None,
            Lead::Like(schedule) => Some(Guide::new(Some(schedule.clone()))),
            Lead::After(_) => Some(Guide::new(None)),
        }
    }

    /// Repeats what was led, and keeps it; says so.
    pub(super) fn save(&self, led: &Led) -> anyhow::Result<String> {
        let mut finding = Finding {
            iteration: 0,
            bug: led.end.bug().cloned(),
            schedule: led.schedule.clone(),
            trace: None,
            repeats: Repeats::Unknown,
            shrinking: None,
            certain: None,
            leads_to: None,
            led_by: None,
            unobserved: Vec::new(),
            shared_files: BTreeSet::new(),
            printed: String::new(),
            known: None,
            overrides: self.launch.overrides.clone(),
            defaults: self.launch.defaults.clone(),
        };
        if let Repeated::Ended { replayed, output } = &led.end {
            finding.schedule = replayed.trace.schedule.clone();
            finding.printed.clone_from(output);
        }
        let schedule = finding.schedule.clone();
        let repeated = repeat(
            &self.launch,
            &schedule,
            self.hang_timeout,
            self.scratch,
            self.stop,
        )?;
        finding.judge(repeated);
        let name = self.name.clone();
        let (record, _) = self.keeper.keep(name, self.executable, &finding, None)?;
        Ok(saved(&record))
    }
}
