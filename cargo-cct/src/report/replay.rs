//! The result of a replay, in words.

use serde::Serialize;

use super::commands::command;
use super::failure::Layout;
use super::style::{BAD, FAINT, GOOD, STRONG, WARN, paint};
use super::visible::visible_on_a_line;
use crate::failure::Record;
use crate::report::words::put;
use crate::run::{Difference, Repeats};

/// The steps of a program's version beside those on record.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub(crate) struct Edits {
    /// How many places in the source have moved.
    pub moved: usize,
    /// The steps that are not on record.
    pub more: Vec<String>,
    /// The steps that are on record alone.
    pub less: Vec<String>,
}

/// The end of a schedule that was followed as far as it fits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Followed {
    /// The failure on record.
    FailsAlike,
    /// Another failure.
    FailsOtherwise,
    /// None.
    Passes,
    /// The bound on steps.
    Unfinished,
}

/// The result of a replay.
#[derive(Debug)]
pub(crate) enum Replay {
    /// The same steps, the same failure, in a program that has been edited like this.
    Reproduced(Edits),
    /// The schedule could be followed, in a program that has been edited like this, and nothing failed.
    Passes(Edits),
    /// The schedule could be followed, and was cut off before anything failed.
    Unfinished,
    /// The schedule could be followed, but something else failed.
    FailsOtherwise(String),
    /// The execution left the schedule.
    Diverged(Box<Difference>),
    /// It was followed as far as it fits all the same, and this came of it.
    Followed(Box<Difference>, Followed),
    /// It was told to stop before the step with this number, and did.
    StoppedBefore(usize),
    /// The user wanted everything to end.
    Stopped,
}

impl Replay {
    /// The word for programs.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Replay::Reproduced(_) => "reproduced",
            Replay::Passes(_) | Replay::Followed(_, Followed::Passes) => "passes",
            Replay::Unfinished | Replay::Followed(_, Followed::Unfinished) => "unfinished",
            Replay::FailsOtherwise(_) | Replay::Followed(_, Followed::FailsOtherwise) => {
                "fails_otherwise"
            }
            Replay::Diverged(_) => "diverged",
            Replay::Followed(_, Followed::FailsAlike) => "fails_alike",
            Replay::StoppedBefore(_) => "stopped_before",
            Replay::Stopped => "stopped",
        }
    }

    /// Where the execution left the schedule.
    pub(crate) fn difference(&self) -> Option<&Difference> {
        match self {
            Replay::Diverged(difference) | Replay::Followed(difference, _) => Some(difference),
            _ => None,
        }
    }

    /// How the program was edited, if the schedule could be followed to its end.
    pub(crate) fn edits(&self) -> Option<&Edits> {
        match self {
            Replay::Reproduced(edits) | Replay::Passes(edits) => Some(edits),
            _ => None,
        }
    }

    /// The last lines for people.
    pub(crate) fn text(&self, record: &Record, changed: bool, layout: &Layout) -> String {
        let id = paint(STRONG, &record.id.to_string());
        let mut out = String::new();
        match self {
            Replay::Reproduced(edits) => {
                let steps = record.trace.as_ref().map_or(0, cct::trace::Trace::len);
                let steps = steps.saturating_sub(edits.more.len());
                let checked = if steps > 0 {
                    format!(
                        ": {} as on record{}",
                        super::count(steps as u64, "step"),
                        edits.text()
                    )
                } else {
                    String::new()
                };
                let style = if record.bug.is_some() { BAD } else { GOOD };
                put!(out, "{} {id}{checked}\n", paint(style, "  Reproduced"));
            }
            Replay::Passes(edits) => {
                let edits = edits.text();
                put!(
                    out,
                    "{} {id} passes now{edits}\n",
                    paint(GOOD, "      Passes")
                );
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
            Replay::Followed(difference, end) => {
                out.push_str(&diverged(&id, difference, layout));
                let end = match end {
                    Followed::FailsAlike => "it fails as on record",
                    Followed::FailsOtherwise => "it fails, but not as on record",
                    Followed::Passes => "nothing fails",
                    Followed::Unfinished => "it is cut off before it fails or ends",
                };
                let title = paint(STRONG, "    Followed");
                put!(
                    out,
                    "{title} as far as it fits, and then from its seed: {end}\n"
                );
            }
            Replay::StoppedBefore(step) => put!(
                out,
                "{} {id} before step {step}, as it was told: how it ends is not tried\n",
                paint(WARN, "     Stopped")
            ),
            Replay::Stopped => put!(out, "{} {id}\n", paint(WARN, "     Stopped")),
        }
        if changed {
            let note = match self {
                Replay::Reproduced(_)
                | Replay::Passes(_)
                | Replay::Followed(..)
                | Replay::StoppedBefore(_)
                | Replay::Stopped => "the executable has changed since the failure was found",
                Replay::Diverged(_) => {
                    "the executable has changed since the failure was found, and its schedule no \
                     longer fits: `--tolerant` follows it as far as it does, and `cargo cct test` \
                     finds out whether the bug is still there"
                }
                Replay::FailsOtherwise(_) | Replay::Unfinished => {
                    "the executable has changed since the failure was found: `cargo cct test` finds \
                     out whether the bug is still there"
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

impl Edits {
    /// In words that go on a sentence.
    fn text(&self) -> String {
        let mut out = match self.moved {
            0 => String::new(),
            1 => ", one place in the source has moved".to_owned(),
            n => format!(", {n} places in the source have moved"),
        };
        for (steps, comparison) in [(&self.more, "more"), (&self.less, "less")] {
            if let Some(first) = steps.first() {
                let first = visible_on_a_line(first);
                match steps.len() {
                    1 => put!(out, ", one step {comparison} ({first})"),
                    n => put!(out, ", {n} steps {comparison} (the first is {first})"),
                }
            }
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
    let replay = command("replay", &record.id.to_string());
    format!("  saved as {id}, {how}; `{replay}`\n")
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
