//! Pipes, sockets, event counts and pollers between workers are explored and replayed like locks.

use cct_tests::support::{Events, Finished, Workspace};

/// These pass, are explored, repeat, and meet nothing that is not under control.
fn assert_controlled(events: &Events, binary: &str, names: &[&str]) {
    for name in names {
        let ended = events.test(&format!("{binary} {name}"));
        assert_eq!(ended["status"], "PASS", "{ended:#}");
        assert_eq!(ended["controlled"], true, "{ended:#}");
        assert!(ended["diverged"].is_null(), "{ended:#}");
        assert_eq!(
            ended["counters"]["outside"],
            serde_json::json!([]),
            "{ended:#}"
        );
    }
}

/// This fails, and repeats.
fn assert_found(events: &Events, test: &str, status: &str) {
    let ended = events.test(test);
    assert_eq!(ended["status"], status, "{ended:#}");
    assert_eq!(ended["failure"]["repeats"]["repeats"], "yes", "{ended:#}");
}

#[test]
fn what_goes_through_pipes_is_explored() {
    let workspace = Workspace::of_fixture("descriptors");
    let events = workspace.explore(&["--test", "pipes"], 100);
    let passed = [
        "one_waits_for_another",
        "more_than_fits",
        "both_directions_of_a_pair",
        "a_timeout_is_virtual",
    ];
    assert_controlled(&events, "descriptors::pipes", &passed);
    assert_found(&events, "descriptors::pipes both_read_first", "DEADLOCK");
    assert_found(&events, "descriptors::pipes order_is_not_promised", "FAIL");
}

#[test]
fn those_who_poll_are_woken_in_the_engine() {
    let workspace = Workspace::of_fixture("descriptors");
    let events = workspace.explore(&["--test", "pollers"], 100);
    let passed = [
        "epoll_is_woken",
        "epoll_by_number",
        "an_epoll_instance_is_polled",
        "poll_waits_for_one_of_two",
        "select_waits",
        "timeouts_are_virtual",
        "timers_expire_in_virtual_time",
    ];
    assert_controlled(&events, "descriptors::pollers", &passed);
    assert_found(
        &events,
        "descriptors::pollers a_flag_comes_too_late",
        "FAIL",
    );
    assert_found(
        &events,
        "descriptors::pollers one_count_for_two",
        "DEADLOCK",
    );
}

/// A function with a name has a number, and is the same by it: natively as under control.
#[test]
fn numbers_are_as_good_as_names() {
    let workspace = Workspace::of_fixture("numbers");
    Finished::of(workspace.cargo().arg("test").env("NATIVELY", "1")).expect(0);
    let events = workspace.explore(&["--iterations", "100"], 100);
    assert_found(&events, "numbers::descriptors one_byte_for_two", "DEADLOCK");
    // The tests that fork, and the listener, have an outside that may answer.
    let outside = [
        "children_are_waited_for",
        "a_child_is_told_of",
        "a_child_that_borrows",
        "connections_are_taken",
    ];
    for ended in events.of_kind("test_ended") {
        let name = ended["test"].as_str().expect("a name");
        if name == "one_byte_for_two" {
            continue;
        }
        assert_eq!(ended["status"], "PASS", "{ended:#}");
        assert_eq!(ended["controlled"], true, "{ended:#}");
        assert!(ended["diverged"].is_null(), "{ended:#}");
        let is_alone = ended["counters"]["outside"] == serde_json::json!([]);
        assert_eq!(is_alone, !outside.contains(&name), "{ended:#}");
    }
}

#[test]
fn the_real_tokio_runs() {
    let workspace = Workspace::of_fixture("tokio-runtime");
    let events = workspace.explore(&["--iterations", "300"], 100);
    let passed = [
        "tasks_on_one_thread",
        "tasks_on_two_threads",
        "blocking_work",
        "time_on_one_thread",
        "time_on_two_threads",
        "looks_on_one_thread",
        "looks_on_two_threads",
        "a_clock_stands_still",
        "a_clock_stands_still_for_what_a_function_spawns",
        "a_clock_stands_still_for_a_local_set",
        "a_local_set_ends_before_its_tasks",
    ];
    assert_controlled(&events, "tokio-runtime::runtime", &passed);
    for (name, source) in [
        ("echo_on_one_thread", "tcp socket"),
        ("echo_on_two_threads", "tcp socket"),
        ("another_process", "child process"),
    ] {
        let ended = events.test(&format!("tokio-runtime::runtime {name}"));
        assert_eq!(ended["status"], "PASS", "{ended:#}");
        assert_eq!(ended["controlled"], true, "{ended:#}");
        let sources = ended["counters"]["outside"].to_string();
        assert!(sources.contains(source), "{ended:#}");
    }
    assert_found(&events, "tokio-runtime::runtime an_update_is_lost", "FAIL");
}
