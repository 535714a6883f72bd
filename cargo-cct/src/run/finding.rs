//! A schedule that is kept, and whether it repeats.

use std::collections::BTreeSet;

use cct::config::Settings;
use cct::trace::{Schedule, Trace};
use cct::verdict::{Bug, Verdict};
use cct::wire::{Certain, Found, Panic};

use super::confirm::{Repeated, same_end};
use super::leads_to::LeadsTo;
use super::process::Launch;
use super::shrink::Shrinking;
use crate::failure::Id;

/// A schedule worth keeping, most often for its bug, and all that is known about how to get there.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    /// The iteration it was found in, from 1; 0 when it was led by hand.
    pub iteration: u64,
    /// The bug; none when the schedule is kept for its own sake.
    pub bug: Option<Bug>,
    /// How to get there; empty when the process died before the first schedule.
    pub schedule: Schedule,
    /// The trace, when the schedule could be repeated to its end.
    pub trace: Option<Trace>,
    /// Whether it repeats.
    pub repeats: Repeats,
    /// Set once it was tried to shrink it.
    pub shrinking: Option<Shrinking>,
    /// From where on it is certain, if that was found out.
    pub certain: Option<Certain>,
    /// The failure that it leads to, if it is a race and that was looked for.
    pub leads_to: Option<Box<LeadsTo>>,
    /// The race on record that leads to it.
    pub led_by: Option<Id>,
    /// Panics of workers that nobody noticed.
    pub unobserved: Vec<Panic>,
    /// The files that schedules of the test have both changed and depended on: why it may not repeat.
    pub shared_files: BTreeSet<String>,
    /// The output of the failing schedule.
    pub printed: String,
    /// The failure that is known, and whose schedule led to it.
    pub known: Option<KnownFailure>,
    /// The settings that it was found with.
    pub overrides: Settings,
    /// Likewise, those below the attribute.
    pub defaults: Settings,
}

/// A failure whose schedule was tried before the search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct KnownFailure {
    /// The failure.
    pub id: Id,
    /// The schedule is that of a file in `cct-regressions`; the one on record may be another.
    pub is_kept: bool,
}

/// Whether a finding repeats.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case", tag = "repeats", content = "instead")]
pub(crate) enum Repeats {
    /// It was not tried: the run was stopped.
    Unknown,
    /// The same schedule failed in the same way.
    Yes,
    /// It did not; something is not under control.
    No(String),
}

impl Finding {
    /// One of which is known what exploration says, by settings above and below the attribute.
    pub(super) fn new(
        found: Found,
        printed: String,
        (overrides, defaults): (Settings, Settings),
    ) -> Finding {
        Finding {
            iteration: found.iteration,
            bug: Some(found.bug),
            schedule: found.schedule,
            trace: None,
            repeats: Repeats::Unknown,
            shrinking: None,
            certain: None,
            leads_to: None,
            led_by: None,
            unobserved: Vec::new(),
            shared_files: BTreeSet::new(),
            printed,
            known: None,
            overrides,
            defaults,
        }
    }

    /// The same launch with the settings that it was found with.
    pub(super) fn launch<'a>(&'a self, like: &Launch<'a>) -> Launch<'a> {
        Launch {
            overrides: &self.overrides,
            defaults: &self.defaults,
            ..like.clone()
        }
    }

    /// True if a shorter schedule was looked for.
    pub(super) fn is_shrunk(&self) -> bool {
        let shrinking = self.shrinking.as_ref();
        shrinking.is_some_and(|shrinking| shrinking.executions > 0)
    }

    /// Takes in what came of the repetition.
    pub(crate) fn judge(&mut self, repeated: Repeated) {
        let same = same_end(self.bug.as_ref(), repeated.bug());
        match repeated {
            Repeated::Ended { replayed, output } => {
                self.repeats = match (&replayed.divergence, same) {
                    (Some(divergence), _) => Repeats::No(format!(
                        "at step {} it should have been {}, but it was {}",
                        divergence.step + 1,
                        divergence.expected,
                        divergence.found
                    )),
                    (None, true) => Repeats::Yes,
                    (None, false) => Repeats::No(ended_as(&replayed.verdict)),
                };
                if same {
                    if let Verdict::Failed(bug) = replayed.verdict {
                        // The repetition knows the objects by number.
                        self.bug = Some(*bug);
                    }
                    self.printed = output;
                }
                self.trace = Some(replayed.trace);
                self.unobserved = replayed.unobserved_panics;
            }
            Repeated::Died { bug, output } => {
                self.repeats = if same {
                    Repeats::Yes
                } else {
                    Repeats::No(bug.message.clone())
                };
                if same {
                    self.printed = output;
                    if self.bug.as_ref().is_some_and(|bug| bug.site.is_none()) {
                        self.bug = Some(bug);
                    }
                }
            }
            // That is about the machine.
            Repeated::Refused(_) | Repeated::Stopped => self.repeats = Repeats::Unknown,
        }
    }
}

fn ended_as(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Passed => "it passed".to_owned(),
        Verdict::CutOff => "it was cut off".to_owned(),
        Verdict::Failed(bug) => {
            format!(
                "it failed with: {}",
                bug.message.lines().next().unwrap_or_default()
            )
        }
    }
}
