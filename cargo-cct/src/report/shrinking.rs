//! How far a failure was shrunk, in words.

use cct::verdict::Bug;

use super::failure::Length;
use super::style::{FAINT, GOOD, paint};
use super::warning_word;
use super::words::{count, put, switches};

/// A line while it goes on: there is a shorter schedule after so many executions.
pub(crate) fn progress(executions: u64) -> String {
    let after = count(executions, "execution");
    format!("{} a shorter schedule after {after}", head("Shrinking"))
}

/// The result, after so many executions, for the failure with this id.
pub(crate) fn result(from: Length, to: Length, executions: u64, id: &str) -> String {
    let mut out = String::new();
    put!(out, "{} from {}\n", head("Shrunk"), words(from));
    put!(out, "{:>12} to {}\n", "", words(to));
    put!(out, "{:>12} {}\n\n", "", paint(FAINT, &tried(executions)));
    put!(out, "  show      cargo cct show {id}\n");
    put!(out, "  replay    cargo cct replay {id}\n");
    out
}

/// The result if there is nothing shorter.
pub(crate) fn nothing(length: Length, executions: u64) -> String {
    let tried = tried(executions);
    format!(
        "{} no further, {tried}: {}\n",
        head("Shrunk"),
        words(length)
    )
}

/// An attempt ended the process.
pub(crate) fn ended_by(bug: &Bug) -> String {
    let message = bug.message.lines().next().unwrap_or_default();
    format!(
        "{}: an attempt ended the test's process, and nothing was tried after it: {message}",
        warning_word()
    )
}

fn tried(executions: u64) -> String {
    format!("{} tried", count(executions, "execution"))
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
