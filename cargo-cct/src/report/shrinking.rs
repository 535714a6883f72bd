//! How far a failure was shrunk, in words.

use cct::wire::Shrunk;

use super::failure::Length;
use super::style::{FAINT, GOOD, paint};
use super::words::{count, put, switches};

/// A line while it goes on: as the engine counts, for which a thread and the task that it polls are two.
pub(crate) fn progress(found: &Shrunk) -> String {
    let length = Length {
        preemptions: found.preemptions,
        switches: (found.schedule.runs.len() as u64).saturating_sub(1),
        steps: found.steps,
    };
    format!("{} {}", head("Shrinking"), words(length))
}

/// The result, found after so many executions, for the failure with this id.
pub(crate) fn result(from: Length, to: Length, executions: u64, id: &str) -> String {
    let mut out = String::new();
    put!(out, "{} from {}\n", head("Shrunk"), words(from));
    put!(out, "{:>12} to {}\n", "", words(to));
    let after = format!("found after {}", count(executions, "execution"));
    put!(out, "{:>12} {}\n\n", "", paint(FAINT, &after));
    put!(out, "  show      cargo cct show {id}\n");
    put!(out, "  replay    cargo cct replay {id}\n");
    out
}

/// The result if there is nothing shorter.
pub(crate) fn nothing(length: Length) -> String {
    format!("{} no further: {}\n", head("Shrunk"), words(length))
}

fn head(word: &str) -> String {
    paint(GOOD, &format!("{word:>12}"))
}

fn words(length: Length) -> String {
    format!(
        "{}, {}, {}",
        count(length.steps, "step"),
        switches(length.switches),
        count(length.preemptions, "preemption")
    )
}
