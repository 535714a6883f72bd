//! Processes and files that a schedule leaves behind are gone when the next one begins, and after the run.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use cct_tests::support::{Events, Finished, Workspace, run_by};

use crate::explored::text;
use crate::killed::send;

fn workspace() -> Workspace {
    Workspace::kept_of_fixture(env!("CARGO_TARGET_TMPDIR"), "leftovers")
}

/// A run whose children are known by how long they sleep, with a folder for temporary files of its own.
struct Run {
    long: String,
    temporary: PathBuf,
}

impl Run {
    fn new(workspace: &Workspace) -> Run {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Relaxed);
        let long = format!("86400.{:07}{count}", std::process::id());
        let temporary = workspace.path("target").join(&long);
        fs::create_dir_all(&temporary).expect("the copy is writable");
        Run { long, temporary }
    }

    fn cct(&self, workspace: &Workspace, args: &[&str]) -> Command {
        let mut command = workspace.cct();
        command.env("LONG", &self.long).args(args);
        // A variable of the user's would stay.
        command.env_remove("INSTA_UPDATE");
        command.env("TMPDIR", &self.temporary);
        command
    }

    /// Everything that the children of this run are.
    fn children(&self) -> Vec<u32> {
        let begins = format!("sleep\0{}", self.long);
        let is_one = |number: &u32| {
            let words = fs::read(format!("/proc/{number}/cmdline")).unwrap_or_default();
            words.starts_with(begins.as_bytes())
        };
        let processes = fs::read_dir("/proc").expect("it is there").flatten();
        let numbers = processes.filter_map(|it| it.file_name().to_str()?.parse().ok());
        numbers.filter(is_one).collect()
    }

    #[track_caller]
    fn has_left_nothing(&self) {
        assert_eq!(self.children(), Vec::<u32>::new(), "processes");
        let files = fs::read_dir(&self.temporary).expect("it is there");
        assert_eq!(files.count(), 0, "files");
    }
}

#[test]
fn no_schedule_finds_what_another_has_left() {
    let workspace = workspace();
    let run = Run::new(&workspace);
    let args = ["test", "--json", "--seed=1", "--iterations=20", "-j2"];
    let tests = ["--test=children", "--test=earlier", "--test=folders"];
    let finished = Finished::of(run.cct(&workspace, &args).args(tests));
    finished.expect(100);
    run.has_left_nothing();
    let events = Events::of(&finished);
    let ended = events.ended();
    assert_eq!(ended.len(), 19, "{ended:#?}");
    for (name, ended) in ended {
        let fails = name.ends_with("a_child_and_a_failure");
        let expected = if fails { "FAIL" } else { "PASS" };
        assert_eq!(ended["status"], expected, "{ended:#}");
        let schedules = &ended["counters"]["schedules"];
        assert!(fails || *schedules == 20, "{ended:#}");
    }

    let failed = events.test("leftovers::children a_child_and_a_failure");
    let id = text(&failed["failure"]["id"]).to_owned();
    Finished::of(&mut run.cct(&workspace, &["replay", &id])).expect(100);
    run.has_left_nothing();
    let args = ["shrink", &id, "--time=1s"];
    Finished::of(&mut run.cct(&workspace, &args)).expect(0);
    run.has_left_nothing();
}

/// A run that makes schedules for ever, in each of which children are alive.
fn without_end(workspace: &Workspace, run: &Run) -> (Child, BufReader<std::process::ChildStdout>) {
    let endless = "--iterations=18446744073709551615";
    let args = [
        "test",
        "--json",
        "-j1",
        endless,
        "--strategy=random",
        "--test=children",
    ];
    let mut command = run.cct(workspace, &args);
    command.args(["without_end", "--", "--ignored"]);
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("it runs");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut told = String::new();
    while !told.contains("\"event\":\"progress\"") {
        let read = lines.read_line(&mut told).expect("text");
        assert!(read > 0, "the run ended by itself: {told}");
    }
    (child, lines)
}

/// Waits until there are no children of the run, for as long as a slow machine may take.
#[track_caller]
fn all_end(run: &Run) {
    for _ in 0..1000 {
        if run.children().is_empty() {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("children outlive the run: {:?}", run.children());
}

#[test]
fn children_end_with_a_run_that_is_killed() {
    let workspace = workspace();
    let run = Run::new(&workspace);
    let (mut child, _lines) = without_end(&workspace, &run);
    send("-KILL", child.id());
    child.wait().expect("ours");
    all_end(&run);
}

#[test]
fn children_end_with_a_test_process_that_is_killed() {
    let workspace = workspace();
    let run = Run::new(&workspace);
    let (mut child, mut lines) = without_end(&workspace, &run);
    let is_test = |process: &u32| {
        let words = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        words.windows(7).any(|words| words == b"--exact")
    };
    let wardens = children_of(child.id());
    let tests: Vec<u32> = wardens.into_iter().flat_map(children_of).collect();
    let tests: Vec<u32> = tests.into_iter().filter(is_test).collect();
    assert_eq!(tests.len(), 1, "one process is at it");
    send("-KILL", tests[0]);
    let mut told = String::new();
    while lines.read_line(&mut told).expect("text") > 0 {}
    assert_eq!(child.wait().expect("ours").code(), Some(100), "{told}");
    run.has_left_nothing();
    let events = Events::read(&told);
    let ended = events.test("leftovers::children without_end");
    assert!(text(&ended["failure"]["bug"]["message"]).contains("SIGKILL"));
}

fn children_of(process: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{process}/task"));
    let tasks = tasks.into_iter().flatten().flatten();
    let lists = tasks.map(|task| fs::read_to_string(task.path().join("children")));
    let lists: Vec<_> = lists.map(Result::unwrap_or_default).collect();
    let words = lists.iter().flat_map(|list| list.split_whitespace());
    words.map(|word| word.parse().expect("a number")).collect()
}

/// A process in the names of what it has made, as the tool writes it: no process has such a number.
pub(crate) fn gone_process() -> String {
    let namespace = fs::metadata("/proc/self/ns/pid").expect("there is one");
    let kernel = fs::read_to_string("/proc/sys/kernel/random/boot_id").expect("it has one");
    let kernel = u64::from_str_radix(&kernel[..8], 16).expect("a number");
    format!("{:08x}-9999999", namespace.ino() ^ kernel)
}

/// The next run removes the folders of one that was killed, and no others: those of runs in another
/// container that shares the folder, and those of anybody else's, which may be named after a day.
#[test]
fn folders_for_temporary_files_are_swept() {
    let workspace = workspace();
    let run = Run::new(&workspace);
    let left = format!("cct-{}-000001-tmp", gone_process());
    let stay = [
        "20261128",
        "9999999",
        "cct-9999999-notes",
        // No namespace has such a number.
        "cct-00000001-9999999-000001-tmp",
    ];
    for name in stay.iter().chain([&&*left]) {
        let folder = run.temporary.join(name).join("folder");
        fs::create_dir_all(folder).expect("the copy is writable");
    }
    let args = ["test", "--iterations=1", "--test=folders", "a_socket"];
    Finished::of(&mut run.cct(&workspace, &args)).expect(0);
    assert!(!run.temporary.join(left).exists());
    for name in stay {
        let folder = run.temporary.join(name);
        assert!(folder.join("folder").exists(), "{}", folder.display());
        fs::remove_dir_all(folder).expect("it is the test's");
    }
    run.has_left_nothing();
}

/// Each counts its processes from 1, sees none of the other's, and has the same target folder and folder for
/// temporary files.
#[test]
fn runs_in_two_containers_do_not_take_each_other_for_gone() {
    let container = ["-p", "-f", "--mount-proc", "--kill-child"];
    let status = Command::new("unshare").args(container).arg("true").status();
    if !status.is_ok_and(|status| status.success()) {
        eprintln!("skipped: namespaces of processes are not permitted here");
        return;
    }
    let workspace = workspace();
    let run = Run::new(&workspace);
    let args = ["test", "--json", "--test=folders", "--iterations=300"];
    Finished::of(&mut run.cct(&workspace, &[&args[..], &["--no-run"]].concat())).expect(0);
    let ended = thread::scope(|scope| {
        let runs = [1, 2, 3].map(|_| {
            scope.spawn(|| {
                let mut shell = Command::new("unshare");
                shell.args(container);
                Finished::of(&mut run_by(shell, &run.cct(&workspace, &args)))
            })
        });
        runs.map(|run| run.join().expect("it ends"))
    });
    let [first, others @ ..] = ended.each_ref().map(|finished| {
        let events = Events::of(finished);
        assert_eq!(finished.code, ended[0].code, "{finished:#?}");
        events.statuses()
    });
    for other in others {
        assert_eq!(other, first);
    }
    run.has_left_nothing();
}

/// They would read it the next time.
#[test]
fn libraries_of_tests_write_nothing_beside_the_source() {
    let workspace = workspace();
    let run = Run::new(&workspace);
    let args = ["test", "--iterations=2", "--test=libraries"];
    Finished::of(&mut run.cct(&workspace, &args)).expect(0);
    let own = Finished::of(run.cct(&workspace, &args).env("INSTA_UPDATE", "always"));
    own.expect(100);
    assert!(own.stdout.contains("always"), "{own:#?}");
}

#[test]
fn a_file_that_a_failure_hangs_on_is_named() {
    let workspace = workspace();
    let file = workspace.path("target/regressions");
    let _ = fs::remove_file(&file);
    let run = Run::new(&workspace);
    let args = ["test", "--seed=1", "-j1", "--test=files", "regressions"];
    let finished = Finished::of(&mut run.cct(&workspace, &args));
    finished.expect(100);
    let told = finished.stdout;
    assert!(told.contains("FLAKY"), "{told}");
    let named = format!(
        "a file that a schedule finds as another one has left it: `{}`",
        name(&file)
    );
    assert!(told.contains(&named), "{told}");
    assert!(!told.contains("unread"), "{told}");
}

/// The tool's own are not there for tests: it would not hear how these end.
#[test]
fn a_test_may_close_all_descriptors() {
    let workspace = Workspace::kept_of_fixture(env!("CARGO_TARGET_TMPDIR"), "hostile");
    let events = workspace.explore(&["--iterations=20", "closes_all"], 0);
    let statuses = events.statuses();
    assert_eq!(statuses.len(), 2);
    assert!(
        statuses.values().all(|status| status == "PASS"),
        "{statuses:#?}"
    );
}

fn name(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Code before `main` has named another folder for temporary files; a test has another output.
#[test]
fn what_is_the_users_is_not_put_back() {
    let workspace = Workspace::of_fixture("limits");
    let log = "mine\n".repeat(1000);
    workspace.write("mine/log", &log);
    workspace.write("mine/letter", "mine");
    let args = ["test", "--test", "early", "--iterations", "200"];
    Finished::of(workspace.cct().args(args).arg("each_schedule")).expect(0);
    let files = fs::read_dir(workspace.path("mine")).expect("a folder");
    assert!(
        files.count() >= 202,
        "the log, the letter, one of each schedule"
    );
    Finished::of(workspace.cct().args(args).arg("a_file_takes_the_place"));
    assert!(workspace.read("mine/log").starts_with(&log));
    assert_eq!(workspace.read("mine/letter"), "mine");
}
