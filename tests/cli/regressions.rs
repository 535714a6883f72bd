//! Failures that are known: one record a bug, tried before anything is explored.

use cct_tests::support::{Events, Finished, Workspace};
use serde_json::Value;

use crate::explored::text;

const SOURCE: &str = "tests/long.rs";
const LOST: &str = "shrinking::long a_lost_update_in_a_pool";
const TORN: &str = "shrinking::long two_preemptions_are_needed";

/// Runs both tests, with known failures tried first or not.
fn run(workspace: &Workspace, known: bool, args: &[&str]) -> Events {
    let mut command = workspace.cct();
    command.args(["test", "--json", "--strategy", "random"]);
    command.arg(if known {
        "--known=true"
    } else {
        "--known=false"
    });
    command
        .args(args)
        .args(["--", "a_lost_update", "two_preemptions"]);
    Events::of(&Finished::of(&mut command))
}

fn listed(workspace: &Workspace) -> Vec<Value> {
    let listed = Finished::of(workspace.cct().args(["list", "--json"]));
    Events::of(&listed).of_kind("failure").cloned().collect()
}

#[test]
fn a_bug_is_known_again_and_tried_first() {
    let workspace = Workspace::of_fixture("shrinking");
    let first = run(&workspace, false, &["--seed", "1"]);
    let id = |events: &Events, test: &str| text(&events.test(test)["failure"]["id"]).to_owned();
    // Other schedules lead to the same failures, also where two runs write at a time.
    std::thread::scope(|scope| {
        for seed in ["2", "3"] {
            let workspace = &workspace;
            scope.spawn(move || run(workspace, false, &["--seed", seed]));
        }
    });
    let known = listed(&workspace);
    assert_eq!(known.len(), 2, "{known:#?}");
    for failure in &known {
        assert_eq!(failure["seen"]["times"], 3, "{failure:#}");
        assert_eq!(failure["seen"]["runs"].as_array().map(Vec::len), Some(3));
    }
    // A schedule that was shrunk stays, whatever is found later.
    let lost = id(&first, LOST);
    Finished::of(workspace.cct().args(["shrink", &lost, "--time=60s"])).expect(0);
    let short = |workspace: &Workspace| {
        let told = Finished::of(workspace.cct().args(["show", &lost, "--json"]));
        Events::of(&told).only("report")["preemptions"].clone()
    };
    assert_eq!(short(&workspace), 1);
    let fourth = run(&workspace, false, &["--seed", "4"]);
    assert_eq!(short(&workspace), 1);
    // The id leads to it, and a run that finds another one says so.
    let told = &fourth.test(LOST)["failure"];
    assert_eq!(told["shorter_on_record"]["preemptions"], 1, "{told:#}");
    assert!(first.test(LOST)["failure"]["shorter_on_record"].is_null());

    // They are tried before anything is explored.
    let again = run(&workspace, true, &["--seed", "5"]);
    for test in [LOST, TORN] {
        let ended = again.test(test);
        assert_eq!(ended["counters"]["schedules"], 0, "{ended:#}");
        assert_eq!(ended["tried"][0]["outcome"], "fails", "{ended:#}");
        assert_eq!(ended["first_bug"], 0);
        assert_eq!(ended["controlled"], true);
        assert_eq!(id(&again, test), id(&first, test));
        assert!(ended["claim"].is_null(), "{ended:#}");
    }

    // Lines move, one of the bugs is mended: the other one is still the same.
    let source = workspace.read(SOURCE);
    let mended = source.replace("load(Ordering::SeqCst) < 2", "load(Ordering::SeqCst) < 3");
    workspace.write(SOURCE, &format!("// Another line.\n{mended}"));
    let edited = run(&workspace, true, &["--seed", "6"]);
    assert_eq!(edited.test(LOST)["tried"][0]["outcome"], "fails");
    let passes = edited.test(TORN);
    assert_eq!(passes["outcome"], "passed", "{passes:#}");
    assert_eq!(passes["tried"][0]["outcome"], "passes", "{passes:#}");
    assert_ne!(passes["counters"]["schedules"], 0);
    // That is told once; counters and seeds are as if nothing had been tried.
    let again = run(&workspace, true, &["--seed", "6"]);
    let without = run(&workspace, false, &["--seed", "6"]);
    assert_eq!(again.test(TORN)["tried"], Value::Array(Vec::new()));
    let counts = |events: &Events| {
        let counters = &events.test(TORN)["counters"];
        (
            counters["schedules"].clone(),
            counters["distinct"].clone(),
            counters["steps"].clone(),
        )
    };
    assert_eq!(counts(&edited), counts(&without));
    let gone = listed(&workspace);
    let gone: Vec<_> = gone
        .iter()
        .filter(|failure| failure["seen"]["fails"] == false)
        .collect();
    assert_eq!(gone.len(), 1, "{gone:#?}");
    assert_eq!(text(&gone[0]["id"]), id(&first, TORN));
}

#[test]
fn a_kept_schedule_is_tried_on_every_machine() {
    let workspace = Workspace::of_fixture("shrinking");
    let found = run(&workspace, false, &["--seed", "1"]);
    for test in [LOST, TORN] {
        let id = text(&found.test(test)["failure"]["id"]);
        Finished::of(workspace.cct().args(["keep", id])).expect(0);
    }
    let torn = "cct-regressions/two_preemptions_are_needed.toml";
    let file = workspace.read(torn);
    assert!(
        file.contains("halves[1].store(value, Ordering::SeqCst);"),
        "{file}"
    );
    // Nothing is on record there.
    Finished::of(workspace.cct().args(["clean", "--failures", "--quiet"])).expect(0);
    let source = workspace.read(SOURCE);
    workspace.write(SOURCE, &format!("// Another line.\n{source}"));
    let there = run(&workspace, false, &["--seed", "9", "--iterations", "1"]);
    for test in [LOST, TORN] {
        let ended = there.test(test);
        assert_eq!(ended["tried"][0]["outcome"], "fails", "{ended:#}");
        assert_eq!(ended["failure"]["id"], found.test(test)["failure"]["id"]);
    }
    // It passes where the bug is mended, and does not fit where the steps are others as well: no failure
    // either.
    let mended = source.replace("load(Ordering::SeqCst) < 2", "load(Ordering::SeqCst) < 3");
    let store = "halves[1].store(value, Ordering::SeqCst);";
    let other = mended.replace(store, "halves[1].swap(value, Ordering::SeqCst);");
    for (text, outcome) in [(mended, "passes"), (other, "does_not_fit")] {
        workspace.write(SOURCE, &text);
        let events = run(&workspace, false, &["--seed", "9", "--iterations", "1"]);
        let ended = events.test(TORN);
        assert_eq!(ended["tried"][0]["outcome"], outcome, "{ended:#}");
        assert_eq!(ended["outcome"], "passed", "{ended:#}");
    }
    // Files that are of no use are told, and the tests are run.
    workspace.write(
        "cct-regressions/damaged.toml",
        &file.replacen('@', "@99", 1),
    );
    workspace.write("cct-regressions/foreign.toml", "a = ");
    workspace.write(
        "cct-regressions/gone.toml",
        &file.replace("two_preemptions_are_needed", "renamed"),
    );
    workspace.write(
        "cct-regressions/lost.toml",
        &file.replace("target = \"long\"", "target = \"length\""),
    );
    workspace.write("cct-regressions/new.toml", "format = 2");
    let args = ["test", "--iterations", "1", "two_preemptions"];
    let told = Finished::of(workspace.cct().args(args));
    told.expect(96);
    for word in [
        "damaged.toml",
        "foreign.toml",
        "keeps a schedule of `renamed`",
        "keeps a schedule of the target `length` (test)",
        "has format 2",
    ] {
        assert!(told.stderr.contains(word), "{told:#?}");
    }
    assert!(told.stdout.contains("1 passed"), "{told:#?}");
}

/// The folder that a build script writes to has a hash in its name, which follows from the version.
#[test]
fn generated_code_is_found_in_another_build() {
    let workspace = Workspace::of_fixture("shrinking");
    let script = "fn main() {
    let text = \"fn add(sum: &AtomicUsize) {
    let old = sum.load(SeqCst);
    sum.store(old + 1, SeqCst);
}\";
    let path = std::env::var(\"OUT_DIR\").unwrap() + \"/generated.rs\";
    std::fs::write(path, text).unwrap();
}
";
    workspace.write("build.rs", script);
    let test = "use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
include!(concat!(env!(\"OUT_DIR\"), \"/generated.rs\"));
#[test]
fn generated() {
    let sum = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| add(&sum));
        add(&sum);
    });
    assert_eq!(sum.load(SeqCst), 2);
}
";
    workspace.write("tests/generated.rs", test);
    let run = |known: &str| {
        let args = ["--test", "generated", known];
        let events = workspace.explore(&args, 100);
        events.test("shrinking::generated generated").clone()
    };
    let found = run("--known=false");
    let id = text(&found["failure"]["id"]);
    Finished::of(workspace.cct().args(["keep", id])).expect(0);
    let file = workspace.read("cct-regressions/generated.toml");
    assert!(file.contains("\"<shrinking out>/generated.rs:2:"), "{file}");
    let manifest = workspace.read("Cargo.toml");
    workspace.write("Cargo.toml", &manifest.replace("0.1.0", "0.2.0"));
    let again = run("--known=false");
    assert_eq!(again["tried"][0]["outcome"], "fails", "{again:#}");
    let replayed = Finished::of(workspace.cct().args(["replay", id]));
    replayed.expect(100);
    assert!(replayed.stdout.contains("Reproduced"), "{replayed:#?}");
}

/// A test that other features leave out is not gone, and a failure of theirs still fails.
#[test]
fn features_are_part_of_what_is_kept() {
    let workspace = Workspace::empty(Some("featured"));
    let manifest = "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n\
                    [features]\nfast = []\n\n[workspace]\n";
    workspace.write("Cargo.toml", manifest);
    let source = "
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

fn adds() -> u32 {
    let sum = Arc::new(AtomicU32::new(0));
    let other = sum.clone();
    let add = |sum: &AtomicU32| {
        if cfg!(feature = \"fast\") {
            sum.store(sum.load(SeqCst) + 1, SeqCst);
        } else {
            sum.fetch_add(1, SeqCst);
        }
    };
    let worker = std::thread::spawn(move || add(&other));
    add(&sum);
    worker.join().unwrap();
    sum.load(SeqCst)
}

#[cfg(feature = \"fast\")]
#[test]
fn only_fast() {
    assert_eq!(adds(), 2);
}

#[test]
fn always() {
    assert_eq!(adds(), 2);
}
";
    workspace.write("src/lib.rs", source);
    let found = workspace.explore(&["--known=true", "--lib", "--features", "fast"], 100);
    for test in ["app only_fast", "app always"] {
        let id = text(&found.test(test)["failure"]["id"]);
        Finished::of(workspace.cct().args(["keep", id])).expect(0);
    }
    let plain = ["test", "--seed", "1", "--lib", "--known=true"];
    let told = Finished::of(workspace.cct().args(plain));
    told.expect(0);
    let why = "keeps a schedule of `only_fast`, which is not in this build: it was kept with \
               `--features fast`";
    assert!(told.stderr.contains(why), "{told:#?}");
    assert!(!told.stdout.contains("does not fit"), "{told:#?}");
    for failure in listed(&workspace) {
        assert_eq!(failure["seen"]["fails"], true, "{failure:#}");
    }
}

/// A future that a thread blocks on is made by no step, also where the thread has just spawned another one.
#[test]
fn what_a_thread_blocks_on_is_known_again() {
    let workspace = Workspace::empty(Some("blocking"));
    let manifest =
        "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n";
    workspace.write("Cargo.toml", manifest);
    let source = "
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn block_on<F: Future>(future: F) -> F::Output {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

#[test]
fn it_is_late() {
    let count = Arc::new(AtomicU32::new(0));
    let caller = thread::current();
    let worker = thread::spawn({
        let count = count.clone();
        move || {
            count.fetch_add(1, SeqCst);
            caller.unpark();
        }
    });
    let looks = block_on(async {
        let mut looks = 0;
        poll_fn(|_| {
            looks += 1;
            match count.load(SeqCst) {
                0 => Poll::Pending,
                _ => Poll::Ready(()),
            }
        })
        .await;
        looks
    });
    worker.join().unwrap();
    assert_eq!(looks, 1);
}
";
    workspace.write("src/lib.rs", source);
    let found = workspace.explore(&["--lib"], 100);
    let id = text(&found.test("app it_is_late")["failure"]["id"]).to_owned();
    workspace.write("src/lib.rs", &format!("// A comment.\n{source}"));
    let told = Finished::of(workspace.cct().args(["replay", &id]));
    told.expect(100);
    assert!(told.stdout.contains("Reproduced"), "{told:#?}");
    workspace.write("src/lib.rs", source);
    Finished::of(workspace.cct().args(["keep", &id])).expect(0);
    let again = workspace.explore(&["--lib", "--known=false", "--iterations=1"], 100);
    let tried = &again.test("app it_is_late")["tried"];
    assert_eq!(tried[0]["outcome"], "fails", "{tried:#}");
}

/// Two tests with one body, which fails by most schedules.
const ALIKE: &str = "
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

fn loses() {
    static SUM: AtomicU32 = AtomicU32::new(0);
    let add = || {
        for _ in 0..4 {
            SUM.store(SUM.load(SeqCst) + 1, SeqCst);
        }
    };
    let other = thread::spawn(add);
    add();
    other.join().unwrap();
    assert_eq!(SUM.load(SeqCst), 8);
}

#[test]
fn first() {
    loses();
}

#[test]
fn second() {
    loses();
}
";

/// The first of them has failed and is kept; and the id of its failure.
fn alike() -> (Workspace, String) {
    let workspace = Workspace::of_fixture("with spaces");
    workspace.write("src/lib.rs", ALIKE);
    let found = find(&workspace, &["first"]);
    let id = text(&found.test("spaced first")["failure"]["id"]).to_owned();
    Finished::of(workspace.cct().args(["keep", &id])).expect(0);
    (workspace, id)
}

fn find(workspace: &Workspace, tests: &[&str]) -> Events {
    let args = ["--lib", "--known=false", "--strategy=random", "--"];
    workspace.explore(&[&args[..], tests].concat(), 100)
}

/// Copies what is kept of the first test, as if it were of the second one.
fn copy_to_second(workspace: &Workspace) {
    let kept = workspace.read("cct-regressions/first.toml");
    let copy = kept.replacen("test = \"first\"", "test = \"second\"", 1);
    assert_ne!(copy, kept);
    workspace.write("cct-regressions/second.toml", &copy);
}

/// The ids of all failures on record, and their tests.
fn on_record(workspace: &Workspace) -> Vec<(String, String)> {
    let named = |failure: &Value| {
        (
            text(&failure["test"]).to_owned(),
            text(&failure["id"]).to_owned(),
        )
    };
    let mut all: Vec<_> = listed(workspace).iter().map(named).collect();
    all.sort();
    all
}

#[test]
fn a_kept_schedule_replaces_no_shorter_one() {
    let (workspace, id) = alike();
    let length = || {
        let told = Finished::of(workspace.cct().args(["show", &id, "--json"]));
        let events = Events::of(&told);
        let report = events.only("report");
        let number = |key: &str| report[key].as_u64().expect("a number");
        (number("preemptions"), number("switches"))
    };
    let long = length();
    Finished::of(workspace.cct().args(["shrink", &id, "--time=60s"])).expect(0);
    let short = length();
    assert!(short < long, "{short:?} {long:?}");
    let again = find(&workspace, &["first"]);
    let ended = again.test("spaced first");
    assert_eq!(ended["tried"][0]["outcome"], "fails", "{ended:#}");
    assert_eq!(ended["failure"]["id"], *id, "{ended:#}");
    assert_eq!(length(), short);
    let told = &ended["failure"]["shorter_on_record"];
    assert_eq!(told["preemptions"], short.0, "{ended:#}");
}

#[test]
fn a_copy_of_a_kept_file_leaves_the_record_of_the_other_test() {
    let (workspace, id) = alike();
    copy_to_second(&workspace);
    let both = find(&workspace, &[]);
    for test in ["spaced first", "spaced second"] {
        let ended = both.test(test);
        assert_eq!(ended["tried"][0]["outcome"], "fails", "{ended:#}");
    }
    let all = on_record(&workspace);
    let second = text(&both.test("spaced second")["failure"]["id"]).to_owned();
    let expected = [("first".to_owned(), id), ("second".to_owned(), second)];
    assert_eq!(all, expected);
}

/// Nothing is on record where others check the files out.
#[test]
fn a_copy_of_a_kept_file_may_fail_before_the_other_test() {
    let (workspace, _) = alike();
    copy_to_second(&workspace);
    Finished::of(workspace.cct().args(["clean", "--failures"])).expect(0);
    let mut told = Vec::new();
    for test in ["second", "first"] {
        let ended = find(&workspace, &[test]);
        let ended = ended.test(&format!("spaced {test}"));
        assert_eq!(ended["tried"][0]["outcome"], "fails", "{ended:#}");
        told.push((test.to_owned(), text(&ended["failure"]["id"]).to_owned()));
    }
    told.sort();
    assert_eq!(on_record(&workspace), told);
}
