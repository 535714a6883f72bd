//! Rewriting may add outcomes, and removes none.

use std::path::Path;

use cct_tests::law::{Budget, compare};
use cct_tests::support::Workspace;

/// Programs on executors of their own; `cargo run -p cct-tests --bin law` does the same for those of crates.
#[test]
fn rewriting_removes_no_outcome() {
    let workspace = Workspace::kept_of_fixture(env!("CARGO_TARGET_TMPDIR"), "law");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("outcomes");
    let budget = Budget {
        written: [4_000, 3_000],
        rewritten: [2_000, 6_000],
        rounds: 4,
    };
    let all = compare(|| workspace.cct(), &folder, &[], budget);
    let mut several = 0;
    for (test, compared) in &all {
        let loses = test.starts_with("law loses::");
        let found = ["DEADLOCK".to_owned()];
        assert_eq!(compared.missing(), [""; 0], "{test}: {compared:#?}");
        assert_eq!(compared.added_failures(), [""; 0], "{test}: {compared:#?}");
        let is_told = compared
            .written
            .failed
            .iter()
            .eq(found.iter().filter(|_| loses));
        assert!(is_told, "{test}: {compared:#?}");
        assert!(loses || !compared.written.told.is_empty(), "{test}");
        several += usize::from(compared.written.told.len() > 1);
    }
    // Where there is one outcome only there is nothing to remove.
    assert!(several > 9, "{several} of {}", all.len());
}
