//! Warnings: those of the user's own text, and no others.

use std::collections::BTreeSet;

use cct_tests::support::{Finished, Workspace};

/// The warnings that a build has shown, each with its excerpt.
fn warnings(finished: &Finished) -> BTreeSet<String> {
    let mut blocks: Vec<String> = Vec::new();
    for line in finished.stderr.lines() {
        if line.starts_with("warning: ") || line.starts_with("   Compiling") {
            blocks.push(String::new());
        }
        if let Some(block) = blocks.last_mut() {
            *block = format!("{}\n{line}", block.trim_end());
        }
    }
    // Cargo's own have no place, and count those that one of two builds of a crate was the first to show.
    let of_source = blocks.into_iter().filter(|block| block.contains("-->"));
    of_source.map(|block| block.trim().to_owned()).collect()
}

#[test]
fn warnings_are_those_of_the_text_as_it_was_written() {
    let workspace = Workspace::of_fixture("lints");
    let args = ["test", "--no-run"];
    let plain = Finished::of(workspace.cargo().args(args));
    plain.expect(0);
    let ours = Finished::of(workspace.cct().args(args));
    ours.expect(0);
    let (plain, ours) = (warnings(&plain), warnings(&ours));
    assert!(plain.len() > 15, "{plain:#?}");
    let is_ours = |warning: &&String| warning.contains("__cct") || warning.contains("`cct`");
    assert_eq!(ours.iter().filter(is_ours).count(), 0, "{ours:#?}");
    assert_eq!(ours, plain);
}
