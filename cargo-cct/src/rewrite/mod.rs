//! The source layer: text of a crate in, text with scheduling points where no name reaches out.
//!
//! Pure. Which crates and files are rewritten, and where the result goes, is `build::shadow`'s matter.
//! Lines stay lines: an edit neither makes a line break nor removes one.

mod edit;
mod pass;
mod passes;
mod source;
mod tree;

pub(crate) use edit::{Edit, apply};
pub(crate) use pass::{choices_of, draw_lots};
pub(crate) use passes::Passes;
pub(crate) use source::{Edition, Source};

use std::path::Path;

/// Rewrites a file; none when nothing in it changes.
///
/// `path` is the file's own, absolute: what the text includes is looked for beside it.
pub(crate) fn rewrite(text: &str, path: &Path, edition: Edition, passes: Passes) -> Option<String> {
    let edits = edits(text, path, edition, passes);
    (!edits.is_empty()).then(|| apply(text, &edits))
}

/// What `rewrite` changes, in the order of the text; empty for what is no Rust.
pub(crate) fn edits(text: &str, path: &Path, edition: Edition, passes: Passes) -> Vec<Edit> {
    if passes.is_empty() || passes == Passes::CHOICES && !pass::draws_lots_in(path) {
        return Vec::new();
    }
    let Some(source) = Source::parse(text, path, edition) else {
        return Vec::new();
    };
    let edits = pass::ORDER
        .iter()
        .filter(|(pass, _)| passes.contains(*pass))
        .flat_map(|(_, run)| run(&source))
        .collect();
    edit::in_order(text, edits)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENTATION: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/source-layer.md");

    /// What lines of a diff say was there, or is.
    fn side(diff: &str, sign: char) -> String {
        let lines = diff.lines().filter_map(|line| line.strip_prefix(sign));
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn the_documentation_shows_what_happens() {
        let text = std::fs::read_to_string(DOCUMENTATION).expect("text");
        let diffs = text.split("```diff\n").skip(1);
        let diffs: Vec<_> = diffs.filter_map(|rest| rest.split("```").next()).collect();
        assert_eq!(diffs.len(), 7);
        for diff in diffs {
            let before = side(diff, '-');
            let made = rewrite(&before, Path::new("/a.rs"), Edition::Rust2021, Passes::ALL);
            assert_eq!(made.expect("edits"), side(diff, '+'));
        }
    }
}
