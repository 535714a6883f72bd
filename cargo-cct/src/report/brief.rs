//! How a test failed in a few lines, for those who have room for no more.

use super::failure::Report;
use super::{cut_off, plain, status};
use crate::run::{Outcome, Repeats, TestRun};

/// A test that did not pass, in short.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Brief {
    /// The word for how it ended.
    pub label: &'static str,
    /// False if it was only stopped.
    pub is_failure: bool,
    /// True if it would not begin.
    pub is_refusal: bool,
    /// The mistake, and where it was.
    pub message: String,
    /// The paragraph about what happened; empty where there is none.
    pub story: String,
    /// The command that repeats it.
    pub replay: Option<String>,
    /// File and line in the user's code.
    pub place: Option<(String, u32)>,
}

impl Brief {
    /// Of a test that did not pass.
    pub(crate) fn of(run: &TestRun, report: Option<&Report>) -> Option<Brief> {
        let mut message = match &run.outcome {
            Outcome::Passed => return None,
            Outcome::Unfinished => cut_off::unfinished(run),
            Outcome::Failed(finding) => {
                let bug = finding.bug.as_ref();
                let message = bug.map_or("", |bug| bug.message.trim_end()).to_owned();
                report.map_or(message, Report::headline)
            }
            Outcome::FailedNatively(reason) | Outcome::Refused(reason) => reason.clone(),
            Outcome::Stopped => "the run was stopped".to_owned(),
        };
        let mut story = report.map(Report::paragraph).unwrap_or_default();
        if let Outcome::Failed(finding) = &run.outcome
            && let Repeats::No(instead) = &finding.repeats
        {
            message = format!("{message}\nthe failing schedule did not fail again: {instead}");
            story.clear();
        }
        let silence = run.silence.as_ref().and_then(|bug| bug.site.as_ref());
        let silent_at = silence.map(|site| (site.file.clone(), site.line));
        Some(Brief {
            label: status::label(run),
            is_failure: !matches!(run.outcome, Outcome::Stopped),
            is_refusal: matches!(run.outcome, Outcome::Refused(_)),
            message: plain(&message),
            story,
            replay: report.map(Report::replay_command),
            place: report.and_then(Report::place).or(silent_at),
        })
    }

    /// All of it, in lines.
    pub(crate) fn text(&self) -> String {
        let parts = [Some(&self.message), Some(&self.story), self.replay.as_ref()];
        let parts = parts.into_iter().flatten().map(|part| part.trim());
        let parts: Vec<_> = parts.filter(|part| !part.is_empty()).collect();
        parts.join("\n")
    }
}
