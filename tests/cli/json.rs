//! The output of `--json`, held against `docs/json.md`: each key is documented, and none in vain.

use std::collections::{BTreeMap, BTreeSet};

use cct_tests::support::{Events, Finished, Workspace};
use serde_json::Value;

/// The keys of each section of the page: those in the first column of its table.
fn documented() -> BTreeMap<String, BTreeSet<String>> {
    let page = include_str!("../../docs/json.md");
    let mut sections: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut section = String::new();
    for line in page.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            title.trim_matches('`').clone_into(&mut section);
        } else if let Some((keys, _)) = line
            .strip_prefix("| `")
            .and_then(|row| row.split_once(" |"))
        {
            let keys = keys.split(", ").map(|key| key.trim_matches('`').to_owned());
            sections.entry(section.clone()).or_default().extend(keys);
        }
    }
    sections
}

#[track_caller]
fn assert_documented(section: &str, value: &Value) {
    let documented = &documented()[section];
    let keys = value.as_object().expect("an object").keys();
    let of_each = ["version", "event"];
    let is_report = section == "A report";
    let told: BTreeSet<String> = keys
        .filter(|key| is_report || !of_each.contains(&key.as_str()))
        .cloned()
        .collect();
    assert_eq!(*documented, told, "docs/json.md, section `{section}`");
}

#[test]
fn all_keys_are_documented_and_nothing_else() {
    let workspace = Workspace::of_fixture("with spaces");
    let events = workspace.explore(&["--lib"], 100);
    for kind in ["run_started", "test_started", "test_ended", "run_ended"] {
        let mut some = events.of_kind(kind).peekable();
        assert!(some.peek().is_some(), "no `{kind}`");
        some.for_each(|event| assert_documented(kind, event));
    }
    let ended = events.test("spaced tests::a_store_is_lost");
    assert_documented("A report", &ended["failure"]);
    assert_documented("Counters", &ended["counters"]);
    assert_documented("Counters", &events.only("run_ended")["counters"]);
    let told = Finished::of(workspace.cct().args(["config", "--json"]));
    assert_documented("config", Events::of(&told).only("config"));
    let told = Finished::of(workspace.cct().args(["replay", "--json"]));
    assert_documented("replayed", Events::of(&told).only("replayed"));
    let word = ended["outcome"].as_str().expect("a word");
    assert!(include_str!("../../docs/json.md").contains(&format!("`{word}`")));
}
