//! The passes, one file and one row each. A pass cannot fail: what it does not understand stays as it is.
//!
//! All that a pass puts into a program is brought by `cct_shims::rewritten`, and is known by its `__cct_`.

mod include;

mod own_clock;

mod await_points;

mod handed;
mod tasks;

mod driven;
mod executors;

mod statements;

mod assertions;

mod choices;

pub(crate) use self::choices::{choices_of, has_lost_choices, with_random_choices};

use std::path::Path;

use super::edit::Edit;
use super::passes::{Part, Passes};
use super::source::Source;

/// One source transformation.
#[derive(Debug)]
pub(super) struct Pass {
    /// Its name.
    name: &'static str,
    /// When it is on.
    part: Part,
    run: Run,
    /// Its effect, for help and documentation.
    does: &'static str,
}

/// Reads a file and says what to change in it; edits of one pass come in any order and never overlap, also
/// not those of another.
#[derive(Clone, Copy, Debug)]
enum Run {
    /// In any file.
    Everywhere(fn(&Source<'_>) -> Vec<Edit>),
    /// In files that are known by their paths.
    In(fn(&Path) -> bool, fn(&Source<'_>) -> Vec<Edit>),
    /// After others, whose edits it looks at.
    After(fn(&Source<'_>, &[Edit]) -> Vec<Edit>),
}

/// The passes in the order in which edits at one place follow each other, each with the reason for its
/// position.
const TABLE: &[Pass] = &[
    // Touches string literals alone, which no other pass does. It belongs to each rewriting that there is,
    // the least of which is that of await points.
    Pass {
        name: "included text",
        part: Part::Await,
        run: Run::Everywhere(include::run),
        does: "`include_str!` of a Rust file reads the user's file",
    },
    // The end of a call, before anything that is done with its result.
    Pass {
        name: "calls that may drive",
        part: Part::Handed,
        run: Run::Everywhere(handed::run),
        does: "a future given to `run` or `run_until` is a root if they drive it",
    },
    // Texts that follow a call, before all that may end where the call does.
    Pass {
        name: "clocks that stand still",
        part: Part::Tasks,
        run: Run::Everywhere(own_clock::run),
        does: "a program that pauses a runtime's clock says so",
    },
    // Inserts before dots, as none of the others.
    Pass {
        name: "await points",
        part: Part::Await,
        run: Run::Everywhere(await_points::run),
        does: "each `.await` is a place where the task may be held",
    },
    // Parentheses around arguments; the inner ones of two that end together are met later.
    Pass {
        name: "tasks",
        part: Part::Tasks,
        run: Run::Everywhere(tasks::run),
        does: "futures that are spawned, or driven by `block_on`, are tasks and roots",
    },
    // Before boundaries: code that is moved into a function begins with its first boundary.
    Pass {
        name: "driven functions",
        part: Part::Tasks,
        run: Run::Everywhere(driven::run),
        does: "bodies of async tests, and of `main`, are roots",
    },
    Pass {
        name: "executors of your own",
        part: Part::Handed,
        run: Run::Everywhere(executors::run),
        does: "functions that poll their parameter in a loop drive it, and functions that box it spawn it",
    },
    Pass {
        name: "statement boundaries",
        part: Part::Statements,
        run: Run::Everywhere(statements::run),
        does: "the engine is told where a statement begins that calls something",
    },
    // In functions of known crates, which hardly anything else is in.
    Pass {
        name: "random branch choices",
        part: Part::Choices,
        run: Run::In(choices::has_random_choices, choices::run),
        does: "the engine replaces the random branch choices of known crates",
    },
    // Says what the text was before the others, for which their order does not matter.
    Pass {
        name: "assertions",
        part: Part::Await,
        run: Run::After(assertions::run),
        does: "an edited assertion keeps its message",
    },
];

/// The passes with what they do, a line each.
pub(crate) fn about_passes() -> String {
    let lines = TABLE
        .iter()
        .map(|pass| format!("  {:<24} {}\n", pass.name, pass.does));
    lines.collect()
}

/// The edits of these passes in the text of a file; `read` takes it apart, if there is anything to do.
pub(super) fn edits<'s>(
    path: &Path,
    passes: Passes,
    read: impl FnOnce() -> Option<Source<'s>>,
) -> Vec<Edit> {
    let may_edit = |pass: &&Pass| {
        passes.contains(pass.part)
            && match pass.run {
                Run::Everywhere(_) => true,
                Run::In(is_known, _) => is_known(path),
                Run::After(_) => false,
            }
    };
    if !TABLE.iter().any(|pass| may_edit(&pass)) {
        return Vec::new();
    }
    let Some(source) = read() else {
        return Vec::new();
    };
    let mut edits = Vec::new();
    for pass in TABLE.iter().filter(|pass| passes.contains(pass.part)) {
        edits.extend(match pass.run {
            Run::Everywhere(run) => run(&source),
            Run::In(is_known, run) if is_known(path) => run(&source),
            Run::In(..) => Vec::new(),
            Run::After(run) => run(&source, &edits),
        });
    }
    edits
}

/// The edits of one pass in a text.
#[cfg(test)]
pub(super) fn made_by(run: fn(&Source<'_>) -> Vec<Edit>, text: &str) -> String {
    use super::{Edition, apply, edit};
    let source = Source::parse(text, Path::new("/a.rs"), Edition::Rust2024).expect("tokens");
    apply(text, &edit::in_order(text, run(&source)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_has_the_table() {
        let page = include_str!("../../../../docs/source-layer.md");
        let rows = TABLE.iter().map(|pass| {
            let (name, part) = (pass.name, pass.part.name());
            format!("| {name} | `{part}` | {} |\n", pass.does)
        });
        let table: String = rows.collect();
        assert!(
            page.contains(&table),
            "docs/source-layer.md is to have this:\n{table}"
        );
    }
}
