//! The coverage of machines: in the summary, as JSON, and in files.

use std::fs;

use cct_tests::support::{Finished, Workspace};
use serde_json::Value;

use crate::explored::text;

fn fixture() -> Workspace {
    Workspace::of_fixture_with_built_library(env!("CARGO_TARGET_TMPDIR"), "machines")
}

fn coverage(workspace: &Workspace) -> Value {
    let path = "target/cct/machines/machines/lifts/coverage.json";
    let text = fs::read_to_string(workspace.path(path)).expect("it was written");
    serde_json::from_str(&text).expect("it is JSON")
}

/// The machine of this name.
fn machine<'a>(of: &'a Value, name: &str) -> &'a Value {
    let machines = of["machines"].as_array().expect("there are machines");
    let mut found = machines.iter().filter(|it| it["name"] == name);
    let machine = found.next().expect("it is one of them");
    assert!(found.next().is_none());
    machine
}

fn times(machine: &Value, from: &str, on: &str) -> Vec<u64> {
    let transitions = machine["transitions"].as_array().expect("a list");
    let these = transitions
        .iter()
        .filter(|it| it["from"] == from && it["on"] == on);
    these.filter_map(|it| it["times"].as_u64()).collect()
}

#[test]
fn what_tests_have_covered_is_told_and_drawn() {
    let workspace = fixture();
    let tests = ["--skip", "a_joke_is_not_understood"];
    let mut cct = workspace.cct();
    let finished = Finished::of(
        cct.args(["test", "--seed", "1", "--iterations", "100", "--"])
            .args(tests),
    );
    finished.expect(0);
    let told = finished.stdout;
    let line = "Machines machines::lifts Lift: 5 of 5 states, 9 of 13 transitions, 11 of 23 events; \
                never: Waiting on HaltEvent, Moving on Call, Moving on Fire and 9 more";
    assert!(told.contains(line), "{told}");
    assert!(
        told.contains("machines::lifts User: 1 of 1 event\n"),
        "{told}"
    );
    assert!(told.contains("pictures in target/cct/machines\n"), "{told}");

    let file = coverage(&workspace);
    let lift = machine(&file, "Lift");
    assert_eq!(lift["path"], "machines::Lift");
    assert_eq!(
        lift["groups"][0]["members"].as_array().map(Vec::len),
        Some(3)
    );
    // Each of a test's schedules has one, and that is all.
    assert_eq!(
        (&file["schedules"], &lift["created"]),
        (&200.into(), &200.into())
    );
    let entered = |name: &str| {
        let states = lift["states"].as_array().expect("a list");
        let state = states.iter().find(|it| it["name"] == name);
        state.and_then(|state| state["entered"].as_u64())
    };
    assert_eq!(
        (entered("Waiting"), entered("Moving")),
        (Some(200), Some(100))
    );
    assert_eq!(times(lift, "Waiting", "Call"), [100]);
    assert_eq!(times(lift, "Waiting", "Fire"), [100]);
    assert_eq!(times(lift, "Moving", "Fire"), [0]);
    // The type of this handler says nothing of transitions.
    assert_eq!(times(lift, "Open", "Call"), [0; 0]);

    // Both tests together are the file's sum.
    let tests = file["tests"].as_array().expect("a list");
    assert_eq!(tests.len(), 2);
    for name in ["created", "halted"] {
        let each = tests
            .iter()
            .filter_map(|test| machine(test, "Lift")[name].as_u64());
        assert_eq!(Some(each.sum::<u64>()), lift[name].as_u64());
    }
    let transitions = lift["transitions"].as_array().expect("a list");
    for (number, transition) in transitions.iter().enumerate() {
        let each = tests
            .iter()
            .map(|test| &machine(test, "Lift")["transitions"][number]);
        let each = each.filter_map(|it| it["times"].as_u64());
        assert_eq!(Some(each.sum::<u64>()), transition["times"].as_u64());
    }

    let folder = workspace.path("target/cct/machines/machines/lifts");
    let mut files: Vec<String> = fs::read_dir(folder)
        .expect("there are files")
        .map(|file| {
            file.expect("it is a file")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    files.sort();
    assert_eq!(
        files,
        [
            "Lift.dot",
            "Lift.svg",
            "User.dot",
            "User.svg",
            "coverage.json"
        ]
    );
}

#[test]
fn several_processes_cover_what_one_does() {
    let workspace = fixture();
    let covered = |jobs: &str| {
        let args = ["--iterations", "90", "-j", jobs, "a_lift_comes"];
        let events = workspace.explore(&args, 0);
        let machines = events.test("machines::lifts a_lift_comes")["machines"].clone();
        let file = coverage(&workspace);
        assert_eq!(file["machines"], machines);
        assert_eq!(file["tests"][0]["machines"], machines);
        file
    };
    let one = covered("1");
    assert_eq!(one["schedules"], 90);
    assert_eq!(covered("3"), one);
}

#[test]
fn a_failure_is_covered_and_tests_without_machines_say_nothing() {
    let workspace = fixture();
    // Another process may find it in another state.
    let events = workspace.explore(&["-j", "1", "a_joke_is_not_understood"], 100);
    let ended = events.test("machines::lifts a_joke_is_not_understood");
    let lift = machine(ended, "Lift");
    let pairs = lift["events"].as_array().expect("a list");
    let unhandled: Vec<&Value> = pairs.iter().filter(|it| it["unhandled"] != 0).collect();
    let [joke] = &unhandled[..] else {
        panic!("{lift:#}");
    };
    assert_eq!(
        (&joke["event"], &joke["rule"]),
        (&"Joke".into(), &Value::Null)
    );

    let id = ended["failure"]["id"].as_str().expect("it has an id");
    let file = workspace.path(&format!("target/cct/failures/{id}/log.jsonl"));
    let file = fs::read_to_string(file).expect("it was written");
    let shown = Finished::of(workspace.cct().args(["show", id, "--log"]));
    shown.expect(0);
    assert_eq!(shown.stdout, file);
    let lines: Vec<Value> = file
        .lines()
        .map(|line| serde_json::from_str(line).expect("it is JSON"))
        .collect();
    let find = |did: &str, event: &str| -> &Value {
        let mut found = lines.iter();
        let found = found.find(|it| it["did"] == did && it["event"] == event);
        found.unwrap_or_else(|| panic!("{did} {event} is not in {file}"))
    };
    let created: Vec<_> = lines.iter().filter(|it| it["did"] == "created").collect();
    assert_eq!(created.len(), 2);
    assert_eq!(
        (&created[0]["actor"], &created[0]["type"]),
        (&"Lift 0".into(), &"machines::Lift".into())
    );
    let sent = lines
        .iter()
        .find(|it| it["did"] == "sent" && it["actor"] == "User 1");
    let sent = sent.expect("the user is called");
    assert_eq!(
        (&sent["sender"], &sent["payload"]),
        (&"main".into(), &"Call(1)".into())
    );
    assert_eq!(find("unhandled", "Joke")["actor"], "Lift 0");
    let taken = find("dequeued", "Joke");
    assert_eq!(
        (&taken["sender"], &taken["payload"]),
        (&"main".into(), &"Joke".into())
    );
    // Steps are those of the report.
    let steps = ended["failure"]["steps"].as_array().expect("it has steps");
    let taken = steps.iter().find(|it| it["step"] == taken["step"]);
    let text = taken.and_then(|it| it["text"].as_str());
    assert!(
        text.is_some_and(|text| text.starts_with("take in ") && text.ends_with(": Joke")),
        "{text:?}"
    );

    let mut cct = workspace.cct();
    let finished = Finished::of(cct.args(["test", "no_lift_is_there"]));
    finished.expect(0);
    assert!(!finished.stdout.contains("Machines"), "{}", finished.stdout);
}

/// Of each pair neither holds: a search that proved one of them would leave orders out.
#[test]
fn whatever_is_seen_of_actors_may_come_in_either_order() {
    let workspace = Workspace::of_fixture_with_built_library(env!("CARGO_TARGET_TMPDIR"), "either");
    for args in [&["--strategy", "dpor"][..], &[]] {
        let found = workspace.explore(args, 100);
        let mut statuses = found.statuses();
        assert!(statuses.len() > 20, "{statuses:?}");
        statuses.retain(|_, status| status != "FAIL");
        assert!(statuses.is_empty(), "{args:?}: {statuses:?}");
        // The texts of a record take no place of the program's.
        let failed = &found.test("either::either the_last_block")["failure"];
        let (id, message) = (text(&failed["id"]), text(&failed["bug"]["message"]));
        assert!(message.contains("0x2000"), "{failed:#}");
        let replayed = Finished::of(workspace.cct().args(["replay", id]));
        assert!(
            replayed.stdout.contains(message),
            "{message}: {}",
            replayed.stdout
        );
    }
}
