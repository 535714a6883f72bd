//! Tests that disturb each other: each pair is found, told and replayed, and what does no harm is not told.

use std::collections::BTreeSet;

use cct_tests::support::{Events, Finished, Workspace};
use serde_json::Value;

use crate::explored::text;

fn looked_at(workspace: &Workspace, target: &str, code: i32) -> Events {
    let args = ["interfere", "--json", "--seed=1", "--time=10m", "--test"];
    let finished = Finished::of(workspace.cct().args(args).arg(target));
    finished.expect(code);
    Events::of(&finished)
}

fn shares(event: &Value) -> BTreeSet<(String, String)> {
    let shares = event["shares"].as_array().into_iter().flatten();
    shares
        .map(|share| {
            (
                text(&share["kind"]).to_owned(),
                text(&share["name"]).to_owned(),
            )
        })
        .collect()
}

/// The list of what is in a folder, and the panic hook, which all panics go through.
#[test]
fn things_that_are_used_without_a_name_are_shared_too() {
    let workspace = Workspace::of_fixture("interference");
    let events = looked_at(&workspace, "further", 100);
    let found = events.of_kind("interference").map(|event| {
        let kinds = shares(event).into_iter().map(|(kind, _)| kind);
        let kinds = kinds.filter(|kind| kind != "file").collect::<Vec<_>>();
        Finished::of(workspace.cct().args(["replay", text(&event["id"])])).expect(100);
        (text(&event["disturbed"]).to_owned(), kinds.join(", "))
    });
    let expected = [
        ("folder_stays_as_it_is", "entries of"),
        ("nobody_panics", "panic hook"),
    ];
    let expected = expected.map(|(test, kind)| (test.to_owned(), kind.to_owned()));
    assert_eq!(found.collect::<BTreeSet<_>>(), BTreeSet::from(expected));
}

/// The pairs, each with the test that is disturbed, and what the two share.
const PAIRS: [(&[&str], &str, bool); 6] = [
    (&["count_begins_at_one"], "static", false),
    (&["lock_is_not_poisoned"], "lock", false),
    (
        &["file_is_written", "file_is_written_otherwise"],
        "file",
        true,
    ),
    (&["folder_is_relied_on"], "current directory", false),
    (&["port_is_taken", "port_is_taken_too"], "port", true),
    (
        &["variable_is_not_set", "variable_is_set"],
        "variable",
        false,
    ),
];

#[test]
fn each_pair_is_found_told_and_replayed() {
    let workspace = Workspace::of_fixture("interference");
    let events = looked_at(&workspace, "disturbed", 100);
    let found: Vec<&Value> = events.of_kind("interference").collect();
    assert_eq!(found.len(), PAIRS.len(), "{found:#?}");
    for (disturbed, kind, is_of_machine) in PAIRS {
        let is_it = |event: &&&Value| {
            let is_kind = |(other, name): &(String, String)| match kind {
                "lock" => name == "interference::LOCK",
                kind => other == kind && name != "interference::LOCK",
            };
            shares(event).iter().any(is_kind)
        };
        let event = found.iter().find(is_it).expect(kind);
        assert!(disturbed.contains(&text(&event["disturbed"])), "{event:#}");
        assert_eq!(event["is_of_machine"], is_of_machine, "{event:#}");
        let id = text(&event["id"]);
        Finished::of(workspace.cct().args(["replay", id])).expect(100);
        Finished::of(workspace.cct().args(["keep", id])).expect(96);
        let shown = Finished::of(workspace.cct().args(["show", id]));
        shown.expect(0);
        for line in ["running 2 tests", "spawned together.rs", "FAILED"] {
            assert!(!shown.stdout.contains(line), "{}", shown.stdout);
        }
    }
    let ended = events
        .of_kind("interference_ended")
        .next()
        .expect("it ends");
    assert_eq!(ended["disturbed"], PAIRS.len());
    // A failure of two tests is no failure of one.
    let args = ["test", "--test", "disturbed"];
    Finished::of(workspace.cct().args(args)).expect(0);
}

#[test]
fn what_is_kept_apart_is_not_told() {
    let workspace = Workspace::of_fixture("interference");
    let events = looked_at(&workspace, "sound", 0);
    let told: Vec<_> = events.of_kind("pair_passed").map(shares).collect();
    let of = |kind: &str, name: &str| {
        let share = (kind.to_owned(), name.to_owned());
        told.iter().filter(|shares| shares.contains(&share)).count()
    };
    assert_eq!(of("static", "interference::TURN"), 1, "{told:#?}");
    assert_eq!(of("static", "interference::COUNT"), 1, "{told:#?}");
    assert_eq!(of("variable", "MODE"), 1, "{told:#?}");
    // A static that is made when it is first used is no reason.
    assert_eq!(told.len(), 2, "{told:#?}");
}

/// A test that fails by itself is told, and no pair with it is.
#[test]
fn tests_that_fail_alone_are_left_out() {
    let workspace = Workspace::of_fixture("interference");
    let program = "
        use std::env;
        #[test] fn fails() { env::set_var(\"A\", \"1\"); panic!(\"alone\"); }
        #[test] fn ends_the_process() { env::set_var(\"A\", \"1\"); unsafe { libc::abort() } }
        #[test] fn reads() { let _ = env::var(\"A\"); }
        #[test] fn writes() { env::set_var(\"A\", \"2\"); }
    ";
    workspace.write("tests/failing.rs", program);
    let events = looked_at(&workspace, "failing", 0);
    let profiled = events.of_kind("profiled").next().expect("it is profiled");
    let failing: BTreeSet<&str> = profiled["failing"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|failing| text(&failing["test"]))
        .collect();
    assert_eq!(failing, BTreeSet::from(["ends_the_process", "fails"]));
    assert_eq!(
        (&profiled["tests"], &profiled["pairs"]),
        (&2.into(), &1.into())
    );
    assert_eq!(events.of_kind("pair_passed").count(), 1);
}

/// A failure that comes of one test's own steps is not blamed on another one, however rare it is.
#[test]
fn failures_of_ones_own_are_nobodys_fault() {
    let workspace = Workspace::of_fixture("interference");
    let program = "
        use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
        use std::thread;
        static COUNT: AtomicU32 = AtomicU32::new(0);
        #[test] fn rare() {
            COUNT.fetch_add(1, SeqCst);
            let (at, has_failed) = (AtomicU32::new(0), AtomicBool::new(false));
            thread::scope(|scope| {
                scope.spawn(|| (0..8).for_each(|number| at.store(number, SeqCst)));
                scope.spawn(|| {
                    if (2..6).all(|number| at.load(SeqCst) == number) {
                        has_failed.store(true, SeqCst);
                    }
                });
            });
            assert!(!has_failed.load(SeqCst), \"its own\");
        }
        #[test] fn a() { COUNT.fetch_add(1, SeqCst); }
        #[test] fn b() { COUNT.fetch_add(1, SeqCst); }
        #[test] fn c() { COUNT.fetch_add(1, SeqCst); }
        #[test] fn d() { COUNT.fetch_add(1, SeqCst); }
        #[test] fn e() { COUNT.fetch_add(1, SeqCst); }
        #[test] fn f() { COUNT.fetch_add(1, SeqCst); }
    ";
    workspace.write("tests/rare.rs", program);
    let mut not_counted = 0;
    for seed in 1..=12 {
        let seed = format!("--seed={seed}");
        let args = [
            "interfere",
            "--json",
            &seed,
            "--test",
            "rare",
            "rare",
            "--pairs=6",
            "--time=10m",
        ];
        let finished = Finished::of(
            workspace
                .cct()
                .args(args)
                .args(["--", "a", "b", "c", "d", "e", "f"]),
        );
        finished.expect(0);
        let ended = Events::of(&finished).only("interference_ended").clone();
        not_counted += ended["fail_alone"].as_u64().expect("a number");
    }
    assert!(not_counted > 0, "no failure was seen at all");
}
