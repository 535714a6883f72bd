//! `#[cct::test(…)]`: settings beside the test, in both worlds.

use cct_tests::support::{Finished, Workspace};

const ALL: [(&str, &str); 6] = [
    ("cut_off_early", "UNFINISHED"),
    ("panics", "PASS"),
    ("returns_a_result", "PASS"),
    ("with_a_bug", "FAIL"),
    ("with_settings", "PASS"),
    ("without_settings", "PASS"),
];

#[test]
fn settings_beside_a_test_count_between_environment_and_manifest() {
    let workspace =
        Workspace::of_fixture_with_built_library(env!("CARGO_TARGET_TMPDIR"), "attribute");
    let schedules = |events: &cct_tests::support::Events, test: &str| {
        let ended = events.test(&format!("attribute tests::{test}"));
        ended["counters"]["schedules"].as_u64().unwrap_or_default()
    };
    let own = workspace.explore(&[], 100);
    let expected =
        ALL.map(|(test, status)| (format!("attribute tests::{test}"), status.to_owned()));
    assert_eq!(own.statuses(), expected.into());
    assert_eq!(schedules(&own, "with_settings"), 17);
    assert_eq!(schedules(&own, "without_settings"), 1000);
    let cut_off = own.test("attribute tests::cut_off_early");
    assert_eq!(cut_off["counters"]["cut_offs"], 20, "{cut_off}");
    assert_eq!(cut_off["counters"]["longest"], 51, "{cut_off}");
    let strategy = &own.test("attribute tests::with_settings")["strategy"];
    assert_eq!(strategy, "random");

    let manifest = workspace.read("Cargo.toml") + "\n[package.metadata.cct]\niterations = 30\n";
    workspace.write("Cargo.toml", &manifest);
    let configured = workspace.explore(&["with"], 100);
    assert_eq!(schedules(&configured, "with_settings"), 17);
    assert_eq!(schedules(&configured, "without_settings"), 30);
    let overridden = workspace.explore(&["--iterations", "6", "settings"], 0);
    assert_eq!(schedules(&overridden, "with_settings"), 6);
    assert_eq!(schedules(&overridden, "without_settings"), 6);

    // Under plain cargo each body runs once, on real threads.
    let plain = ["test", "--lib", "--", "--skip", "with_a_bug"];
    let natively = Finished::of(workspace.cargo().args(plain));
    natively.expect(0);
    assert!(
        natively.stdout.contains("5 passed; 0 failed; 1 ignored"),
        "{natively:#?}"
    );
}

/// The error is on the setting, whether plain cargo or this tool builds.
#[test]
fn wrong_settings_do_not_compile() {
    let workspace =
        Workspace::of_fixture_with_built_library(env!("CARGO_TARGET_TMPDIR"), "attribute");
    workspace.replace("src/lib.rs", "iterations = 17", "iteration = 17");
    for command in [&mut workspace.cct(), &mut workspace.cargo()] {
        let refused = Finished::of(command.args(["test", "--lib"]));
        refused.expect(101);
        assert!(refused.stderr.contains("--> src/lib.rs:"), "{refused:#?}");
        assert!(refused.stderr.contains("iteration = 17"), "{refused:#?}");
    }
}
