//! The schedules that were tried before a test was explored, in words and for programs.

use serde_json::{Value, json};

use super::status::times;
use super::words::{count, moment};
use crate::failure::Record;
use crate::run::{Finding, Tried, TriedEnd, TriedOf};

/// A remark on schedules that were tried.
pub(super) enum Remark {
    /// All is well.
    Note(String),
    /// Somebody should look.
    Warning(String),
}

/// The remarks on those that did not fail; on all of them if `verbose`.
pub(super) fn remarks(tried: &[Tried], verbose: bool) -> Vec<Remark> {
    let mut remarks = Vec::new();
    let passes = |tried: &&Tried| {
        let is_kept = matches!(tried.origin, TriedOf::Kept { .. });
        is_kept && matches!(tried.end, TriedEnd::Passes)
    };
    match tried.iter().filter(passes).count() {
        0 => {}
        1 => remarks.push(Remark::Note("1 kept schedule passes".to_owned())),
        n => remarks.push(Remark::Note(format!(
            "{} pass",
            count(n as u64, "kept schedule")
        ))),
    }
    remarks.extend(tried.iter().filter_map(|tried| remark(tried, verbose)));
    remarks
}

fn remark(tried: &Tried, verbose: bool) -> Option<Remark> {
    match (&tried.origin, &tried.end) {
        (TriedOf::Known { was_gone: true, .. }, _) if !verbose => None,
        (TriedOf::Known { id, .. }, TriedEnd::Passes) => {
            Some(Remark::Note(format!("{id} no longer fails")))
        }
        (TriedOf::Known { id, .. }, TriedEnd::Leaves(why)) => Some(Remark::Note(format!(
            "the schedule of {id} does not fit any more: {why}"
        ))),
        (TriedOf::Kept { file, .. }, TriedEnd::Leaves(why)) => Some(Remark::Warning(format!(
            "the schedule in `{file}` does not fit any more: {why}; remove the file, or renew it with \
             `cargo cct keep <id>` once the failure is found again"
        ))),
        (TriedOf::Kept { .. }, TriedEnd::Passes)
        | (_, TriedEnd::Fails(_) | TriedEnd::FailsOtherwise(_)) => None,
    }
}

/// How a test failed whose failure no exploration found.
pub(super) fn detail(finding: &Finding, tried: &[Tried], record: Option<&Record>) -> String {
    let last = tried.last().filter(|tried| tried.finding().is_some());
    match (last, record) {
        (None, _) if finding.known.is_none() => "before the first schedule".to_owned(),
        (Some(tried), record) if matches!(tried.end, TriedEnd::FailsOtherwise(_)) => {
            let is_it = record.is_some_and(|record| record.id.to_string() == id(tried));
            match tried.origin {
                TriedOf::Kept { .. } if is_it => "by a kept schedule".to_owned(),
                _ => format!("by the schedule of {}", id(tried)),
            }
        }
        (Some(tried), _) if matches!(tried.origin, TriedOf::Kept { .. }) => {
            "by a kept schedule".to_owned()
        }
        (_, Some(record)) => {
            let history = &record.history;
            let since = moment(history.first);
            let day = since.split(' ').next().unwrap_or_default();
            format!("known: {}, first {day}", times(history))
        }
        _ => "known".to_owned(),
    }
}

fn id(tried: &Tried) -> String {
    match &tried.origin {
        TriedOf::Known { id, .. } | TriedOf::Kept { id, .. } => id.to_string(),
    }
}

/// The same for programs.
pub(super) fn json(tried: &[Tried]) -> Value {
    let one = |tried: &Tried| {
        let (outcome, reason) = match &tried.end {
            TriedEnd::Fails(_) => ("fails", None),
            TriedEnd::FailsOtherwise(_) => ("fails_otherwise", None),
            TriedEnd::Passes => ("passes", None),
            TriedEnd::Leaves(why) => ("does_not_fit", Some(why)),
        };
        let file = match &tried.origin {
            TriedOf::Known { .. } => None,
            TriedOf::Kept { file, .. } => Some(file),
        };
        json!({ "id": id(tried), "file": file, "outcome": outcome, "reason": reason })
    };
    tried.iter().map(one).collect()
}
