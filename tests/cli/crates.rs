//! Crates of every kind build, and their tests end as they do natively.

use std::collections::BTreeMap;

use cct_tests::support::{Events, Finished, Workspace};

/// A fixture's tests and how each must end.
#[track_caller]
fn assert_ends(fixture: &str, tests: &[(&str, &str)]) -> Events {
    let workspace = Workspace::of_fixture(fixture);
    let fails = tests.iter().any(|(_, status)| *status != "PASS");
    let events = workspace.explore(&["--workspace"], if fails { 100 } else { 0 });
    let tests = tests
        .iter()
        .map(|(name, status)| ((*name).to_owned(), (*status).to_owned()));
    assert_eq!(events.statuses(), tests.collect::<BTreeMap<_, _>>());
    // Nothing is left uncontrolled that could be controlled.
    for (name, event) in events.ended() {
        let is_controlled = event["controlled"] == true;
        assert_eq!(is_controlled, event["native"].is_null(), "{name}: {event}");
        assert_eq!(event["uncontrolled"], serde_json::json!([]), "{name}");
        assert!(event["diverged"].is_null(), "{name}: {event}");
    }
    events
}

#[test]
fn a_virtual_manifest() {
    assert_ends(
        "virtual-manifest",
        &[
            ("counter tests::nothing_is_lost", "PASS"),
            ("counter::public the_public_face_counts", "PASS"),
            ("shop::bin/shop tests::all_money_is_counted", "FAIL"),
            ("shop::bin/shop tests::all_visitors_are_counted", "PASS"),
        ],
    );
}

#[test]
fn a_path_with_spaces() {
    assert_ends(
        "with spaces",
        &[
            ("spaced tests::a_file_is_found", "PASS"),
            ("spaced tests::a_store_is_lost", "FAIL"),
        ],
    );
}

#[test]
fn a_crate_without_std() {
    assert_ends(
        "no-std",
        &[
            ("no-std tests::a_lock_excludes", "PASS"),
            ("no-std tests::a_tried_lock_excludes", "FAIL"),
            ("no-std::without_std a_lock_can_be_taken_again", "PASS"),
        ],
    );
}

#[test]
fn crates_named_as_our_own() {
    let tests =
        ["cct", "cct_shims", "test"].map(|target| format!("names::{target} both_are_counted"));
    assert_ends(
        "names",
        &tests.each_ref().map(|test| (test.as_str(), "PASS")),
    );
}

#[test]
fn global_allocators() {
    let tests = [
        "allocator tests::each_thread_counts_its_own",
        "allocator::atomic a_block_is_counted_once",
        "allocator::atomic what_was_taken_is_given_back",
        "allocator::mutex one_allocates_while_another_has_the_lock",
        "allocator::mutex two_threads_allocate",
        "allocator::passed_on messages_go_through_a_channel",
        "allocator::passed_on threads_that_share_nothing_have_few_schedules",
        "allocator::spinning one_allocates_while_another_has_the_lock",
        "allocator::without_std a_block_is_counted_once",
    ];
    let passed = tests.map(|test| (test, "PASS"));
    let stuck = ("allocator::mutex who_has_the_lock_waits", "DEADLOCK");
    let freed = ("allocator::atomic a_block_is_given_back_twice", "BAD FREE");
    // Nothing is proved of what cannot be looked at.
    let endless = "allocator::counted looks_come_to_an_end_after_very_long";
    let others = [stuck, freed, (endless, "UNFINISHED")];
    let events = assert_ends("allocator", &[&passed[..], &others].concat());
    let summary = events.test(freed.0)["failure"]["summary"].to_string();
    assert!(summary.contains(" freed "), "{summary}");
    let few = events.test("allocator::passed_on threads_that_share_nothing_have_few_schedules");
    let distinct = few["counters"]["distinct"].as_u64();
    assert!(distinct.is_some_and(|count| count < 10), "{few:#}");
}

#[test]
fn a_build_script() {
    let test = "build-script tests::what_was_generated_is_there";
    assert_ends("build-script", &[(test, "PASS")]);
}

#[test]
fn a_procedural_macro_and_its_user() {
    let tests = [("named", "PASS"), ("user tests::everybody_boards", "PASS")];
    assert_ends("proc-macro", &tests);
}

#[test]
fn edition_2015() {
    assert_is_as_native("edition-2015");
}

#[test]
fn edition_2018() {
    assert_is_as_native("edition-2018");
}

#[test]
fn edition_2021() {
    assert_is_as_native("edition-2021");
}

#[test]
fn edition_2024() {
    assert_is_as_native("edition-2024");
}

/// This tool says of each test what plain cargo says.
#[track_caller]
fn assert_is_as_native(fixture: &str) {
    let workspace = Workspace::of_fixture(fixture);
    let natively = Finished::of(workspace.cargo().args(["test", "--no-fail-fast"]));
    natively.expect(101);
    let natively = natively.stdout.lines().filter_map(|line| {
        let (name, end) = line.strip_prefix("test ")?.split_once(" ... ")?;
        let name = name.trim_end_matches(" - should panic");
        let status = match end {
            "ok" => "PASS",
            "FAILED" => "FAIL",
            _ => return None,
        };
        Some((format!("{fixture} {name}"), status.to_owned()))
    });
    let natively: BTreeMap<_, _> = natively.collect();
    assert_eq!(natively.len(), 12, "{natively:#?}");
    let failures = natively.values().filter(|status| *status == "FAIL");
    assert_eq!(failures.count(), 3, "{natively:#?}");
    assert_eq!(workspace.explore(&[], 100).statuses(), natively);
}
