//! Uncontrolled things are noticed and told, and never taken for a bug that replays.

use std::process::Command;

use cct_tests::support::{Events, Finished, Workspace};

use crate::explored::text;

#[test]
fn a_failure_that_does_not_repeat_is_flaky() {
    let workspace = Workspace::of_fixture("uncontrolled");
    // Alone: what does not repeat in one of several processes is explored again by one.
    let args = ["-j1", "--test", "files", "fails_once"];
    let found = workspace.explore(&args, 100);
    let ended = found.test("uncontrolled::files fails_once");
    assert_eq!(ended["status"], "FLAKY", "{ended:#}");
    assert_eq!(ended["outcome"], "flaky", "{ended:#}");
    assert_eq!(ended["failure"]["repeats"]["repeats"], "no", "{ended:#}");
    assert_eq!(found.only("run_ended")["flaky"], 1);

    let id = text(&ended["failure"]["id"]);
    let shown = Finished::of(workspace.cct().args(["show", id]));
    shown.expect(0);
    let claim = "The schedule did not fail again";
    let (failed, repetition) = shown.stdout.split_once(claim).expect(&shown.stdout);
    // The output is of the execution that failed, the steps are of the other one, and none of them failed.
    assert!(!failed.contains("Repetition:"), "{}", shown.stdout);
    let file = ended["shared_files"][0].as_str().expect("it is named");
    assert!(file.ends_with("/fails_once"), "{ended:#}");
    assert!(
        shown.stdout.contains(&format!("`{file}`")),
        "{}",
        shown.stdout
    );
    assert!(repetition.contains("Repetition: "), "{repetition}");
    for word in ["✗", "Failing schedule", "printed in"] {
        assert!(!repetition.contains(word), "{word}: {repetition}");
    }
    let listed = Finished::of(workspace.cct().arg("list"));
    assert!(listed.stdout.contains("FLAKY"), "{listed:#?}");
}

#[test]
fn a_schedule_that_differs_the_second_time_is_told() {
    let workspace = Workspace::of_fixture("uncontrolled");
    // Alone: another process of the test may have been there before.
    let args = ["-j1", "--test", "files", "differs"];
    let told = workspace.test(&args, 0).stdout;
    let warning = "its first schedule ran twice and differed at step";
    assert!(told.contains(warning), "{told}");
    assert!(told.contains("something is not under control"), "{told}");
}

/// The engine waits for an answer that came by now the first time, and that is no silence of the test.
#[test]
fn an_answer_that_comes_later_is_no_hang() {
    let workspace = Workspace::of_fixture("uncontrolled");
    let args = [
        "-j1",
        "--test",
        "files",
        "--iterations",
        "3",
        "answers_later",
    ];
    let told = workspace
        .test(&[&args[..], &["--hang-timeout", "500ms"]].concat(), 0)
        .stdout;
    let warning = "its first schedule ran twice and differed at step";
    assert!(told.contains(warning), "{told}");
}

#[test]
fn what_does_not_repeat_is_not_proved() {
    let workspace = Workspace::of_fixture("uncontrolled");
    let args = ["--test", "files", "--strategy", "dpor", "differs"];
    let told = workspace.test(&args, 0).stdout;
    assert!(told.contains("explored, not all repeat"), "{told}");
    assert!(!told.contains("proved"), "{told}");
}

#[test]
fn a_test_that_waits_in_the_kernel_runs_natively() {
    let workspace = Workspace::of_fixture("uncontrolled");
    let args = ["--test", "locks"];
    let told = workspace.test(&args, 0).stdout;
    assert!(told.contains("ran natively: not controlled"), "{told}");
    assert!(told.contains("not controlled: file lock"), "{told}");
    let events = workspace.explore(&args, 0);
    let ended = events.test("uncontrolled::locks waits_for_another_worker");
    assert_eq!(ended["controlled"], false, "{ended:#}");
    assert_eq!(ended["uncontrolled"], serde_json::json!(["file lock"]));
}

/// A thread outside may answer those who wait and those who look again and again; one that does not is waited
/// for no longer than a while.
#[test]
fn threads_outside_have_time_to_answer() {
    let workspace = Workspace::of_fixture("uncontrolled");
    let native = ["test", "--test=helper", "--", "--skip=never_comes"];
    Finished::of(workspace.cargo().args(native)).expect(0);
    let events = workspace.explore(&["--test", "helper", "--iterations", "20"], 100);
    let status = events.statuses();
    for (test, expected) in [
        ("an_answer_that_is_spun_for", "PASS"),
        ("an_answer_that_is_waited_for", "PASS"),
        ("an_answer_that_never_comes", "LIVELOCK"),
    ] {
        let test = format!("uncontrolled::helper {test}");
        assert_eq!(status[&test], expected, "{:#}", events.test(&test));
    }
}

#[test]
fn a_test_that_only_uses_the_outside_is_explored() {
    let workspace = Workspace::of_fixture("uncontrolled");
    let events = workspace.explore(&["--test", "outside", "--iterations", "20"], 100);
    for (name, source) in [
        ("loopback", "tcp socket"),
        ("another_process", "child process"),
        ("a_process_before_its_timeout", "child process"),
        ("a_polled_process_before_its_timeout", "child process"),
        ("a_long_sleep_after_a_process", "child process"),
    ] {
        let ended = events.test(&format!("uncontrolled::outside {name}"));
        assert_eq!(ended["status"], "PASS", "{ended:#}");
        assert_eq!(ended["controlled"], true, "{ended:#}");
        assert_eq!(ended["counters"]["schedules"], 20, "{ended:#}");
        let sources = ended["counters"]["outside"].to_string();
        assert!(sources.contains(source), "{ended:#}");
    }
    let ended = events.test("uncontrolled::outside nobody_sends");
    assert_eq!(ended["status"], "DEADLOCK", "{ended:#}");
    let told = workspace.test(&["--test", "outside", "--iterations", "3", "loopback"], 0);
    assert!(
        told.stdout.contains("not controlled: tcp socket ("),
        "{told:#?}"
    );
    assert!(told.stdout.contains("a replay may differ"), "{told:#?}");
}

/// The user can end a run at any time, and is told how far it came.
#[test]
fn an_interrupted_run_says_so() {
    use std::io::{BufRead as _, BufReader};
    use std::process::Stdio;

    let workspace = Workspace::of_fixture("configured");
    let mut command = workspace.cct();
    command.args([
        "test",
        "--json",
        "--lib",
        "--iterations",
        "18446744073709551615",
    ]);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the tool can be run");
    let stdout = child.stdout.take().expect("standard output is a pipe");
    let mut lines = BufReader::new(stdout).lines().map_while(Result::ok);
    let under_way = lines.any(|line| line.contains("\"event\":\"progress\""));
    assert!(under_way, "the run ended by itself");
    let id = libc::pid_t::try_from(child.id()).expect("process numbers are small");
    // SAFETY: touches no memory; the process is ours and not yet waited for.
    assert_eq!(unsafe { libc::kill(id, libc::SIGINT) }, 0);
    let rest: Vec<String> = lines.collect();
    let status = child.wait().expect("the process is ours");
    assert_eq!(status.code(), Some(130), "{rest:#?}");
    let stopped = Events::read(&rest.join("\n"));
    let ended = stopped.test("configured tests::nothing_is_lost");
    assert_eq!(ended["outcome"], "stopped", "{ended:#}");
    assert_eq!(stopped.only("run_ended")["not_run"], 1);
}

/// A machine that is busy elsewhere: who starts a thread goes on only later, and takes memory.
#[test]
fn libtests_main_thread_may_be_late() {
    let workspace = Workspace::of_fixture("allocator");
    let late = workspace.path("late.rs");
    let args = ["--edition=2024", "--crate-type=cdylib", "-Cpanic=abort"];
    let mut rustc = Command::new("rustc");
    rustc
        .args(args)
        .arg(&late)
        .arg("--out-dir")
        .arg(workspace.path(""));
    Finished::of(&mut rustc).expect(0);
    let args = ["--test=atomic", "what_was_taken"];
    workspace.test(&args, 0);
    for late in ["2", "5", "10", "20", "40"] {
        let mut cct = workspace.cct();
        cct.arg("test").args(args).env("LATE", late);
        cct.env("LD_PRELOAD", workspace.path("liblate.so"));
        Finished::of(&mut cct).expect(0);
    }
}
