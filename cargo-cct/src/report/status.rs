//! The line that says how a test ended, in nextest's manner.

use cct::verdict::Bug;
use serde_json::{Value, json};

use super::bugs::words;
use super::counters;
use super::cut_off;
use super::style::{BAD, FAINT, GOOD, STRONG, WARN, paint};
use super::tried;
use super::visible::visible_on_a_line;
use super::words::{count, duration, moment, number};
use crate::failure::{History, Record};
use crate::run::{Outcome, Repeats, TestRun};

/// The width of the columns.
const STATUS: usize = 12;
const DETAIL: usize = 42;

/// The word for what was kept.
pub(super) fn kept_label(bug: Option<&Bug>, repeats: &Repeats) -> &'static str {
    match (repeats, bug) {
        (Repeats::No(_), _) => "FLAKY",
        (_, Some(bug)) => words(bug.kind).label,
        (_, None) => "SAVED",
    }
}

/// The word for how a test ended.
pub(crate) fn label(run: &TestRun) -> &'static str {
    outcome_label(&run.outcome)
}

/// The word for such an end.
pub(crate) fn outcome_label(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Passed => "PASS",
        Outcome::Unfinished => "UNFINISHED",
        Outcome::Failed(finding) => kept_label(finding.bug.as_ref(), &finding.repeats),
        Outcome::FailedNatively(_) => "FAIL",
        Outcome::Refused(_) => "REFUSED",
        Outcome::Stopped => "STOPPED",
    }
}

/// Why a test ended as it did, where there is no failure to say so.
pub(crate) fn reason(run: &TestRun) -> Option<String> {
    match &run.outcome {
        Outcome::FailedNatively(reason) | Outcome::Refused(reason) => Some(reason.clone()),
        Outcome::Unfinished => Some(cut_off::unfinished(run)),
        Outcome::Passed | Outcome::Failed(_) | Outcome::Stopped => None,
    }
}

/// The whole line.
pub(super) fn line(run: &TestRun, native: Option<&str>, record: Option<&Record>) -> String {
    let label = label(run);
    let style = match run.outcome {
        Outcome::Passed => GOOD,
        Outcome::Stopped => WARN,
        _ if label == "FLAKY" => WARN,
        _ => BAD,
    };
    let id = record
        .map(|record| format!("   {}", record.id))
        .unwrap_or_default();
    let advice = cut_off::advice(run).map_or(String::new(), |advice| format!("   {advice}"));
    let test = if run.name.test.is_empty() {
        paint(STRONG, &run.name.binary)
    } else {
        format!(
            "{} {}",
            paint(FAINT, &run.name.binary),
            paint(STRONG, &run.name.test)
        )
    };
    format!(
        "{} [{:>8}] {:<DETAIL$} {test}{}{}",
        paint(style, &format!("{label:>STATUS$}")),
        duration(run.elapsed),
        detail(run, native, record),
        paint(STRONG, &id),
        paint(WARN, &advice),
    )
}

/// The schedules that were explored, or why there were none.
fn detail(run: &TestRun, native: Option<&str>, record: Option<&Record>) -> String {
    if let Some(reason) = native {
        return format!("ran natively: {reason}");
    }
    let counters = &run.counters;
    match &run.outcome {
        Outcome::Failed(finding) if finding.iteration > 0 => {
            let strategy = &finding.schedule.strategy;
            let strategy = if strategy.is_empty() {
                ""
            } else {
                &format!(", {strategy}")
            };
            let cut_off = cut_off::many(counters);
            format!("schedule {}{strategy}{cut_off}", number(finding.iteration))
        }
        Outcome::Failed(finding) => tried::detail(finding, &run.tried, record),
        Outcome::FailedNatively(status) => format!("ran natively: {status}"),
        Outcome::Refused(reason) if reason.starts_with("internal error") => {
            "internal error".to_owned()
        }
        Outcome::Refused(reason) if reason.starts_with("no space") => "no space".to_owned(),
        Outcome::Refused(reason) if reason.starts_with("cannot write") => {
            "cannot write files".to_owned()
        }
        Outcome::Refused(_) => "wrong settings".to_owned(),
        Outcome::Stopped => {
            let schedules = count(counters.schedules, "schedule");
            format!("{schedules}{}", cut_off::many(counters))
        }
        Outcome::Unfinished => cut_off::none_ended(run),
        Outcome::Passed if run.started.is_none() => "ran natively: not controlled".to_owned(),
        Outcome::Passed => counters::explored(run),
    }
}

/// A failure in `cargo cct list`.
pub(crate) fn list_line(record: &Record) -> String {
    let label = kept_label(record.bug.as_ref(), &record.repeats);
    let message = record.bug.as_ref().map_or("", |bug| &bug.message);
    let message = visible_on_a_line(message.lines().next().unwrap_or_default());
    let history = &record.history;
    let gone = if history.gone_in.is_some() {
        ", no longer fails"
    } else {
        ""
    };
    let seen = format!("{}, {}{gone}", times(history), moment(history.last()));
    format!(
        "{}  {} {} {}  {}  {}",
        paint(STRONG, &record.id.to_string()),
        paint(BAD, &format!("{label:<11}")),
        paint(FAINT, &record.name.binary),
        paint(STRONG, &record.name.test),
        paint(FAINT, &seen),
        message
    )
}

/// `seen once`, `seen 5 times`.
pub(super) fn times(history: &History) -> String {
    match history.count() {
        1 => "seen once".to_owned(),
        count => format!("seen {} times", number(count)),
    }
}

/// When and how often a bug was seen, for programs.
pub(crate) fn seen_json(history: &History) -> Value {
    json!({
        "times": history.count(),
        "first": history.first,
        "last": history.last(),
        "strategies": history.strategies(),
        "runs": history.sightings,
        "fails": history.gone_in.is_none(),
    })
}
