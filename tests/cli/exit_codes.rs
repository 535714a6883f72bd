//! How a call ended, as a number: 0, 4 no tests, 96 setup, 100 failure, 101 build, 106 diverged.
//!
//! 106 is with the replays.

use cct_tests::support::{Finished, Workspace, cargo_cct};

/// Ends with the code, and says why on standard error alone.
#[track_caller]
fn assert_refuses(workspace: &Workspace, args: &[&str], code: i32, why: &str) {
    let finished = Finished::of(workspace.cct().args(args));
    finished.expect(code);
    assert!(finished.stderr.contains(why), "no `{why}`: {finished:#?}");
    assert_eq!(finished.stdout, "", "{finished:#?}");
}

#[test]
fn passing_is_0_and_failing_is_100() {
    let workspace = Workspace::of_fixture("with spaces");
    workspace.test(&["a_file_is_found"], 0);
    workspace.test(&["a_store_is_lost"], 100);
}

#[test]
fn no_tests_is_4() {
    let workspace = Workspace::of_fixture("no-tests");
    assert_refuses(&workspace, &["test"], 4, "no test matches");
    let workspace = Workspace::of_fixture("configured");
    assert_refuses(
        &workspace,
        &["test", "--lib", "nothing_like_it"],
        4,
        "no test matches",
    );
    let json = Finished::of(workspace.cct().args(["test", "--json", "nothing_like_it"]));
    json.expect(4);
}

#[test]
fn a_build_that_fails_is_101_and_cargo_says_why() {
    let workspace = Workspace::of_fixture("broken");
    assert_refuses(&workspace, &["test"], 101, "error[E0308]: mismatched types");
    assert_refuses(&workspace, &["test"], 101, " --> src/lib.rs:5:27");
    let workspace = Workspace::of_fixture("configured");
    assert_refuses(&workspace, &["test", "-p", "nobody"], 101, "nobody");
    assert_refuses(
        &workspace,
        &["test", "--features", "missing"],
        101,
        "missing",
    );
}

#[test]
fn a_request_without_sense_is_96() {
    let workspace = Workspace::of_fixture("configured");
    for (args, why) in [
        (&["test", "--no-such-flag"][..], "--no-such-flag"),
        (&["no-such-verb"], "no-such-verb"),
        (&[], "Usage"),
        (&["test", "--iterations", "0"], "--iterations"),
        (&["test", "--iterations", "many"], "--iterations"),
        (&["test", "--strategy", "wisest"], "wisest"),
        (
            &["test", "--strategy", "random,ptc:2"],
            "did you mean `pct:2`?",
        ),
        (&["test", "--strategy", "pct:0"], "did you mean `pct:3`?"),
        (&["test", "--max-steps", "0"], "--max-steps"),
        (&["test", "--time", "soon"], "`soon` is no length of time"),
        (&["test", "--", "--no-such-word"], "`--no-such-word`"),
        (&["test", "--", "--skip"], "`--skip`"),
        (&["test", "-j", "few"], "few"),
        (
            &["test", "--target", "wasm32-unknown-unknown"],
            "wasm32-unknown-unknown",
        ),
        (
            &["test", "--manifest-path", "nowhere/Cargo.toml"],
            "cannot read the workspace",
        ),
        (&["replay"], "no failure has been found yet"),
        (&["replay", "7f3k-q2"], "no failure `7f3k-q2`"),
        (&["show", "7f3k-q2"], "no failure `7f3k-q2`"),
    ] {
        assert_refuses(&workspace, args, 96, why);
    }
}

#[test]
fn help_is_0() {
    for args in [&["--help"][..], &["test", "--help"], &["--version"]] {
        Finished::of(cargo_cct().args(args)).expect(0);
    }
}

#[test]
fn no_workspace_is_96() {
    let workspace = Workspace::empty(None);
    for verb in ["test", "replay", "list", "show", "clean"] {
        assert_refuses(&workspace, &[verb], 96, "no `Cargo.toml` in");
    }
}
