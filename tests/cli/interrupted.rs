//! Signals at any moment, while cargo and rustc are at work as well: what has been done is told, nothing of
//! it is lost, and no process is left.
//!
//! The moments are drawn from a fixed seed; whenever a signal comes, either it has ended the command or that
//! had ended before.

use std::fs;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use cct_tests::support::{Draws, Finished, Mark, Workspace};

use crate::killed::send;

/// A signal, and the exit code of a command that it has stopped.
const SIGNALS: [(&str, i32); 4] = [("-INT", 130), ("-TERM", 143), ("-HUP", 129), ("-KILL", 137)];

/// The addressee of a signal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum To {
    /// The tool alone.
    Process,
    /// All that a terminal would send it to.
    Group,
}

/// Runs a command, and sends this signal after so long, unless it has ended.
fn interrupted(mut command: Command, signal: &str, to: To, after: Duration) -> Output {
    command.process_group(0);
    command.stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("it runs");
    let process = child.id();
    let reader = thread::spawn(move || child.wait_with_output().expect("ours"));
    let began = Instant::now();
    while began.elapsed() < after && !reader.is_finished() {
        thread::sleep(Duration::from_millis(1));
    }
    if !reader.is_finished() {
        let group = format!("-{process}");
        let number = process.to_string();
        let address = if to == To::Group { &group } else { &number };
        // It may have ended at this moment.
        let _ = Command::new("kill")
            .args([signal, "--", address])
            .stderr(Stdio::null())
            .status();
    }
    reader.join().expect("it waits")
}

/// The code as a shell would tell it.
fn code(output: &Output) -> i32 {
    let status = output.status;
    let by_signal = status.signal().map(|signal| 128 + signal);
    status.code().or(by_signal).expect("it has ended")
}

/// Interrupts a command at so many moments of the time that it takes, each time with something to build.
fn drill(workspace: &Workspace, args: &[&str], code_at_end: i32, moments: usize) {
    let source = workspace.read("src/lib.rs");
    let command = |mark: &Mark| {
        let mut command = workspace.cct();
        mark.put_on(command.env("CCT_SHRINK", "2s").args(args));
        command
    };
    let mut draws = Draws::new(args.iter().map(|arg| arg.len() as u64).sum());
    let touch = |number: usize| {
        workspace.write("src/lib.rs", &format!("{source}\n// {number}\n"));
    };
    let began = Instant::now();
    touch(0);
    Finished::of(&mut command(&Mark::default())).expect(code_at_end);
    let whole = began.elapsed();
    for moment in 1..=moments {
        let &(signal, stopped) = draws.one_of(&SIGNALS);
        let to = *draws.one_of(&[To::Process, To::Group]);
        let after = whole.mul_f64(draws.below(1000) as f64 / 1000.0);
        touch(moment);
        let mark = Mark::default();
        let output = interrupted(command(&mark), signal, to, after);
        let at = format!("{args:?} {signal} to the {to:?} after {after:?}: {output:#?}");
        assert!([stopped, code_at_end].contains(&code(&output)), "{at}");
        assert!(
            !String::from_utf8_lossy(&output.stderr).contains("panicked"),
            "{at}"
        );
        assert_eq!(mark.left(), [], "processes outlive the tool: {at}");
    }
    workspace.write("src/lib.rs", &source);
    Finished::of(&mut command(&Mark::default())).expect(code_at_end);
    let run = fs::read_dir(workspace.path("target/cct/run"));
    assert_eq!(run.into_iter().flatten().count(), 0, "files of runs");
}

#[test]
fn a_test_run_leaves_no_process_at_any_moment() {
    let workspace = Workspace::of_fixture("drills");
    let args = ["test", "--seed=1", "-j2", "--iterations=3000"];
    drill(&workspace, &args, 100, 12);
}

#[test]
fn other_commands_leave_no_process_at_any_moment() {
    let workspace = Workspace::of_fixture("drills");
    let found = workspace.explore(&["--lib", "a_store_is_lost"], 100);
    let id = found.test("drilled tests::a_store_is_lost")["failure"]["id"].clone();
    let id = id.as_str().expect("a text");
    drill(&workspace, &["replay", id], 100, 6);
    // Natively: a test that may fail does so now and then.
    let args = ["tsvd", "--lib", "--runs=2", "nothing_is_found"];
    drill(&workspace, &args, 0, 6);
    let args = ["interfere", "--lib", "--seed=1", "--iterations=300"];
    drill(&workspace, &args, 0, 6);
    // Its test must not have changed.
    for moment in [50, 200, 400, 700, 1200] {
        let mark = Mark::default();
        let mut command = workspace.cct();
        mark.put_on(command.args(["shrink", id, "--time=1s"]));
        let output = interrupted(command, "-TERM", To::Process, Duration::from_millis(moment));
        assert!([143, 0].contains(&code(&output)), "{output:#?}");
        assert_eq!(mark.left(), [], "{output:#?}");
        Finished::of(workspace.cct().args(["replay", id])).expect(100);
    }
}

/// The first run of all builds the engine.
#[test]
fn a_first_build_leaves_no_process_and_nothing_half_done() {
    let workspace = Workspace::of_fixture("drills");
    let cache = Workspace::empty(Some("cache"));
    for (number, (signal, stopped)) in SIGNALS.into_iter().enumerate() {
        let mark = Mark::default();
        let mut command = workspace.cct();
        command
            .env("CCT_CACHE_DIR", cache.path(""))
            .args(["test", "--lib"]);
        mark.put_on(&mut command);
        let to = if number % 2 == 0 {
            To::Process
        } else {
            To::Group
        };
        let output = interrupted(command, signal, to, Duration::from_millis(1500));
        let at = format!("{signal} to the {to:?}: {output:#?}");
        assert_eq!(code(&output), stopped, "{at}");
        assert_eq!(mark.left(), [], "{at}");
        let entries = fs::read_dir(cache.path("")).expect("it is there").flatten();
        let whole = entries.filter(|entry| entry.path().join("files").exists());
        assert_eq!(whole.count(), 0, "{at}");
    }
}

/// `timeout` sends a signal twice at once; a person who repeats it later means it, here since the tool
/// waits for a warden that is held.
#[test]
fn a_second_wish_ends_at_once() {
    let workspace = Workspace::of_fixture("drills");
    let wait = "fn main() { std::thread::sleep(std::time::Duration::from_secs(600)); }";
    workspace.write("build.rs", wait);
    let mark = Mark::default();
    let mut command = workspace.cct();
    mark.put_on(command.args(["test", "--lib"]));
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("it runs");
    let of = |words: &str| {
        let all = mark.processes().into_iter();
        all.filter(|(_, line)| line.contains(words))
            .map(|(process, _)| process)
            .next()
    };
    let until = |is_so: &mut dyn FnMut() -> bool| {
        let began = Instant::now();
        while !is_so() {
            assert!(
                began.elapsed() < Duration::from_mins(5),
                "{:?}",
                mark.processes()
            );
            thread::sleep(Duration::from_millis(20));
        }
    };
    until(&mut || of("build-script-build").is_some());
    let warden = of("cct-warden").expect("cargo has one");
    trace(libc::PTRACE_ATTACH, warden);
    // At once, as a terminal and a shell do.
    for _ in 0..2 {
        // SAFETY: nobody has waited for the child.
        unsafe { libc::kill(child.id().cast_signed(), libc::SIGINT) };
    }
    thread::sleep(Duration::from_millis(500));
    assert!(
        child.try_wait().expect("ours").is_none(),
        "it waits for the warden"
    );
    // Wishes that follow one another at once are one.
    until(&mut || {
        thread::sleep(Duration::from_millis(500));
        let has_ended = child.try_wait().expect("ours").is_some();
        if !has_ended {
            send("-INT", child.id());
        }
        has_ended
    });
    assert_eq!(child.wait().expect("ours").code(), Some(130));
    trace(libc::PTRACE_DETACH, warden);
    assert_eq!(mark.left(), []);
}

/// Holds a process, which no signal but SIGKILL then has go on, or lets it go, as a thread that ends does.
fn trace(request: libc::c_uint, process: u32) {
    let process = libc::pid_t::try_from(process).expect("process numbers are small");
    // SAFETY: both requests touch no memory.
    let done = unsafe { libc::ptrace(request, process, 0, 0) };
    assert_eq!(done, 0, "{}", std::io::Error::last_os_error());
    if request == libc::PTRACE_ATTACH {
        // SAFETY: nothing is written to null.
        let stopped = unsafe { libc::waitpid(process, std::ptr::null_mut(), libc::__WALL) };
        assert_eq!(stopped, process);
    }
}

/// nextest is killed, and the tests that it has started have no end of their own.
#[test]
fn runners_end_with_nextest() {
    if !crate::nextest::has_nextest() {
        return;
    }
    let workspace = Workspace::of_fixture("drills");
    for signal in ["-KILL", "-TERM", "-INT"] {
        let mark = Mark::default();
        let mut command = workspace.cct();
        command.args(["nextest", "run", "--lib", "nothing_is_found"]);
        command.env("CCT_ITERATIONS", "18446744073709551615");
        command.env("CCT_STRATEGY", "random");
        mark.put_on(&mut command).process_group(0);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().expect("it runs");
        let began = Instant::now();
        let explores = || {
            let all = mark.processes();
            all.iter().any(|(_, line)| line.contains("--nocapture"))
        };
        while !explores() {
            let is_alive = child.try_wait().expect("ours").is_none();
            assert!(is_alive && began.elapsed() < Duration::from_mins(5));
            thread::sleep(Duration::from_millis(20));
        }
        send(signal, child.id());
        child.wait().expect("ours");
        assert_eq!(mark.left(), [], "{signal}");
    }
}

/// The user's daemons are none of the tool's business: the server of a compiler cache, for one.
#[test]
fn a_daemon_that_a_build_has_started_goes_on() {
    let workspace = Workspace::of_fixture("drills");
    let mark = Mark::default();
    workspace.write(
        "build.rs",
        r#"fn main() {
            let mut daemon = std::process::Command::new("setsid");
            daemon.args(["sleep", "3600"]).stdin(std::process::Stdio::null());
            daemon.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
            daemon.spawn().unwrap();
        }"#,
    );
    let mut command = workspace.cct();
    let args = [
        "test",
        "--lib",
        "--seed=1",
        "nothing_is_found",
        "--iterations=1",
    ];
    Finished::of(mark.put_on(command.args(args))).expect(0);
    let left = mark.processes();
    assert!(
        left.len() == 1 && left[0].1.starts_with("sleep"),
        "{left:?}"
    );
    send("-KILL", left[0].0);
}
