//! Runs that are ended from outside: by Ctrl-C, or by a signal that nobody can catch.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use cct_tests::support::{Events, Finished, Workspace, run_by};

use crate::explored::text;

const ENDLESS: [&str; 7] = [
    "test",
    "--json",
    "--lib",
    "-j1",
    "--iterations=18446744073709551615",
    "--strategy",
    "random",
];

/// Two tests, of which the first fails and the other has no end.
fn workspace() -> Workspace {
    let workspace = Workspace::of_fixture("with spaces");
    workspace.write(
        "src/lib.rs",
        r"
        use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
        use std::thread;

        static COUNT: AtomicU32 = AtomicU32::new(0);

        fn add() {
            let count = COUNT.load(SeqCst);
            COUNT.store(count + 1, SeqCst);
        }

        #[test]
        fn a_store_is_lost() {
            let other = thread::spawn(add);
            add();
            other.join().unwrap();
            assert_eq!(COUNT.load(SeqCst), 2);
        }

        #[test]
        fn nothing_is_found() {
            let other = thread::spawn(add);
            add();
            other.join().unwrap();
        }
        ",
    );
    workspace
}

/// A run that has come as far as the second test; and what it told so far.
fn under_way(workspace: &Workspace) -> (Child, BufReader<std::process::ChildStdout>, String) {
    let mut command = workspace.cct();
    command.args(ENDLESS).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::null()).spawn().expect("it runs");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut told = String::new();
    // The test before it may tell how far it is, too.
    let is_it =
        |line: &str| line.contains("\"event\":\"progress\"") && line.contains("nothing_is_found");
    while !told.lines().any(is_it) {
        let read = lines.read_line(&mut told).expect("text");
        assert!(read > 0, "the run ended by itself: {told}");
    }
    (child, lines, told)
}

#[track_caller]
pub(crate) fn send(signal: &str, process: u32) {
    let status = Command::new("kill")
        .args([signal, &process.to_string()])
        .status();
    assert!(status.expect("`kill` can be run").success());
}

/// The test processes that a run has started.
fn children(run: u32) -> Vec<u32> {
    let path = format!("/proc/{run}/task");
    let tasks = fs::read_dir(path).expect("it runs").flatten();
    let lists = tasks.map(|task| fs::read_to_string(task.path().join("children")));
    let lists: Vec<_> = lists.map(Result::unwrap_or_default).collect();
    let words = lists.iter().flat_map(|list| list.split_whitespace());
    words.map(|word| word.parse().expect("a number")).collect()
}

/// True if what the run has started there explores: a failure is tried again in another process.
fn explores(process: u32) -> bool {
    let list = fs::read_to_string(format!("/proc/{process}/task/{process}/children"));
    let list = list.unwrap_or_default();
    let mut environments = list
        .split_whitespace()
        .map(|child| fs::read(format!("/proc/{child}/environ")));
    environments
        .any(|it| it.is_ok_and(|it| String::from_utf8_lossy(&it).contains("CCT_MODE=explore")))
}

/// The boards of a run.
fn boards(run: u32) -> usize {
    let process = format!("-{run:07}-");
    let shared = fs::read_dir("/dev/shm").into_iter().flatten().flatten();
    let names = shared.map(|entry| entry.file_name());
    names
        .map(|name| name.to_string_lossy().into_owned())
        .filter(|name| name.starts_with("cct-") && name.contains(&process))
        .count()
}

#[test]
fn what_an_interrupted_run_has_found_is_kept() {
    for (signal, code) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
        let workspace = workspace();
        let (mut child, mut lines, mut told) = under_way(&workspace);
        send(signal, child.id());
        while lines.read_line(&mut told).expect("text") > 0 {}
        assert_eq!(child.wait().expect("ours").code(), Some(code), "{told}");
        let events = Events::read(&told);
        let stopped = events.test("spaced nothing_is_found");
        assert_eq!(stopped["outcome"], "stopped", "{stopped:#}");
        let lost = events.test("spaced a_store_is_lost");
        let id = text(&lost["failure"]["id"]).to_owned();
        Finished::of(workspace.cct().args(["replay", &id])).expect(100);
        assert_eq!(boards(child.id()), 0);
        let left = fs::read_dir(workspace.path("target/cct/run"));
        assert_eq!(left.into_iter().flatten().count(), 0, "files of the run");
    }
}

#[test]
fn a_run_that_is_killed_leaves_what_it_found_and_no_process() {
    let workspace = workspace();
    let (mut child, _lines, told) = under_way(&workspace);
    let children = children(child.id());
    assert!(
        !children.is_empty(),
        "the test runs in a process of its own"
    );
    send("-KILL", child.id());
    child.wait().expect("ours");
    let lives = |process: &u32| {
        // One that is dead and that nobody has waited for yet does not count.
        let status = fs::read_to_string(format!("/proc/{process}/stat"));
        status.is_ok_and(|status| !status.contains(") Z "))
    };
    for _ in 0..3000 {
        if !children.iter().any(lives) {
            break;
        }
        thread::sleep(Duration::from_millis(10));
    }
    assert!(
        !children.iter().any(lives),
        "test processes outlive the run"
    );

    let events = Events::read(&told);
    let lost = events.test("spaced a_store_is_lost");
    let id = text(&lost["failure"]["id"]).to_owned();
    // The next run removes what the killed one could not.
    Finished::of(workspace.cct().args(["replay", &id])).expect(100);
    assert_eq!(boards(child.id()), 0);
    let run = format!("target/cct/run/{:07}", child.id());
    assert!(!Path::new(&workspace.path(&run)).exists());
}

/// As `nohup` and shells do: a signal that comes to nothing for others comes to nothing here.
#[test]
fn a_signal_that_is_ignored_ends_nothing() {
    let workspace = workspace();
    let mut shell = Command::new("bash");
    shell.args(["-c", "trap '' HUP; exec \"$0\" \"$@\""]);
    let mut test = workspace.cct();
    test.args(ENDLESS).arg("nothing_is_found");
    let mut command = run_by(shell, &test);
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("it runs");
    let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let lines = lines.map(|line| line.expect("text"));
    let mut told = lines.filter(|line| line.contains("\"event\":\"progress\""));
    for _ in 0..20 {
        told.next().expect("it goes on");
        send("-HUP", child.id());
    }
    told.next().expect("it goes on");
    send("-TERM", child.id());
    told.for_each(drop);
    assert_eq!(child.wait().expect("ours").code(), Some(143));
}

/// Nobody knows who killed it; that the schedule does not fail again is what can be told.
#[test]
fn a_test_process_that_is_killed_from_outside_is_no_bug_that_repeats() {
    let workspace = workspace();
    let (mut child, mut lines, mut told) = under_way(&workspace);
    for process in children(child.id()) {
        send("-KILL", process);
    }
    while lines.read_line(&mut told).expect("text") > 0 {}
    assert_eq!(child.wait().expect("ours").code(), Some(100), "{told}");
    let events = Events::read(&told);
    let ended = events.test("spaced nothing_is_found");
    assert_eq!(ended["status"], "FLAKY", "{ended:#}");
    let message = text(&ended["failure"]["bug"]["message"]);
    assert!(message.contains("SIGKILL"), "{ended:#}");
}

/// Nothing of the test has run then. Here code before `main` kills the process so many times, unless it lists
/// tests. Where results are kept the test lacks if there is no end of it.
#[test]
fn a_test_process_that_is_killed_as_it_begins_is_begun_again() {
    let workspace = workspace();
    let early = r#"
        unsafe extern "C" { fn raise(signal: i32) -> i32; }

        extern "C" fn early() {
            let words = std::fs::read_to_string("/proc/self/cmdline").unwrap();
            let count = std::fs::read_to_string("count").unwrap();
            let most = std::fs::read_to_string("most").unwrap().parse().unwrap();
            if !words.contains("--list") && count.len() < most {
                std::fs::write("count", count + "x").unwrap();
                unsafe { raise(9) };
            }
        }

        #[used]
        #[unsafe(link_section = ".init_array")]
        static EARLY: extern "C" fn() = early;
    "#;
    let source = workspace.read("src/lib.rs");
    workspace.write("src/lib.rs", &format!("{source}{early}"));
    workspace.write("count", "");
    workspace.write("most", "2");
    let args = ["--lib", "-j1", "nothing_is_found"];
    let ended = workspace.explore(&args, 0);
    assert_eq!(ended.test("spaced nothing_is_found")["status"], "PASS");
    assert_eq!(workspace.read("count"), "xx");

    workspace.write("most", "1000000");
    let kept = ["--results=results", "--iterations=1000"];
    let ended = workspace.explore(&[&args[..], &kept].concat(), 5);
    assert_eq!(ended.only("run_ended")["not_run"], 1);
    let kept = ["--campaign=campaign", "--time=3s"];
    let ended = workspace.explore(&[&args[..], &kept].concat(), 5);
    assert_eq!(ended.only("run_ended")["failed"], 0);
}

/// Where results are kept it is explored anew, and after some times it lacks.
#[test]
fn that_a_test_was_killed_again_and_again_is_no_success() {
    let workspace = workspace();
    let mut command = workspace.cct();
    command
        .args(ENDLESS)
        .args(["--results=results", "nothing_is_found"]);
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("it runs");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut told = String::new();
    loop {
        let mut line = String::new();
        if lines.read_line(&mut line).expect("text") == 0 {
            break;
        }
        if line.contains("\"event\":\"progress\"") {
            for process in children(child.id()).into_iter().filter(|&it| explores(it)) {
                // SAFETY: one that has been waited for just now is nobody's.
                unsafe { libc::kill(process.cast_signed(), libc::SIGKILL) };
            }
        }
        told += &line;
    }
    assert_eq!(child.wait().expect("ours").code(), Some(5), "{told}");
    let events = Events::read(&told);
    assert_eq!(events.only("run_ended")["not_run"], 1, "{told}");
}

/// As the system does where memory runs out: cargo itself says nothing.
#[test]
fn that_cargo_was_killed_is_told() {
    let workspace = workspace();
    workspace.write(
        "build.rs",
        r#"
        fn main() {
            let cargo = std::os::unix::process::parent_id().to_string();
            let _ = std::process::Command::new("kill").args(["-KILL", &cargo]).status();
        }
        "#,
    );
    let ended = Finished::of(workspace.cct().args(["test", "--lib"]));
    ended.expect(101);
    let said = "error: the build failed: cargo was ended by signal 9 (SIGKILL";
    assert!(ended.stderr.contains(said), "{ended:#?}");
}
