//! Each failure is told by a message and a line that the user wrote, wherever it comes up.

use std::sync::LazyLock;

use cct_tests::support::{Events, Finished, Workspace};
use serde_json::Value;

use crate::explored::text;

/// `fixtures/places`, explored once.
static PLACES: LazyLock<(Workspace, Events)> = LazyLock::new(|| {
    let workspace = Workspace::kept_of_fixture(env!("CARGO_TARGET_TMPDIR"), "places");
    let events = workspace.explore(&["--hang-timeout", "1s"], 100);
    (workspace, events)
});

fn ended(events: &Events, binary: &str) -> Vec<(String, Value)> {
    let prefix = format!("places::{binary} ");
    let of_binary = events.ended().into_iter().filter_map(|(name, ended)| {
        let test = name.strip_prefix(&prefix)?.to_owned();
        Some((test, ended.clone()))
    });
    of_binary.collect()
}

fn report(test: &str) -> String {
    let failure = &PLACES.1.test(&format!("places::{test}"))["failure"];
    let shown = Finished::of(PLACES.0.cct().args(["show", text(&failure["id"])]));
    shown.expect(0);
    shown.stdout
}

/// The source line of a site; empty if that is not in the fixture.
fn line_at(site: &Value) -> String {
    let file = text(&site["file"]);
    let is_own = file.starts_with("src/") || file.starts_with("tests/");
    let source = std::fs::read_to_string(PLACES.0.path(file)).unwrap_or_default();
    let line = site["line"].as_u64().filter(|_| is_own).unwrap_or_default();
    let index = usize::try_from(line).unwrap_or_default().wrapping_sub(1);
    source.lines().nth(index).unwrap_or_default().to_owned()
}

#[test]
fn a_failure_is_told_by_the_first_panic_of_a_chain() {
    let ended = ended(&PLACES.1, "origins");
    assert_eq!(ended.len(), 16);
    for (test, ended) in ended {
        let bug = &ended["failure"]["bug"];
        assert_eq!(ended["status"], "FAIL", "{test}: {ended:#}");
        assert_eq!(ended["failure"]["repeats"]["repeats"], "yes", "{test}");
        assert!(text(&bug["message"]).contains("first: "), "{test}: {bug:#}");
        assert!(line_at(&bug["site"]).contains("first: "), "{test}: {bug:#}");
        let is_own = test.starts_with("of_its_own");
        assert_eq!(bug["worker"] == 0, is_own, "{test}: {bug:#}");
        // A thread that resumes a panic has none of its own.
        let leads_on = !is_own && test != "resumed";
        assert_eq!(bug["led_to"]["worker"] == 0, leads_on, "{test}: {bug:#}");
        assert_eq!(!bug["led_to"].is_null(), leads_on, "{test}: {bug:#}");
        let id = text(&ended["failure"]["id"]);
        Finished::of(PLACES.0.cct().args(["replay", id])).expect(100);
    }
    let report = report("origins in_a_scope");
    let head = "w1 panicked at tests/origins.rs:48:24: first: it gives up\n\
                main panicked in turn at tests/origins.rs:47:5: a scoped thread panicked\n";
    assert!(report.contains(head), "{report}");
    assert_eq!(report.matches("✗ panics").count(), 2, "{report}");
}

#[test]
fn a_spawn_says_which_task_it_makes() {
    let report = report("dependencies an_update_is_lost_by_tasks");
    for column in ["w4 task spawned", "w5 task spawned"] {
        assert!(report.contains(column), "{report}");
    }
    for spawn in ["  spawn w4 ", "  spawn w5 "] {
        assert_eq!(report.matches(spawn).count(), 1, "{report}");
    }
}

#[test]
fn a_crash_or_a_hang_is_at_the_users_line() {
    crashes_are_at_their_lines(&PLACES.1);
}

/// Optimised, without debug information of its own: the lines are approximate, and in the same function.
#[test]
fn so_it_is_in_a_release_build() {
    let args = ["--release", "--hang-timeout", "1s", "--test", "crashes"];
    crashes_are_at_their_lines(&PLACES.0.explore(&args, 100));
}

/// The tables of its lines have `both<u64>` alone, where something is inlined in it.
#[test]
fn functions_of_a_release_build_have_their_paths() {
    let workspace = Workspace::of_fixture("with spaces");
    workspace.write(
        "src/lib.rs",
        r"
        use std::sync::Mutex;
        use std::thread;

        struct Account<T>(Mutex<T>);

        impl<T: Copy> Account<T> {
            #[inline(never)]
            fn both(&self, other: &Account<T>) -> (T, T) {
                let one = self.0.lock().unwrap();
                let two = other.0.lock().unwrap();
                (*one, *two)
            }
        }

        #[test]
        fn both_are_locked() {
            let (one, two) = (Account(Mutex::new(1_u64)), Account(Mutex::new(2)));
            thread::scope(|scope| {
                scope.spawn(|| one.both(&two));
                scope.spawn(|| two.both(&one));
            });
        }
        ",
    );
    let mut test = workspace.cct();
    test.args(["test", "--release", "--lib", "--seed=1"]);
    let told = Finished::of(test.env("RUST_BACKTRACE", "1"));
    told.expect(100);
    let named = "0: spaced::Account<T>::both\n             at ./src/lib.rs:11:";
    assert!(told.stdout.contains(named), "{told:#?}");
}

fn crashes_are_at_their_lines(events: &Events) {
    let lines = [
        ("hang_in_std", "HANG", "endless fold"),
        ("hang_without_anything", "HANG", "empty loop"),
        ("overflow_of_a_thread", "OVERFLOW", "recursion"),
        ("overflow_of_the_body", "OVERFLOW", "recursion"),
        ("overflow_through_std", "OVERFLOW", "recursion"),
        ("signal_in_c", "CRASH", "no text"),
        ("signal_in_std", "CRASH", "wild read"),
        ("signal_of_a_write", "CRASH", "wild write"),
    ];
    let ended = ended(events, "crashes");
    assert_eq!(ended.len(), lines.len());
    let mut wrong = Vec::new();
    for ((test, ended), (expected, status, line)) in ended.into_iter().zip(lines) {
        let bug = &ended["failure"]["bug"];
        let counts = &ended["counters"];
        // The process is gone, and has counted.
        assert_eq!(
            counts["distinct"], counts["schedules"],
            "{test}: {counts:#}"
        );
        assert!(counts["schedules"].as_u64() > Some(0), "{test}: {counts:#}");
        let found = line_at(&bug["site"]);
        let is_it = (&*test, &ended["status"]) == (expected, &Value::from(status));
        let repeats = ended["failure"]["repeats"]["repeats"] == "yes";
        if !(is_it && found.contains(line) && repeats) {
            wrong.push(format!("{test}: {} {bug:#} {found}", ended["status"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_step_in_a_dependency_is_shown_at_the_call() {
    let deadlock = report("dependencies a_deadlock");
    let lines = [
        "other.lock … waits",
        "one.lock … waits",
        "    main  src/lib.rs:23:31 ── waits for",
        "    w1    src/lib.rs:16:33 ── waits for",
        "  src/lib.rs\n",
    ];
    for line in lines {
        assert!(deadlock.contains(line), "{line} of\n{deadlock}");
    }
    let lost = report("dependencies an_update_is_lost");
    for call in ["sum.lock … 1 step in parking_lot", " in parking_lot\n"] {
        assert!(lost.contains(call), "{call} of\n{lost}");
    }
    let tasks = report("dependencies an_update_is_lost_by_tasks");
    assert!(tasks.matches("sum.lock … ").count() >= 4, "{tasks}");

    let failure = &PLACES.1.test("places::dependencies a_deadlock")["failure"];
    let callers = failure["bug"]["waits"].as_array().expect("they wait");
    for wait in callers {
        assert!(line_at(&wait["caller"]).contains(".lock()"), "{wait:#}");
    }
    let steps = failure["steps"].as_array().expect("there are steps");
    let foreign = |step: &&Value| text(&step["site"]).contains("/parking_lot");
    let mut foreign = steps.iter().filter(foreign);
    assert!(foreign.all(|step| text(&step["caller"]).contains("src/lib.rs:")));
    let id = text(&failure["id"]);
    Finished::of(PLACES.0.cct().args(["replay", id])).expect(100);
}

#[test]
fn what_goes_wrong_in_a_select_is_shown_there() {
    let waits = report("select nobody_stops_it");
    for line in [
        "select! … waits",
        "task 2 spawned at select.rs:13 waits at tests/select.rs:16:13",
    ] {
        assert!(waits.contains(line), "{line} of\n{waits}");
    }
    for test in [
        "an_update_is_lost_in_a_branch",
        "an_update_is_lost_by_what_is_joined",
    ] {
        let lost = report(&format!("select {test}"));
        assert!(lost.contains("sum.load → 0"), "{lost}");
        assert!(lost.contains("select.rs:31"), "{lost}");
    }
}

fn in_one_line(report: &str) -> String {
    report.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A future that is made of others waits for what is left of them, and each has an object of its own.
#[test]
fn awaits_that_were_given_up_are_over() {
    let dropped = report("awaits a_message_is_dropped");
    let rows: Vec<&str> = dropped.lines().map(str::trim).collect();
    let row = |text: &str| rows.iter().position(|row| row.contains(text));
    let given_up = row("yield_now().await dropped").expect("it is told");
    assert!(
        rows[given_up..]
            .iter()
            .all(|row| !row.contains("yield_now().await … ")),
        "{dropped}"
    );
    for line in [
        "the future that waited there was dropped",
        "main waits at awaits.rs:24",
        "select! … waits awaits.rs:24",
        "main waits at tests/awaits.rs:24:5 (await)",
    ] {
        assert!(in_one_line(&dropped).contains(line), "{line} of\n{dropped}");
    }
    let joined = report("awaits two_branches_wait_for_each_other");
    let joined = in_one_line(&joined);
    let sentence = "main awaits `first.lock()` at awaits.rs:42 (step 12); main itself had come to the \
                    same object by `first.lock().await` at awaits.rs:35";
    assert!(joined.contains(sentence), "{joined}");
}

#[test]
fn waits_and_clocks_are_told_as_they_are() {
    let again = report("waits a_reader_comes_again_behind_a_writer");
    for part in ["which keeps new readers out", "(keeps new readers out)"] {
        assert!(in_one_line(&again).contains(part), "{part} of\n{again}");
    }
    let clock = report("waits a_clock_is_read_at_its_line");
    assert!(
        clock.contains(" let elapsed = began.elapsed(); "),
        "{clock}"
    );
    let poisoned = report("waits a_lock_is_poisoned_after_a_wait");
    assert!(poisoned.contains("number.poison"), "{poisoned}");
    assert!(!poisoned.contains("bell.poison"), "{poisoned}");
}

#[test]
fn tabs_and_wide_characters_hide_no_names() {
    let report = report("tabs tabs_do_not_hide_names");
    for part in [" 値.lock ", " count.store 1 ", " now ", "read `count` = 0"] {
        assert!(report.contains(part), "{part} of\n{report}");
    }
    assert!(!report.contains('\t'), "{report}");
}
