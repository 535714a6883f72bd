//! Data races: each is found, told and replayed, and what everything orders is none. tests/races has the
//! rest.

use cct_tests::support::{Finished, Workspace};

use crate::explored::text;

/// The ways to miss an order, each with what its report has to say.
const BUGS: [(&str, &str, &[&str]); 15] = [
    ("nothing_orders_them", "RACE", &["nothing orders the two"]),
    (
        "threads_of_a_scope",
        "RACE",
        &["8 bytes of the same memory"],
    ),
    ("a_static", "RACE", &["4 bytes of `bugs::COUNT`"]),
    (
        "a_store_is_relaxed",
        "RACE",
        &["is Relaxed: it publishes nothing"],
    ),
    (
        "a_load_is_relaxed",
        "RACE",
        &["is Relaxed: it takes nothing over"],
    ),
    (
        "a_fence_comes_too_late",
        "RACE",
        &["is Relaxed: it publishes nothing"],
    ),
    (
        "somebody_elses_fence_is_between",
        "RACE",
        &["it publishes nothing"],
    ),
    (
        "owners_by_hand",
        "RACE",
        &["fetch_sub", "it publishes nothing"],
    ),
    ("a_reader_writes", "RACE", &["nothing orders the two"]),
    (
        "a_message_comes_too_early",
        "RACE",
        &["nothing orders the two"],
    ),
    ("a_part_of_it", "RACE", &["1 byte"]),
    ("it_is_copied_meanwhile", "RACE", &["200 bytes", "1 byte"]),
    ("one_side_is_atomic", "RACE", &["atomically read"]),
    ("freed_meanwhile", "RACE", &["free"]),
    (
        "freed_before",
        "BAD FREE",
        &["memory is used that has been freed", "freed 8 bytes"],
    ),
];

#[test]
fn each_is_found_told_and_replayed() {
    let workspace = Workspace::of_fixture_with_built_library(env!("CARGO_TARGET_TMPDIR"), "races");
    let events = workspace.explore(&["--test", "bugs"], 100);
    for (name, status, words) in BUGS {
        let ended = events.test(&format!("races::bugs {name}"));
        assert_eq!(ended["status"], status, "{name}: {ended:#}");
        let failure = &ended["failure"];
        assert_eq!(failure["repeats"]["repeats"], "yes", "{failure:#}");
        let id = failure["id"].as_str().expect("it has an id");
        let shown = Finished::of(workspace.cct().args(["show", id]));
        let text = shown
            .stdout
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        for word in words {
            assert!(text.contains(word), "{name}: `{word}` in {}", shown.stdout);
        }
        Finished::of(workspace.cct().args(["replay", id])).expect(100);
    }
}

/// The program's own allocator gives memory out, and takes it back.
#[test]
fn memory_of_another_allocator_is_looked_at() {
    let workspace = Workspace::of_fixture_with_built_library(env!("CARGO_TARGET_TMPDIR"), "races");
    let statuses = workspace.explore(&["--test", "allocator"], 100).statuses();
    let status = |name: &str| statuses[&format!("races::allocator {name}")].as_str();
    assert_eq!(status("freed_meanwhile"), "RACE");
    assert_eq!(status("memory_that_is_used_again"), "PASS");
}

#[test]
fn a_run_that_does_not_look_for_races_does_not_take_them_for_gone() {
    let workspace = Workspace::of_fixture_with_built_library(env!("CARGO_TARGET_TMPDIR"), "races");
    let run = |more: &[&str]| {
        let mut tool = workspace.cct();
        let args = ["test", "--test", "bugs", "a_static"];
        Finished::of(tool.args(args).args(more).env("CCT_KNOWN", "true"))
    };
    run(&[]).expect(100);
    let without = run(&["--races=false"]);
    without.expect(0);
    assert!(!without.stdout.contains("no longer"), "{}", without.stdout);
    let again = run(&[]);
    assert!(
        again.stdout.contains("known: seen 2 times"),
        "{}",
        again.stdout
    );
}

#[test]
fn passes_of_the_user_are_refused_beside_ours() {
    let workspace = Workspace::of_fixture_with_library("races");
    let mut tool = workspace.cct();
    tool.args(["test", "--test", "sound"])
        .env("RUSTFLAGS", "-Cpasses=instcombine");
    let refused = Finished::of(&mut tool);
    refused.expect(101);
    assert!(
        refused.stderr.contains("`-C passes` does not go with"),
        "{}",
        refused.stderr
    );
}

#[test]
fn what_is_meant_is_not_told() {
    let workspace = Workspace::of_fixture_with_built_library(env!("CARGO_TARGET_TMPDIR"), "races");
    let statuses = |args: &[&str], code| {
        let events = workspace.explore(&[&["--test", "meant"], args].concat(), code);
        let tests = [
            "by_an_attribute",
            "one_of_the_two",
            "not_behind_it",
            "by_a_file",
            "freed_memory_is_never_meant",
        ];
        tests.map(|test| text(&events.test(&format!("races::meant {test}"))["status"]).to_owned())
    };
    assert_eq!(
        statuses(&[], 100),
        ["PASS", "PASS", "RACE", "RACE", "BAD FREE"]
    );
    let named = ["--benign-races", "meant::stats::*,races::Unguarded::*"];
    assert_eq!(
        statuses(&named, 100),
        ["PASS", "PASS", "PASS", "PASS", "BAD FREE"]
    );
    let entry = "[[benign-races]]\nfunction = \"meant::stats::miss\"\n";
    workspace.write(".config/cct.toml", entry);
    let refused = Finished::of(workspace.cct().args(["test", "--test", "meant"]));
    refused.expect(96);
    let place = "line 1, column 1: an entry of `benign-races` needs a `reason`";
    assert!(refused.stderr.contains(place), "{}", refused.stderr);
    let reason = "reason = \"each miss is counted, or not\"";
    workspace.write(".config/cct.toml", &format!("{entry}{reason}\n"));
    assert_eq!(
        statuses(&[], 100),
        ["PASS", "PASS", "RACE", "PASS", "BAD FREE"]
    );
}

/// A call of a dependency may be one step, and the report names the operation in it that is too weak all the
/// same.
#[test]
fn the_missing_order_is_named_within_calls_of_dependencies() {
    let workspace = Workspace::empty(Some("handed"));
    let manifest = |name: &str, rest: &str| {
        format!(
            "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n{rest}"
        )
    };
    let dependency = "exclude = [\"cell\"]\n[dependencies]\ncell = { path = \"cell\" }\n";
    workspace.write("Cargo.toml", &manifest("handed", dependency));
    workspace.write("cell/Cargo.toml", &manifest("cell", ""));
    workspace.write("cell/src/lib.rs", CELL);
    workspace.write("src/lib.rs", "");
    workspace.write("tests/value.rs", VALUE);
    // Half of the schedules have such calls as one step each.
    for strategy in ["random", "pct:3", "pos", "surw"] {
        let args = ["--test", "value", "--strategy", strategy];
        let events = workspace.explore(&args, 100);
        let failure = &events.test("handed::value is_handed_on")["failure"];
        assert_eq!(failure["repeats"]["repeats"], "yes", "{failure:#}");
        let shown = Finished::of(workspace.cct().args(["show", text(&failure["id"])])).stdout;
        let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        let named = "is Relaxed: it takes nothing over";
        assert!(shown.contains(named), "{strategy}: {shown}");
    }
}

const CELL: &str = "
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicUsize, Ordering::{Relaxed, Release}};
#[derive(Default)]
pub struct Slot { value: UnsafeCell<u32>, looks: AtomicUsize, is_set: AtomicUsize }
unsafe impl Sync for Slot {}
impl Slot {
    pub fn set(&self, value: u32) {
        self.looks.fetch_add(1, Relaxed);
        unsafe { *self.value.get() = value };
        self.is_set.store(1, Release);
    }
    pub fn get(&self) -> Option<&u32> {
        self.looks.fetch_add(1, Relaxed);
        (self.is_set.load(Relaxed) == 1).then(|| unsafe { &*self.value.get() })
    }
}
";

const VALUE: &str = "
#[test]
fn is_handed_on() {
    let slot = cell::Slot::default();
    std::thread::scope(|scope| {
        scope.spawn(|| slot.set(7));
        if let Some(value) = slot.get() {
            assert_eq!(*value, 7);
        }
    });
}
";

/// The watchdog sees that it is at work, although there is no step for longer than it waits.
#[test]
fn work_on_memory_is_no_hang() {
    let workspace = Workspace::of_fixture_with_built_library(env!("CARGO_TARGET_TMPDIR"), "races");
    let args = [
        "--test",
        "work",
        "--iterations",
        "1",
        "--hang-timeout",
        "100ms",
    ];
    let events = workspace.explore(&args, 0);
    let ended = events.test("races::work comes_to_its_end");
    assert_eq!(ended["status"], "PASS", "{ended:#}");
}

#[test]
fn crates_are_listed_by_what_is_seen_of_them() {
    let workspace = Workspace::of_fixture_with_built_library(env!("CARGO_TARGET_TMPDIR"), "races");
    for (args, word) in [
        (&[][..], "Seen"),
        (&["--races=false"], "Atomics"),
        (&["--races=false", "--counts", "none"], "Unseen"),
    ] {
        let args = [&["test", "-v", "--no-run", "--test", "sound"], args].concat();
        let told = Finished::of(workspace.cct().args(args));
        let mut lines = told.stderr.lines().map(str::trim);
        let line = lines
            .find(|line| line.starts_with(word))
            .unwrap_or_default();
        assert!(line.contains("races 0.1.0"), "{}", told.stderr);
    }
}

#[test]
fn nothing_is_told_that_is_none() {
    let workspace = Workspace::of_fixture_with_built_library(env!("CARGO_TARGET_TMPDIR"), "races");
    for profile in [&[][..], &["--release"]] {
        let args = [&["--test", "sound"], profile].concat();
        let events = workspace.explore(&args, 0);
        let statuses = events.statuses();
        assert!(statuses.len() > 15 && statuses.values().all(|status| status == "PASS"));
    }
}

/// A target may be called like a crate of Rust's own, which has statics as well.
#[test]
fn statics_of_a_target_that_is_called_like_a_crate_of_rust() {
    let workspace = Workspace::of_fixture_with_built_library(env!("CARGO_TARGET_TMPDIR"), "races");
    let program = "
        use std::thread;
        static mut COUNT: u32 = 0;
        #[test] fn a_race() {
            let add = || unsafe { COUNT += 1 };
            thread::scope(|scope| { scope.spawn(add); scope.spawn(add); });
        }
    ";
    for name in ["test", "core", "alloc"] {
        workspace.write(&format!("tests/{name}.rs"), program);
        let events = workspace.explore(&["--test", name], 100);
        let ended = events.test(&format!("races::{name} a_race"));
        assert_eq!(ended["status"], "RACE", "{name}: {ended:#}");
    }
}
