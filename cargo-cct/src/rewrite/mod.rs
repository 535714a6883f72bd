//! The source layer: text of a crate in, text with scheduling points where no name reaches out.
//!
//! Pure. Which crates and files are rewritten, and where the result goes, is `build::shadow`'s matter.
//! Lines stay lines: an edit neither makes a line break nor removes one.

mod syntax;

mod edit;
mod named;
mod passes;
mod source;

#[cfg(test)]
mod disorder;
mod handing;
mod pass;
#[cfg(test)]
mod sweep;

pub(crate) use edit::{Edit, apply};
pub(crate) use named::Named;
pub(crate) use pass::{about_passes, choices_of, has_lost_choices, with_random_choices};
pub(crate) use passes::{Part, Passes};
pub(crate) use source::{Edition, Source};

use std::path::Path;

/// Rewrites a file; none when nothing in it changes.
///
/// `path` is the file's own, absolute: what the text includes is looked for beside it.
pub(crate) fn rewrite(
    text: &str,
    path: &Path,
    edition: Edition,
    passes: Passes,
    named: &Named,
) -> Option<String> {
    let edits = edits(text, path, edition, passes, named);
    (!edits.is_empty()).then(|| apply(text, &edits))
}

/// The edits that `rewrite` makes, in the order of the text; empty for text that is no Rust.
pub(crate) fn edits(
    text: &str,
    path: &Path,
    edition: Edition,
    passes: Passes,
    named: &Named,
) -> Vec<Edit> {
    let edits = pass::edits(path, passes, || {
        Source::parse(text, path, edition).map(|source| source.with(named))
    });
    edit::in_order(text, edits)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENTATION: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/source-layer.md");

    /// A text after the pass for tasks.
    pub(super) fn with_tasks(text: &str) -> String {
        let passes = Passes::parse("tasks").expect("a part");
        let made = rewrite(
            text,
            Path::new("/a.rs"),
            Edition::Rust2024,
            passes,
            Named::NONE,
        );
        made.unwrap_or_else(|| text.to_owned())
    }

    /// The lines that a diff removes or adds.
    fn side(diff: &str, sign: char) -> String {
        let lines = diff.lines().filter_map(|line| line.strip_prefix(sign));
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn the_documentation_shows_what_happens() {
        let text = std::fs::read_to_string(DOCUMENTATION).expect("text");
        let diffs = text.split("```diff\n").skip(1);
        let diffs: Vec<_> = diffs.filter_map(|rest| rest.split("```").next()).collect();
        assert!(diffs.len() >= 7, "{}", diffs.len());
        for diff in diffs {
            let before = side(diff, '-');
            let made = rewrite(
                &before,
                Path::new("/a.rs"),
                Edition::Rust2021,
                Passes::ALL,
                Named::NONE,
            );
            assert_eq!(made.expect("edits"), side(diff, '+'));
        }
    }
}
