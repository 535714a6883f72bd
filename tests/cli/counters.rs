//! The counters of an exploration, as `-v` and `--json` tell them.

use cct_tests::support::Workspace;

use crate::explored::text;

#[test]
fn verbose_tells_all_counters() {
    let workspace = Workspace::of_fixture("with spaces");
    let args = ["--lib", "-v", "-j1", "--strategy", "random"];
    let told = workspace.test(&args, 100).stdout;
    let before = told
        .split_once("\n───")
        .map_or(&*told, |(before, _)| before);
    let lines = before
        .lines()
        .filter(|line| line.starts_with("             "))
        .filter(|line| !line.contains("ns a step"));
    insta::assert_snapshot!(lines.collect::<Vec<_>>().join("\n"));
    // A user who does not ask is told the least.
    let short = workspace.test(&args[..1], 100).stdout;
    assert!(!short.contains("choice point"), "{short}");
}

#[test]
fn programs_are_told_all_counters() {
    let workspace = Workspace::of_fixture("with spaces");
    let events = workspace.explore(&["--lib"], 100);
    let lost = events.test("spaced tests::a_store_is_lost");
    assert_eq!(lost["first_bug"], lost["failure"]["iteration"]);
    assert_eq!(lost["counters"]["concurrency"], 2);
    assert_eq!(text(&lost["strategy"]), "portfolio");
    let passed = events.test("spaced tests::a_file_is_found");
    assert!(passed["first_bug"].is_null(), "{passed:#}");
    let ended = events.only("run_ended");
    let sum = |key: &str| {
        let of = |event: &serde_json::Value| event["counters"][key].as_u64().unwrap_or_default();
        assert_eq!(of(ended), of(lost) + of(passed), "{key}");
        of(ended)
    };
    assert!(sum("choice_points") > 0 && sum("steps") > sum("choice_points"));
    assert_eq!(ended["exhausted"], 0);
}
