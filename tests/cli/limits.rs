//! Limits of the machine: memory, address space, files and their size, tests at a time.

use std::process::Command;

use cct_tests::support::{Events, Finished, Workspace, run_by};

use crate::explored::text;

/// Runs the tool after `ulimit` with these words.
fn limited(workspace: &Workspace, limit: &str, args: &[&str]) -> Finished {
    let mut shell = Command::new("bash");
    shell.args(["-c", &format!("ulimit {limit} && exec \"$0\" \"$@\"")]);
    Finished::of(&mut run_by(shell, workspace.cct().args(args)))
}

#[test]
fn a_test_that_takes_more_and_more_memory_ends_by_a_limit() {
    let workspace = Workspace::of_fixture("limits");
    let explore = [
        "test",
        "--json",
        "-j1",
        "--max-memory",
        "128M",
        "--test",
        "memory",
    ];
    let finished = Finished::of(workspace.cct().args(explore).arg("grow"));
    finished.expect(100);
    let events = Events::of(&finished);
    for (test, line) in [
        ("a_vector_grows", 26),
        ("a_mapping_grows_full", 41),
        ("a_table_grows_full", 53),
    ] {
        let ended = events.test(&format!("limits::memory {test}"));
        assert_eq!(ended["status"], "MEMORY", "{ended:#}");
        let bug = &ended["failure"]["bug"];
        assert_eq!(bug["kind"], "out_of_memory", "{ended:#}");
        let message = text(&bug["message"]);
        assert!(
            message.contains("128 MiB") && message.contains("max_memory"),
            "{message}"
        );
        assert_eq!(text(&bug["site"]["file"]), "tests/memory.rs", "{ended:#}");
        assert_eq!(bug["site"]["line"], line, "{ended:#}");
        let id = text(&ended["failure"]["id"]);
        Finished::of(workspace.cct().args(["replay", id])).expect(100);
    }
}

#[test]
fn a_test_that_stops_the_process_above_it_comes_to_its_end() {
    let workspace = Workspace::of_fixture("limits");
    let args = ["--test", "above", "--iterations", "5"];
    let args = [&args[..], &["--hang-timeout", "1s"]].concat();
    let finished = Finished::of(workspace.cct().arg("test").args(args));
    finished.expect(0);
}

#[test]
fn memory_that_is_reserved_or_given_back_does_not_count() {
    let workspace = Workspace::of_fixture("limits");
    let args = [
        "test",
        "-j1",
        "--max-memory",
        "128M",
        "--iterations",
        "4",
        "--test",
        "memory",
    ];
    let mut command = workspace.cct();
    command.args(args).args(["--", "--skip", "grow"]);
    let finished = Finished::of(&mut command);
    finished.expect(0);
    assert!(finished.stdout.contains("2 passed"), "{finished:#?}");
}

#[test]
fn limits_of_address_space_leave_room_or_are_named() {
    let workspace = Workspace::of_fixture("limits");
    let test = ["test", "--test", "disk", "a_store_is_lost"];
    Finished::of(workspace.cct().args(test)).expect(100);
    for (limit, code) in [
        ("-v 8000000", 100),
        ("-d 8000000", 100),
        ("-s unlimited", 100),
        ("-c 0", 100),
        ("-v 3000000", 96),
        ("-d 2000000", 96),
    ] {
        let finished = limited(&workspace, limit, &test);
        finished.expect(code);
        let command = format!("`ulimit {}`", &limit[..2]);
        let is_named =
            finished.stdout.contains(&command) && finished.stdout.contains("4194304 KiB");
        assert_eq!(is_named, code == 96, "{limit}: {finished:#?}");
    }
    // That it cannot be tried says nothing about a failure that is known.
    let mut again = workspace.cct();
    again.args(test).env("CCT_KNOWN", "true");
    let mut shell = Command::new("bash");
    shell.args(["-c", "ulimit -v 3000000 && exec \"$0\" \"$@\""]);
    let again = Finished::of(&mut run_by(shell, &again));
    again.expect(96);
    assert!(again.stderr.contains("could not be tried"), "{again:#?}");
    let list = Finished::of(workspace.cct().arg("list"));
    list.expect(0);
    assert!(list.stdout.contains("a_store_is_lost"), "{list:#?}");
    assert!(!list.stdout.contains("no longer fails"), "{list:#?}");
}

#[test]
fn limits_of_files_are_no_failures_of_tests() {
    let workspace = Workspace::of_fixture("limits");
    Finished::of(workspace.cct().args(["test", "--no-run"])).expect(0);
    // Too small for the files of a run, or for what the test prints.
    for (limit, test) in [
        ("-f 20", "nothing_is_found"),
        ("-f 200", "nothing_is_found"),
    ] {
        let finished = limited(&workspace, limit, &["test", "--test", "disk", test]);
        finished.expect(96);
        assert!(finished.stderr.contains("`ulimit -f`"), "{finished:#?}");
    }
    let few = limited(
        &workspace,
        "-n 24",
        &["test", "--test", "disk", "nothing_is_found"],
    );
    few.expect(0);
}

#[test]
fn more_tests_at_a_time_than_the_machine_can_do_are_capped() {
    let workspace = Workspace::of_fixture("limits");
    let run = |jobs: &str| {
        let args = ["test", "--test", "disk", "nothing_is_found", jobs];
        Finished::of(workspace.cct().args(args))
    };
    let many = run("-j9999");
    many.expect(0);
    assert!(
        many.stderr.contains("tests run at a time instead of 9999"),
        "{many:#?}"
    );
    let none = run("-j0");
    none.expect(96);
    assert!(none.stderr.contains("`-j 0`"), "{none:#?}");
    run("-j-1").expect(0);
    run("-jmany").expect(96);
}

#[test]
fn sizes_have_units() {
    let workspace = Workspace::of_fixture("limits");
    for size in ["1M", "much", "-2G"] {
        let option = format!("--max-memory={size}");
        let refused = Finished::of(workspace.cct().args(["test", &option]));
        refused.expect(96);
        assert!(refused.stderr.contains("is no size"), "{refused:#?}");
    }
}
