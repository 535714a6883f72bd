//! Executions that somebody leads: orders come from a file here, as from a pipe.

use std::fs::File;

use cct_tests::support::{Events, Finished, Workspace};

use crate::explored::text;

/// The program of `docs/interactive.md`, and tests of its own.
const SOURCE: &str = r#"use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Condvar, Mutex};
use std::thread;

static COUNT: AtomicU32 = AtomicU32::new(0);

fn add() {
    let count = COUNT.load(SeqCst);
    COUNT.store(count + 1, SeqCst);
}

#[test]
fn nothing_is_lost() {
    let other = thread::spawn(add);
    add();
    other.join().unwrap();
    assert_eq!(COUNT.load(SeqCst), 2);
}

#[test]
fn one_of_two_is_woken() {
    static READY: Mutex<u32> = Mutex::new(0);
    static SIGNAL: Condvar = Condvar::new();
    let wait = |name: &'static str| {
        thread::spawn(move || {
            let ready = READY.lock().unwrap();
            drop(SIGNAL.wait_while(ready, |ready| *ready == 0).unwrap());
            println!("{name} is awake");
        })
    };
    let _waiters = ["first", "second"].map(wait);
    thread::sleep(std::time::Duration::from_secs(1));
    *READY.lock().unwrap() = 1;
    SIGNAL.notify_one();
    thread::sleep(std::time::Duration::from_secs(1));
}

#[test]
fn it_exits() {
    let other = thread::spawn(|| COUNT.store(1, SeqCst));
    if COUNT.load(SeqCst) == 0 {
        std::process::abort();
    }
    other.join().unwrap();
}
"#;

fn workspace() -> Workspace {
    let workspace = Workspace::of_fixture("with spaces");
    workspace.write("src/lib.rs", SOURCE);
    workspace
}

/// Runs the tool with these orders on its standard input.
#[track_caller]
fn led(workspace: &Workspace, args: &[&str], orders: &[&str], code: i32) -> String {
    workspace.write("orders", &format!("{}\n", orders.join("\n")));
    let orders = File::open(workspace.path("orders")).expect("it was written");
    let finished = Finished::reading(orders, workspace.cct().args(args));
    finished.expect(code);
    finished.stdout
}

const TEST: [&str; 5] = ["test", "--lib", "--seed=1", "--strategy=interactive", "-q"];

#[track_caller]
fn led_test(workspace: &Workspace, test: &str, orders: &[&str], code: i32) -> String {
    led(workspace, &[&TEST[..], &[test]].concat(), orders, code)
}

/// The id of what was saved.
fn saved(told: &str) -> String {
    let (_, after) = told.split_once("saved as ").expect("something was saved");
    after.chars().take_while(|&c| c != ',').collect()
}

/// Puts `xxxx-xx` where the id is.
fn anonymous(told: &str) -> String {
    told.replace(&saved(told), "xxxx-xx")
}

#[test]
fn the_session_of_the_documentation_is_what_happens() {
    let orders = [
        "main",
        "w1",
        "until lib.rs:9",
        "back",
        "until w1",
        "",
        "save",
        "quit",
    ];
    let told = anonymous(&led_test(&workspace(), "nothing_is_lost", &orders, 100));
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/interactive.md");
    let documentation = std::fs::read_to_string(path).expect("it is there");
    let sessions: Vec<_> = documentation.split("```").collect();
    let session = sessions.iter().find(|part| part.contains("(cct)"));
    let session = session
        .expect("it has a session")
        .trim_start_matches("text\n");
    let (_, session) = session
        .split_once('\n')
        .expect("a command, and what follows");
    assert_eq!(
        told, session,
        "`docs/interactive.md` tells something else:\n{told}"
    );
}

#[test]
fn what_is_saved_is_replayed() {
    let workspace = workspace();
    let failing = led_test(
        &workspace,
        "nothing_is_lost",
        &["main", "w1", "w1", "main", "save"],
        100,
    );
    assert!(failing.contains("it fails with"), "{failing}");
    let replayed = Finished::of(workspace.cct().args(["replay", &saved(&failing)]));
    replayed.expect(100);
    assert!(replayed.stdout.contains("(interactive)"), "{replayed:#?}");

    // Saved on the way, it goes on by defaults; then the session goes on from where it was.
    let orders = ["main", "save", "w1", "w1", "run"];
    let passing = led_test(&workspace, "nothing_is_lost", &orders, 100);
    assert!(passing.contains("it does not fail"), "{passing}");
    assert!(passing.contains("the test fails"), "{passing}");
    let id = saved(&passing);
    let replayed = Finished::of(workspace.cct().args(["replay", &id]));
    replayed.expect(0);
    assert!(replayed.stdout.contains("Reproduced"), "{replayed:#?}");
    assert!(replayed.stdout.contains("no failure"), "{replayed:#?}");
    let json = Finished::of(workspace.cct().args(["replay", "--json", &id]));
    json.expect(0);
    assert_eq!(Events::of(&json).only("replayed")["outcome"], "reproduced");
    let listed = Finished::of(workspace.cct().arg("list"));
    listed.expect(0);
    assert!(
        listed.stdout.contains(&format!("{id}  SAVED")),
        "{listed:#?}"
    );
    Finished::of(workspace.cct().args(["show", &id])).expect(0);
}

#[test]
fn a_replay_follows_its_schedule_until_it_is_left() {
    let workspace = workspace();
    let args = ["--lib", "--strategy", "random", "nothing_is_lost"];
    let found = workspace.explore(&args, 100);
    let id = text(&found.test("spaced nothing_is_lost")["failure"]["id"]).to_owned();
    let replay = ["replay", "--interactive", &id];

    let followed = led(&workspace, &replay, &["run", "save"], 100);
    assert!(followed.contains("follows its schedule"), "{followed}");
    assert!(!followed.contains("was left"), "{followed}");
    let kept = |id: &str| {
        let record = workspace.read(&format!("target/cct/failures/{id}/trace.json"));
        let record: serde_json::Value = record.parse().expect("a record is JSON");
        record["schedule"]["runs"].clone()
    };
    assert_eq!(kept(&saved(&followed)), kept(&id));

    // One worker after the other: nothing can be lost.
    let left = led(&workspace, &replay, &["main", "main", "main", "run"], 0);
    assert!(left.contains("the schedule was left"), "{left}");
    assert!(left.contains("the test passes"), "{left}");
    // Back before the place where it was left, the schedule holds again.
    let orders = ["main", "main", "main", "run", "back 99", "back 2", "run"];
    let back = led(&workspace, &replay, &orders, 100);
    assert!(back.contains("not so many choices"), "{back}");
}

#[test]
fn orders_run_until_something_is_so() {
    let workspace = workspace();
    let steps = |orders: &[&str]| {
        let told = led_test(&workspace, "nothing_is_lost", orders, 0);
        let (_, last) = told
            .rsplit_once(&format!("(cct) {}\n", orders[orders.len() - 1]))
            .expect("the last order was repeated");
        last.to_owned()
    };
    let until = |order: &str| steps(&[order, "trace"]).lines().count() - 1;
    assert_eq!(until("until step 4"), 3);
    assert_eq!(until("step"), 3);
    assert_eq!(until("step 2"), 4);
    let stopped = steps(&["until lib.rs:9"]);
    assert!(stopped.contains("> "), "{stopped}");
    assert!(stopped.contains("COUNT.store"), "{stopped}");
    let waits = steps(&["until main"]);
    assert!(waits.contains("main: join … waits"), "{waits}");
}

#[test]
fn values_are_asked_for_and_output_is_kept_apart() {
    let workspace = workspace();
    let told = |value: &str| {
        // Both wait before the sleeper wakes: by default, each worker runs until it waits.
        let orders = ["until lib.rs:34", "", value, "run"];
        led_test(&workspace, "one_of_two_is_woken", &orders, 0)
    };
    let (first, second) = (told("0"), told("1"));
    for told in [&first, &second] {
        assert!(told.contains("a value from 0 to 1"), "{told}");
        for line in told.lines().filter(|line| line.contains("is awake")) {
            assert!(line.starts_with("       | "), "{line:?} in {told}");
        }
    }
    assert!(first.contains("| first is awake"), "{first}");
    assert!(second.contains("| second is awake"), "{second}");
    let wrong = led_test(
        &workspace,
        "one_of_two_is_woken",
        &["until lib.rs:34", "", "2"],
        0,
    );
    assert!(wrong.contains("a value is below 2"), "{wrong}");
}

#[test]
fn a_process_that_dies_ends_the_session_like_any_bug() {
    let workspace = workspace();
    let told = led_test(
        &workspace,
        "it_exits",
        &["run", "back", "list", "run", "save"],
        100,
    );
    assert_eq!(told.matches("the test fails").count(), 2, "{told}");
    Finished::of(workspace.cct().args(["replay", &saved(&told)])).expect(100);
}

#[test]
fn wrong_orders_are_told_and_the_end_of_the_input_leaves() {
    let workspace = workspace();
    let orders = ["jump", "w7", "until", "back", "help"];
    let told = led_test(&workspace, "nothing_is_lost", &orders, 0);
    for why in [
        "`jump` is no order",
        "that worker cannot run now",
        "`until` is no order",
        "not so many choices",
        "until lib.rs:21",
    ] {
        assert!(told.contains(why), "no `{why}`: {told}");
    }
    assert_eq!(
        led_test(&workspace, "nothing_is_lost", &["quit", "run"], 0)
            .matches("(cct)")
            .count(),
        1
    );
}

#[test]
fn only_one_test_can_be_led() {
    let workspace = workspace();
    let refused = |args: &[&str], why: &str| {
        let finished = Finished::of(workspace.cct().args(TEST).args(args));
        finished.expect(96);
        assert!(finished.stderr.contains(why), "no `{why}`: {finished:#?}");
    };
    refused(&[], "needs exactly one test, but 3 are selected");
    refused(&["no_such_test"], "none is");
    refused(&["nothing_is_lost", "--json"], "goes with neither");
    refused(
        &["nothing_is_lost", "--compare-strategies"],
        "goes with neither",
    );
    let json = ["replay", "--interactive", "--json"];
    Finished::of(workspace.cct().args(json)).expect(96);
}
