//! Failures on disk: `list`, `show` and `clean`.

use std::os::unix::fs::symlink;

use cct_tests::support::{Events, Finished, Workspace};
use serde_json::Value;

use crate::explored::{EXPLORED, text};

#[test]
fn each_failure_has_its_files() {
    let failed = EXPLORED.events.ended().into_values();
    for event in failed.filter(|event| !event["failure"].is_null()) {
        let report = &event["failure"];
        let id = text(&report["id"]);
        let read = |file: &str| {
            let path = format!("target/cct/failures/{id}/{file}");
            EXPLORED.workspace.read(&path)
        };
        let json: Value = read("report.json").parse().expect("the report is JSON");
        assert_eq!(&json, report, "{id}");
        assert_eq!(read("output.txt"), text(&report["printed"]), "{id}");
        let told = read("report.txt");
        assert!(told.contains(id) && !told.contains('\x1b'), "{told}");
        let message = text(&report["bug"]["message"]).lines().next();
        assert!(told.contains(message.unwrap_or_default()), "{told}");
        assert!(told.contains(&format!("cargo cct replay {id}")), "{told}");
        assert!(
            read("trace.json").starts_with("{\"format\":\"cargo-cct failure\","),
            "{id}"
        );
    }
}

#[test]
fn list_tells_of_each_failure_and_show_of_one() {
    let workspace = Workspace::of_fixture("virtual-manifest");
    let cct = |args: &[&str]| {
        let finished = Finished::of(workspace.cct().args(args));
        finished.expect(0);
        finished
    };
    let none = cct(&["list"]);
    assert_eq!(none.stdout, "");
    assert!(none.stderr.contains("no failure in"), "{none:#?}");
    assert_eq!(cct(&["list", "--json"]).stdout, "");

    let found = workspace.explore(&[], 100);
    let report = &found.test("shop::bin/shop tests::all_money_is_counted")["failure"];
    let id = text(&report["id"]);
    let listed = cct(&["list"]).stdout;
    assert_eq!(listed.lines().count(), 1, "{listed}");
    for part in [
        id,
        "FAIL",
        "shop::bin/shop",
        "tests::all_money_is_counted",
        "assertion",
    ] {
        assert!(listed.contains(part), "no `{part}`: {listed}");
    }
    let listed = Events::of(&cct(&["list", "--json"]));
    assert_eq!(listed.only("failure")["id"], id);

    let shown = cct(&["show", id]).stdout;
    assert_eq!(cct(&["show"]).stdout, shown);
    assert_eq!(cct(&["show", &id.to_uppercase()]).stdout, shown);
    let folder = format!("target/cct/failures/{id}");
    assert_eq!(cct(&["show", &folder]).stdout, shown);
    let full = cct(&["show", "--full", id]).stdout;
    assert!(full.lines().count() >= shown.lines().count(), "{full}");
    let json = Events::of(&cct(&["show", "--json", id]));
    assert_eq!(json.only("report")["steps"], report["steps"]);

    // The same bug again is the same failure; another one is listed first.
    workspace.explore(&[], 100);
    assert_eq!(cct(&["list"]).stdout.lines().count(), 1);
    workspace.replace("counter/src/lib.rs", "get(), 2", "get(), 3");
    workspace.explore(&["--lib"], 100);
    let listed = cct(&["list"]).stdout;
    assert_eq!(listed.lines().count(), 2, "{listed}");
    assert!(
        listed.starts_with(|c: char| c.is_ascii_alphanumeric()),
        "{listed}"
    );
    assert!(!listed.starts_with(id), "{listed}");
}

#[test]
fn a_record_that_cannot_be_read_does_not_hide_the_others() {
    let workspace = Workspace::of_fixture("with spaces");
    workspace.test(&["a_store_is_lost"], 100);
    workspace.write("target/cct/failures/aaaa-aa/trace.json", "{}");
    let listed = Finished::of(workspace.cct().arg("list"));
    listed.expect(0);
    assert_eq!(listed.stdout.lines().count(), 1, "{listed:#?}");
    assert!(listed.stderr.contains("aaaa-aa/trace.json"), "{listed:#?}");
}

/// As on a full disk: what was found is told, and the exit code is that of a failure.
#[test]
fn a_failure_that_cannot_be_written_is_told_all_the_same() {
    let workspace = Workspace::of_fixture("with spaces");
    workspace.test(&["--lib", "--no-run"], 0);
    // Failures may be kept elsewhere, and there nobody may write.
    symlink("/proc", workspace.path("target/cct/failures")).expect("there is none yet");
    let told = workspace.test(&["--lib"], 100);
    assert!(told.stdout.contains("Failing schedule:"), "{told:#?}");
    assert!(
        told.stderr.contains("the failure cannot be replayed"),
        "{told:#?}"
    );
}
