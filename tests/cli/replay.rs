//! `cargo cct replay`: the same again, or a clear word on why not.
//!
//! That each kind of verdict replays is with the verdicts.

use std::fs;

use cct_tests::support::{Events, Finished, Workspace};
use serde_json::{Value, json};

use crate::explored::{EXPLORED, text};

const LOST: &str = "spaced tests::a_store_is_lost";

/// A workspace with one failure on record; returns its id too.
fn with_failure() -> (Workspace, String) {
    let workspace = Workspace::of_fixture("with spaces");
    let found = workspace.explore(&["--lib"], 100);
    let id = text(&found.test(LOST)["failure"]["id"]).to_owned();
    (workspace, id)
}

fn trace_of(id: &str) -> String {
    format!("target/cct/failures/{id}/trace.json")
}

#[test]
fn a_failure_replays_each_time_alike() {
    let failure = &EXPLORED.events.test("verdicts::panic in_the_body")["failure"];
    let replay = || {
        Finished::of(
            EXPLORED
                .workspace
                .cct()
                .args(["replay", text(&failure["id"])]),
        )
    };
    let first = replay();
    first.expect(100);
    assert!(first.stdout.contains("the other was faster"), "{first:#?}");
    assert!(first.stdout.contains("Reproduced"), "{first:#?}");
    for _ in 1..20 {
        let again = replay();
        again.expect(100);
        assert_eq!(again.stdout, first.stdout);
    }
}

#[test]
fn a_failure_is_named_by_id_by_path_or_as_the_latest() {
    let (workspace, id) = with_failure();
    let record = workspace.path(&trace_of(&id));
    let folder = record.parent().expect("a file has a folder");
    let manifest = workspace.path("Cargo.toml");
    let path = |path: &std::path::Path| path.to_str().expect("paths are text").to_owned();
    for name in [
        "latest",
        &id,
        &id.to_uppercase(),
        &path(folder),
        &path(&record),
    ] {
        let replayed = Finished::of(workspace.cct().args(["replay", name]));
        replayed.expect(100);
        assert!(replayed.stdout.contains(&id), "{replayed:#?}");
    }
    let mut elsewhere = workspace.cct();
    elsewhere
        .current_dir("/")
        .args(["replay", &id, "--manifest-path"]);
    let elsewhere = Finished::of(elsewhere.arg(&manifest));
    elsewhere.expect(100);
    let again = format!(
        "cargo cct replay {id} --manifest-path '{}'\n",
        path(&manifest)
    );
    assert!(elsewhere.stdout.contains(&again), "{elsewhere:#?}");
    let full = Finished::of(workspace.cct().args(["replay", "--full"]));
    full.expect(100);
    // All is quiet but for the failure.
    assert!(!full.stderr.contains("Compiling"), "{full:#?}");
}

/// The command before the test is not the test: it gets it, and what follows is its own affair.
#[test]
fn a_failure_replays_under_another_command() {
    let (workspace, _) = with_failure();
    let debugged = Finished::of(
        workspace
            .cct()
            .args(["replay", "--debugger", "env DEBUGGED=1"]),
    );
    let said = format!("{}{}", debugged.stdout, debugged.stderr);
    assert!(
        said.contains("assertion `left == right` failed"),
        "{debugged:#?}"
    );
    let missing = Finished::of(
        workspace
            .cct()
            .args(["replay", "--debugger", "no-such-command"]),
    );
    missing.expect(96);
    assert!(
        missing.stderr.contains("cannot run `no-such-command`"),
        "{missing:#?}"
    );
}

#[test]
fn a_record_that_is_damaged_is_told_from_one_that_is_foreign_or_older() {
    let (workspace, id) = with_failure();
    let record = workspace.read(&trace_of(&id));
    let half = &record[..record.len() / 2];
    let current = format!("\"version\":{},", cct::wire::VERSION);
    let older = record.replacen(&current, "\"version\":0,", 1);
    assert_ne!(older, record);
    let newer = record.replacen("\"operation\":\"Load\"", "\"operation\":\"Fly\"", 1);
    assert_ne!(newer, record);
    for (content, why) in [
        ("", "ends too early"),
        (half, "ends too early"),
        (
            "{\"name\": \"something else\"}",
            "is no failure that cargo-cct wrote",
        ),
        ("not even JSON", "is no failure that cargo-cct wrote"),
        (&older, "has version 0"),
        (&newer, "no operation is called `Fly`"),
    ] {
        workspace.write(&trace_of(&id), content);
        for verb in ["replay", "show"] {
            let refused = Finished::of(workspace.cct().args([verb, &id]));
            refused.expect(96);
            assert!(refused.stderr.contains(why), "no `{why}`: {refused:#?}");
            assert!(refused.stderr.contains("trace.json"), "{refused:#?}");
        }
    }
    let folder = workspace.path(&trace_of(&id)).with_file_name("");
    fs::remove_dir_all(folder).expect("the folder is ours");
    let refused = Finished::of(workspace.cct().args(["replay", &id]));
    refused.expect(96);
    assert!(
        refused.stderr.contains(&format!("no failure `{id}`")),
        "{refused:#?}"
    );
}

/// Changes a record.
type Edit = fn(&mut Value);

/// Puts another schedule on record, and replays it.
#[track_caller]
fn replay_edited(workspace: &Workspace, id: &str, edit: Edit) -> (Finished, Value) {
    let original = workspace.read(&trace_of(id));
    let mut record: Value = original.parse().expect("a record is JSON");
    edit(&mut record);
    workspace.write(&trace_of(id), &record.to_string());
    let told = Finished::of(workspace.cct().args(["replay", id]));
    let json = Finished::of(workspace.cct().args(["replay", id, "--json"]));
    assert_eq!(told.code, json.code);
    workspace.write(&trace_of(id), &original);
    let event = Events::of(&json).only("replayed").clone();
    (told, event)
}

#[test]
fn a_schedule_that_was_edited_diverges() {
    let (workspace, id) = with_failure();
    let edits: [(&str, Edit); 3] = [
        ("a worker that does not exist", |record| {
            record["schedule"]["runs"] = json!([[0, 2], [7, 9]]);
        }),
        ("the other worker first", |record| {
            record["schedule"]["runs"] = json!([[0, 2], [1, 4], [0, 4]]);
        }),
        ("another object on record", |record| {
            record["trace"]["steps"][4]["operation"] = json!("Start");
        }),
    ];
    for (what, edit) in edits {
        let (told, event) = replay_edited(&workspace, &id, edit);
        assert_eq!(told.code, Some(106), "{what}: {told:#?}");
        for part in [
            "Diverged",
            "expected",
            "found",
            "something that it uses is not under control",
        ] {
            assert!(told.stdout.contains(part), "{what}: no `{part}`: {told:#?}");
        }
        assert_eq!(event["outcome"], "diverged", "{what}: {event:#}");
        assert_eq!(event["executable_changed"], false, "{what}: {event:#}");
        assert!(event["divergence"]["step"].is_u64(), "{what}: {event:#}");
    }
}

/// It used to be taken for the first alternative, and what followed was compared as if it had been chosen.
#[test]
fn a_choice_that_is_not_recorded_diverges() {
    let workspace = super::specifications::fixture();
    let found = workspace.explore(&["a_number_is_chosen"], 100);
    let failed = found.test("specified::specified a_number_is_chosen");
    let id = text(&failed["failure"]["id"]).to_owned();
    let edits: [(&str, Edit); 2] = [
        ("no choice after the 1 recorded one", |record| {
            record["schedule"]["choices"] = json!([13]);
        }),
        ("choice 1 is 20", |record| {
            record["schedule"]["choices"] = json!([20, 1, 1]);
        }),
    ];
    for (expected, edit) in edits {
        let (told, event) = replay_edited(&workspace, &id, edit);
        assert_eq!(told.code, Some(106), "{told:#?}");
        assert_eq!(event["divergence"]["expected"], expected, "{event:#}");
        assert!(told.stdout.contains(expected), "{told:#?}");
    }
}

#[test]
fn a_source_that_changed_is_told() {
    let (workspace, id) = with_failure();
    let source = workspace.read("src/lib.rs");
    let replay = || Finished::of(workspace.cct().args(["replay", &id]));

    // Elsewhere in the file, on the same lines: the schedule still fits.
    workspace.replace(
        "src/lib.rs",
        "a folder whose name",
        "some folder whose name",
    );
    replay().expect(100);

    workspace.replace("src/lib.rs", "let count", "\n        let count");
    let moved = replay();
    moved.expect(100);
    assert!(
        moved.stdout.contains("places in the source have moved"),
        "{moved:#?}"
    );
    assert!(
        moved.stdout.contains("the executable has changed"),
        "{moved:#?}"
    );

    let fixed = source.replace(
        "count.store(count.load(Ordering::SeqCst) + 1, Ordering::SeqCst)",
        "drop(count.fetch_add(1, Ordering::SeqCst))",
    );
    workspace.write("src/lib.rs", &fixed);
    let fixed = replay();
    fixed.expect(106);
    assert!(
        fixed.stdout.contains("the executable has changed"),
        "{fixed:#?}"
    );

    // The steps are the same, and nothing is wrong with them any more.
    workspace.write(
        "src/lib.rs",
        &source.replace("(Ordering::SeqCst), 2)", "(Ordering::SeqCst), 1)"),
    );
    let passes = replay();
    passes.expect(0);
    assert!(passes.stdout.contains("passes now"), "{passes:#?}");
    assert!(
        passes.stdout.contains("the executable has changed"),
        "{passes:#?}"
    );

    workspace.write(
        "src/lib.rs",
        &source.replace("assert_eq!(count", "assert_ne!(2, count"),
    );
    replay().expect(101);
    workspace.write(
        "src/lib.rs",
        &source.replace("a_store_is_lost", "another_name"),
    );
    let gone = replay();
    assert!(matches!(gone.code, Some(96 | 106)), "{gone:#?}");
}

#[test]
fn the_package_of_a_failure_must_be_there() {
    let (workspace, id) = with_failure();
    workspace.replace("Cargo.toml", "\"spaced\"", "\"renamed\"");
    let refused = Finished::of(workspace.cct().args(["replay", &id]));
    refused.expect(96);
    assert!(refused.stderr.contains("package `spaced`"), "{refused:#?}");
}
