//! The result of a replay, in words.

use super::failure::Layout;
use super::style::{BAD, FAINT, GOOD, STRONG, WARN, paint};
use super::visible::visible_on_a_line;
use crate::failure::Record;
use crate::report::words::put;
use crate::run::{Difference, Repeats};

/// The result of a replay.
#[derive(Debug)]
pub(crate) enum Replay {
    /// The same steps, the same failure; so many of their places in the source have moved.
    Reproduced(usize),
    /// The schedule could be followed, and nothing failed.
    Passes,
    /// The schedule could be followed, and was cut off before anything failed.
    Unfinished,
    /// The schedule could be followed, but something else failed.
    FailsOtherwise(String),
    /// The execution left the schedule.
    Diverged(Box<Difference>),
    /// The user wanted everything to end.
    Stopped,
}

impl Replay {
    /// The word for programs.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Replay::Reproduced(_) => "reproduced",
            Replay::Passes => "passes",
            Replay::Unfinished => "unfinished",
            Replay::FailsOtherwise(_) => "fails_otherwise",
            Replay::Diverged(_) => "diverged",
            Replay::Stopped => "stopped",
        }
    }

    /// Where the execution left the schedule.
    pub(crate) fn difference(&self) -> Option<&Difference> {
        match self {
            Replay::Diverged(difference) => Some(difference),
            _ => None,
        }
    }

    /// The last lines for people.
    pub(crate) fn text(&self, record: &Record, changed: bool, layout: &Layout) -> String {
        let id = paint(STRONG, &record.id.to_string());
        let mut out = String::new();
        match self {
            Replay::Reproduced(moved) => {
                let steps = record.trace.as_ref().map_or(0, cct::trace::Trace::len);
                let moved = match moved {
                    0 => String::new(),
                    1 => ", one place in the source has moved".to_owned(),
                    n => format!(", {n} places in the source have moved"),
                };
                let checked = if steps > 0 {
                    format!(
                        ": {} as on record{moved}",
                        super::count(steps as u64, "step")
                    )
                } else {
                    String::new()
                };
                let style = if record.bug.is_some() { BAD } else { GOOD };
                put!(out, "{} {id}{checked}\n", paint(style, "  Reproduced"));
            }
            Replay::Passes => {
                put!(out, "{} {id} passes now\n", paint(GOOD, "      Passes"));
            }
            Replay::Unfinished => put!(
                out,
                "{} {id}: the same steps, but it is cut off before it fails or ends\n",
                paint(WARN, "  Unfinished")
            ),
            Replay::FailsOtherwise(message) => put!(
                out,
                "{} {id}: the same steps, but another failure: {message}\n",
                paint(WARN, "    Diverged")
            ),
            Replay::Diverged(difference) => out.push_str(&diverged(&id, difference, layout)),
            Replay::Stopped => put!(out, "{} {id}\n", paint(WARN, "     Stopped")),
        }
        if changed {
            let note = match self {
                Replay::Reproduced(_) | Replay::Passes | Replay::Stopped => {
                    "the executable has changed since the failure was found"
                }
                Replay::Diverged(_) | Replay::FailsOtherwise(_) | Replay::Unfinished => {
                    "the executable has changed since the failure was found, and its schedule no \
                     longer fits: `cargo cct test` finds out whether the bug is still there"
                }
            };
            put!(out, "             {}\n", paint(FAINT, note));
        } else if matches!(
            self,
            Replay::Diverged(_) | Replay::FailsOtherwise(_) | Replay::Unfinished
        ) {
            let note = "the executable is the same: something that it uses is not under control";
            put!(out, "             {}\n", paint(FAINT, note));
        }
        out
    }
}

/// A schedule that was led by hand has been kept.
pub(crate) fn saved(record: &Record) -> String {
    let id = &record.id;
    let how = match (&record.repeats, &record.bug) {
        (Repeats::No(instead), _) => format!("but it does not repeat: {instead}"),
        (Repeats::Unknown, _) => "not tried again".to_owned(),
        (Repeats::Yes, Some(bug)) => {
            let message = visible_on_a_line(bug.message.lines().next().unwrap_or_default());
            format!("it fails with: {message}")
        }
        (Repeats::Yes, None) => "it does not fail".to_owned(),
    };
    let id = paint(STRONG, &id.to_string());
    format!("  saved as {id}, {how}; `cargo cct replay {}`\n", record.id)
}

fn diverged(id: &str, difference: &Difference, layout: &Layout) -> String {
    let mut out = format!(
        "{} {id} at step {}\n",
        paint(WARN, "    Diverged"),
        difference.step
    );
    put!(out, "    expected {}\n", difference.expected.trim());
    put!(out, "    found    {}\n", difference.found.trim());
    for (title, steps) in [
        ("on record", &difference.recorded),
        ("this time", &difference.happened),
    ] {
        let title = format!("the last steps {title}");
        put!(out, "\n  {}\n", paint(STRONG, &title));
        for step in steps {
            put!(out, "  {}{step}\n", layout.pick("│ ", "| "));
        }
    }
    out.push('\n');
    out
}
