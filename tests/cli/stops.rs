//! `cargo cct replay --until` and `--break`: the replay stops before a step, and shows where everybody is.

use std::fs::File;

use cct_tests::support::{Events, Finished, Workspace};
use serde_json::Value;

use crate::debugger::{FOUND, MANIFEST, SOURCE, id_of, session_with};
use crate::explored::text;

const TEST: &str = "withdrawals_add_up";

fn replay(args: &[&str], code: i32) -> Finished {
    let finished = Finished::of(FOUND.0.cct().args(["replay", &id_of(TEST)]).args(args));
    finished.expect(code);
    finished
}

fn replayed(args: &[&str]) -> Value {
    let json = replay(&[args, &["--json"]].concat(), 0);
    Events::of(&json).only("replayed").clone()
}

/// The steps of a report, without notes.
fn steps(report: &Value) -> Vec<&Value> {
    let steps = report["steps"].as_array().expect("a list");
    steps.iter().filter(|step| step["note"] == false).collect()
}

fn line_of(source: &str, part: &str) -> usize {
    let found = source.lines().position(|line| line.contains(part));
    found.expect("the source has it") + 1
}

/// Each step is named in turn: the report has the steps before it, with their values.
#[test]
fn a_replay_has_the_steps_up_to_where_it_stops() {
    let show = Finished::of(FOUND.0.cct().args(["show", &id_of(TEST), "--json"]));
    let report = Events::of(&show).only("report").clone();
    let report = if report["steps"].is_array() {
        &report
    } else {
        &report["failure"]
    };
    let all = steps(report);
    assert!(all.len() > 5, "{report:#}");
    for number in 1..=all.len() {
        let event = replayed(&["--until", &number.to_string()]);
        assert_eq!(event["outcome"], "stopped_before", "{event:#}");
        let until = &event["failure"];
        assert_eq!(until["stopped"]["before"], number, "{event:#}");
        assert_eq!(
            until["stopped"]["worker"],
            all[number - 1]["worker"],
            "{event:#}"
        );
        assert_eq!(
            until["stopped"]["site"],
            all[number - 1]["site"],
            "{event:#}"
        );
        assert_eq!(steps(until), all[..number - 1], "{event:#}");
    }
    let beyond = replay(&["--until", &(all.len() + 1).to_string()], 96);
    let last = format!("the last one is step {}", all.len());
    assert!(beyond.stderr.contains(&last), "{beyond:#?}");
}

#[test]
fn everybody_is_shown_who_is_there() {
    let store = line_of(SOURCE, "self.balance.store");
    let told = replay(&["--break", &format!("lib.rs:{store}")], 0).stdout;
    assert!(told.contains("STOPPED"), "{told}");
    assert!(told.contains("where everybody is"), "{told}");
    let at = told
        .lines()
        .filter(|line| line.contains(&format!("lib.rs:{store} before step")));
    assert_eq!(
        at.count(),
        2,
        "both have read, and none has written: {told}"
    );
    assert!(told.contains("called at src/lib.rs"), "{told}");
    assert!(told.contains("load → 1000"), "{told}");
    assert!(
        !told.contains("store 900") && !told.contains("panics"),
        "{told}"
    );
    assert!(told.contains("how it ends is not tried"), "{told}");
}

#[test]
fn a_place_is_named_by_line_by_file_or_by_function() {
    let load = line_of(SOURCE, "let balance = self.balance.load");
    let by = |name: &str| replayed(&["--break", name])["failure"]["stopped"].clone();
    let first = by(&format!("src/lib.rs:{load}"));
    assert!(
        text(&first["site"]).contains(&format!("lib.rs:{load}:")),
        "{first:#}"
    );
    for name in [
        format!("lib.rs:{load}"),
        load.to_string(),
        "withdraw".to_owned(),
        "Account::withdraw".to_owned(),
    ] {
        assert_eq!(by(&name), first, "{name}");
    }
    for (name, why) in [
        ("lib.rs:1", "there are steps at `src/lib.rs:"),
        ("main.rs:1", "there are steps at `src/lib.rs`"),
        ("nobody", "`Account::withdraw`"),
    ] {
        let refused = replay(&["--break", name], 96);
        assert!(
            refused.stderr.contains("no step is at"),
            "{name}: {refused:#?}"
        );
        assert!(refused.stderr.contains(why), "{name}: {refused:#?}");
    }
}

#[test]
fn numbers_are_those_on_record_after_an_edit() {
    let workspace = Workspace::empty(Some("debugged"));
    workspace.write("Cargo.toml", MANIFEST);
    workspace.write("src/lib.rs", SOURCE);
    let events = workspace.explore(&["--iterations", "100", TEST], 100);
    let id = text(&events.test(&format!("debugged tests::{TEST}"))["failure"]["id"]).to_owned();
    let stop = |args: &[&str]| {
        let told = Finished::of(workspace.cct().args(["replay", &id, "--json"]).args(args));
        told.expect(0);
        Events::of(&told).only("replayed").clone()
    };
    let store = line_of(SOURCE, "self.balance.store");
    let before = stop(&["--break", &format!("lib.rs:{store}")]);
    let number = before["failure"]["stopped"]["before"].to_string();

    let edited = SOURCE.replace(
        "self.balance.store",
        "// Edited.\n        *self.entries.lock().unwrap() += 0;\n        self.balance.store",
    );
    workspace.write("src/lib.rs", &edited);
    let after = stop(&["--until", &number]);
    let here = after["failure"]["stopped"]["before"]
        .as_u64()
        .expect("a number");
    assert!(here.to_string() != number, "{after:#}");
    let remark = format!("step {number} on record is step {here}");
    assert!(text(&after["changes"][0]).contains(&remark), "{after:#}");
    let moved = line_of(&edited, "self.balance.store");
    let site = text(&after["failure"]["stopped"]["site"]).to_owned();
    assert!(site.contains(&format!("lib.rs:{moved}:")), "{site}");
    // Places are those of now, new ones too.
    let new = line_of(&edited, "+= 0;");
    let at_new = stop(&["--break", &new.to_string()]);
    let site = text(&at_new["failure"]["stopped"]["site"]).to_owned();
    assert!(site.contains(&format!("lib.rs:{new}:")), "{site}");

    // The person who leads it is proposed the same steps.
    workspace.write("orders", "run\nquit\n");
    let orders = File::open(workspace.path("orders")).expect("it was written");
    let mut lead = workspace.cct();
    let proposed = Finished::reading(orders, lead.args(["replay", &id, "--interactive"]));
    proposed.expect(100);
    assert!(
        proposed.stdout.contains("left: 700") || proposed.stdout.contains("left: 900"),
        "{proposed:#?}"
    );
    assert!(
        !proposed.stdout.contains("the schedule was left"),
        "{proposed:#?}"
    );

    // So is an editor's debugger.
    Finished::of(workspace.cct().args(["replay", &id, "--vscode"])).expect(0);
    let entry = workspace.read(".vscode/launch.json");
    assert!(
        entry.contains("CCT_GUIDE") && !entry.contains("CCT_SCHEDULE"),
        "{entry}"
    );

    // It does not come to the step any more.
    workspace.write(
        "src/lib.rs",
        &SOURCE.replace("self.balance.store(balance - amount, SeqCst);", ""),
    );
    let gone = Finished::of(workspace.cct().args(["replay", &id, "--until", &number]));
    gone.expect(106);
    assert!(gone.stdout.contains("Diverged"), "{gone:#?}");
}

#[test]
fn a_debugger_stops_before_each_step_that_is_named() {
    let store = line_of(SOURCE, "self.balance.store");
    let name = format!("lib.rs:{store}");
    let number = replayed(&["--break", &name])["failure"]["stopped"]["before"].to_string();
    let commands = [
        "run",
        "info threads",
        "bt 20",
        "continue",
        "continue",
        "continue",
    ];
    let Some(told) = session_with(TEST, &["--break", &name], &commands) else {
        return;
    };
    let stops: Vec<&str> = told
        .lines()
        .filter(|line| line.contains(" stops: "))
        .collect();
    let before = format!("before step {number}, store at src/lib.rs:{store}:");
    assert!(stops[0].contains(&before), "{told}");
    assert!(
        stops[1].contains(&format!("store at src/lib.rs:{store}:")),
        "{told}"
    );
    assert!(stops[2].contains("panic: "), "{told}");
    let worker = stops[0]
        .trim_start_matches("cct: ")
        .split(' ')
        .next()
        .unwrap_or_default();
    let current = told.lines().find(|line| line.starts_with("* "));
    assert!(
        current.is_some_and(|line| line.contains(&format!("\"{worker}\""))),
        "{told}"
    );
    assert!(
        told.contains("debugged::Account::withdraw (self="),
        "{told}"
    );
    let Some(told) = session_with(TEST, &["--until", "1"], &["run", "continue", "continue"]) else {
        return;
    };
    assert!(told.contains("stops: before step 1, start"), "{told}");
}
