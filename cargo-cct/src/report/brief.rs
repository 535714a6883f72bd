//! How a test failed in a few lines, for those who have room for no more.

use super::failure::Report;
use super::{Reported, plain, status};
use crate::results::{Ending, Joined};
use crate::run::{Outcome, Repeats, TestRun};

/// A test that did not pass, in short.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Brief {
    /// The word for how it ended.
    pub label: String,
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
            Outcome::Failed(finding) => {
                let bug = finding.bug.as_ref();
                let message = bug.map_or("", |bug| bug.message.trim_end()).to_owned();
                report.map_or(message, Report::headline)
            }
            Outcome::Stopped => "the run was stopped".to_owned(),
            Outcome::Unfinished | Outcome::FailedNatively(_) | Outcome::Refused(_) => {
                status::reason(run).unwrap_or_default()
            }
        };
        let mut story = report.map(Report::paragraph).unwrap_or_default();
        if let Outcome::Failed(finding) = &run.outcome
            && let Repeats::No(instead) = &finding.repeats
        {
            message = not_again(&message, instead);
            story.clear();
        }
        let silence = run.silence.as_ref().and_then(|bug| bug.site.as_ref());
        let silent_at = silence.map(|site| (site.file.clone(), site.line));
        Some(Brief {
            label: status::label(run).to_owned(),
            is_failure: !matches!(run.outcome, Outcome::Stopped),
            is_refusal: matches!(run.outcome, Outcome::Refused(_)),
            message: plain(&message),
            story,
            replay: report.map(Report::replay_command),
            place: report.and_then(Report::place).or(silent_at),
        })
    }

    /// Of a test that did not pass when an earlier command ran it.
    pub(crate) fn of_earlier(test: &Joined, failure: Reported<'_>) -> Option<Brief> {
        let outcome = test.outcome();
        if matches!(outcome, Ending::Open | Ending::Passed) {
            return None;
        }
        let report = failure.map(|(_, report)| report);
        let reason = test.reason.clone().unwrap_or_default();
        let mut message = report.map_or(reason, Report::headline);
        let mut story = report.map(Report::paragraph).unwrap_or_default();
        if let Some((record, _)) = failure
            && let Repeats::No(instead) = &record.repeats
        {
            message = not_again(&message, instead);
            story.clear();
        }
        Some(Brief {
            label: test.status.clone(),
            is_failure: true,
            is_refusal: outcome == Ending::Refused,
            message: plain(&message),
            story,
            replay: report.map(Report::replay_command),
            place: report.and_then(Report::place),
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

fn not_again(message: &str, instead: &str) -> String {
    format!("{message}\nthe failing schedule did not fail again: {instead}")
}
