//! How far a failure was shrunk, in words.

use cct::verdict::Bug;

use super::commands::command;
use super::style::{FAINT, GOOD, paint};
use super::visible::visible_on_a_line;
use super::warning_word;
use super::words::{count, put, switches};
use crate::run::{Effort, Length, Shrinking, TestName, WhyNot};

/// A line while it goes on: there is a shorter schedule after so many executions.
pub(crate) fn progress(executions: u64) -> String {
    let after = count(executions, "execution");
    format!("{} a shorter schedule after {after}", head("Shrinking"))
}

/// The status line while a test's failure is shrunk: there is a shorter schedule after so many executions, or
/// none yet after 0.
pub(super) fn status(name: &TestName, executions: u64) -> String {
    match executions {
        0 => format!("shrinking the failure of {name}"),
        _ => format!(
            "shrinking the failure of {name}: shorter after {}",
            count(executions, "execution")
        ),
    }
}

/// The result for the failure with this id.
pub(crate) fn result(from: Length, to: Length, effort: &Effort, id: &str) -> String {
    let mut out = String::new();
    put!(out, "{} from {}\n", head("Shrunk"), words(from));
    put!(out, "{:>12} to {}\n", "", words(to));
    put!(out, "{:>12} {}\n\n", "", paint(FAINT, &tried(effort)));
    put!(out, "  show      {}\n", command("show", id));
    put!(out, "  replay    {}\n", command("replay", id));
    out
}

/// The result if there is nothing shorter.
pub(crate) fn nothing(length: Length, effort: &Effort) -> String {
    let tried = tried(effort);
    format!(
        "{} no further, {tried}: {}\n",
        head("Shrunk"),
        words(length)
    )
}

/// An attempt ended the process.
pub(crate) fn ended_by(bug: &Bug) -> String {
    let message = visible_on_a_line(bug.message.lines().next().unwrap_or_default());
    format!(
        "{}: an attempt ended the test's process, and nothing was tried after it: {message}",
        warning_word()
    )
}

/// The history of a failing schedule that has this length now, for its report.
pub(super) fn history(shrinking: &Shrinking, now: Length, id: &str) -> String {
    if let Some(why) = shrinking.why_not {
        return format!("not shrunk: {}", why_not(why, id));
    }
    let executions = count(shrinking.executions, "execution");
    let mut out = if now < shrinking.from {
        format!("shrunk from {} by {executions}", words(shrinking.from))
    } else {
        format!("{executions} found no shorter one")
    };
    if !shrinking.is_complete {
        put!(out, "; `{}` looks further", command("shrink", id));
    }
    out
}

fn why_not(why: WhyNot, id: &str) -> String {
    match why {
        WhyNot::TakesTooLong => format!(
            "one execution takes too long for that; `{}` takes more time",
            command("shrink", id)
        ),
        WhyNot::DoesNotFit => {
            "it does not fail, or takes too long, where its schedule is followed worker by worker"
                .to_owned()
        }
        WhyNot::DoesNotRepeat => {
            "no shorter schedule that was found comes to the same failure in a fresh process"
                .to_owned()
        }
    }
}

fn tried(effort: &Effort) -> String {
    let tried = format!("{} tried", count(effort.executions, "execution"));
    if effort.is_complete {
        tried
    } else {
        format!("{tried}, not all that there are")
    }
}

fn head(word: &str) -> String {
    paint(GOOD, &format!("{word:>12}"))
}

pub(super) fn words(length: Length) -> String {
    format!(
        "{}, {}, {}",
        count(length.steps, "step"),
        switches(length.switches),
        count(length.preemptions, "preemption")
    )
}
