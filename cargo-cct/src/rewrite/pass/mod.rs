//! The passes, one file each. A pass cannot fail: what it does not understand stays as it is.

mod include;

mod own_clock;

mod await_points;

mod by_hand;
mod declared;
mod tasks;

mod driven;
mod executors;

mod statements;

mod assertions;

mod choices;

mod code;
mod end;
mod one_line;
mod start;
#[cfg(test)]
mod sweep;

pub(super) use self::choices::draws_lots_in;
pub(crate) use self::choices::{choices_of, draw_lots};
pub(super) use self::tasks::Names;

use super::edit::Edit;
use super::passes::Pass;
use super::source::Source;

/// Reads a file and says what to change in it; edits of one pass come in any order and never overlap,
/// also not those of another.
pub(super) type Run = fn(&Source<'_>) -> Vec<Edit>;

/// The passes in the order in which edits at one place follow each other, each with the reason for its
/// position.
pub(super) const ORDER: &[(Pass, Run)] = &[
    // Touches string literals alone, which no other pass does. It belongs to each rewriting that there
    // is, the least of which is that of await points.
    (Pass::Await, include::run),
    // The end of a call, before anything that is done with its result.
    (Pass::Handed, tasks::hand),
    // What follows a call, before all that may end where the call does.
    (Pass::Tasks, own_clock::run),
    // Inserts before dots, as none of the others.
    (Pass::Await, await_points::run),
    // Parentheses around arguments; the inner ones of two that end together are met later.
    (Pass::Tasks, tasks::run),
    // Before borders: what is moved into a function begins with its first border.
    (Pass::Tasks, driven::run),
    (Pass::Handed, executors::run),
    (Pass::Statements, statements::run),
    // In functions of known crates, which hardly anything else is in.
    (Pass::Choices, choices::run),
    // Says what the text was before the others, for which their order does not matter.
    (Pass::Await, assertions::run),
];

/// What one pass makes of a text.
#[cfg(test)]
fn made_by(run: Run, text: &str) -> String {
    use super::{Edition, apply, edit};
    let path = std::path::Path::new("/a.rs");
    let source = Source::parse(text, path, Edition::Rust2024).expect("tokens");
    apply(text, &edit::in_order(text, run(&source)))
}
