//! The selection: packages, targets, features, profiles and names, chosen as with `cargo test`.

use std::collections::BTreeSet;

use cct_tests::support::{Finished, Workspace};

/// The tests that a command line selects, as `--list` tells them.
#[track_caller]
fn selected(workspace: &Workspace, args: &[&str], words: &[&str]) -> BTreeSet<String> {
    let mut command = workspace.cct();
    command
        .arg("test")
        .args(args)
        .args(["--", "--list"])
        .args(words);
    let listed = Finished::of(&mut command);
    listed.expect(0);
    listed.stdout.lines().map(str::to_owned).collect()
}

#[track_caller]
fn assert_selects(workspace: &Workspace, args: &[&str], words: &[&str], tests: &[&str]) {
    let tests = tests.iter().map(|&test| test.to_owned()).collect();
    let found = selected(workspace, args, words);
    assert_eq!(found, tests, "{args:?} -- {words:?}");
}

const UNIT: &str = "counter tests::nothing_is_lost";
const PUBLIC: &str = "counter::public the_public_face_counts";
const VISITORS: &str = "shop::bin/shop tests::all_visitors_are_counted";
const MONEY: &str = "shop::bin/shop tests::all_money_is_counted";

#[test]
fn packages_targets_and_names_are_selected_as_cargo_does() {
    let workspace = Workspace::of_fixture("virtual-manifest");
    let all = [UNIT, PUBLIC, VISITORS, MONEY];
    assert_selects(&workspace, &[], &[], &all);
    assert_selects(&workspace, &["--workspace"], &[], &all);
    assert_selects(&workspace, &["-p", "counter"], &[], &[UNIT, PUBLIC]);
    assert_selects(&workspace, &["-p", "counter", "-p", "shop"], &[], &all);
    let rest = ["--workspace", "--exclude", "shop"];
    assert_selects(&workspace, &rest, &[], &[UNIT, PUBLIC]);

    assert_selects(&workspace, &["--lib"], &[], &[UNIT]);
    assert_selects(&workspace, &["--test", "public"], &[], &[PUBLIC]);
    assert_selects(&workspace, &["--bins"], &[], &[VISITORS, MONEY]);
    assert_selects(&workspace, &["--bin", "shop"], &[], &[VISITORS, MONEY]);
    assert_selects(
        &workspace,
        &["--lib", "--bins"],
        &[],
        &[UNIT, VISITORS, MONEY],
    );
    assert_selects(&workspace, &["--examples"], &[], &[]);
    assert_selects(&workspace, &["--all-targets"], &[], &all);

    assert_selects(&workspace, &["counted"], &[], &[VISITORS, MONEY]);
    assert_selects(&workspace, &["lost"], &["face"], &[UNIT, PUBLIC]);
    let exact = ["--exact", "tests::nothing_is_lost"];
    assert_selects(&workspace, &[], &exact, &[UNIT]);
    assert_selects(&workspace, &[], &["--exact", "nothing_is_lost"], &[]);
    assert_selects(&workspace, &[], &["--skip", "tests::"], &[PUBLIC]);
    assert_selects(&workspace, &["all"], &["--skip=money"], &[VISITORS]);
}

#[test]
fn only_what_is_selected_runs() {
    let workspace = Workspace::of_fixture("virtual-manifest");
    let one = workspace.explore(
        &["--workspace", "--", "--exact", "tests::nothing_is_lost"],
        0,
    );
    assert_eq!(one.statuses().into_keys().collect::<Vec<_>>(), [UNIT]);
    let summary = one.only("run_ended");
    assert_eq!(
        (&summary["passed"], &summary["left_out"]),
        (&1.into(), &3.into())
    );

    // From another folder, and from within a member, which is then the only one selected.
    let mut command = workspace.cct();
    let manifest = workspace.path("Cargo.toml");
    command.current_dir("/").args(["test", "--manifest-path"]);
    let outside = Finished::of(command.arg(manifest).args(["--", "--list"]));
    outside.expect(0);
    assert_eq!(outside.stdout.lines().count(), 4, "{}", outside.stdout);
    let mut command = workspace.cct();
    command.current_dir(workspace.path("shop"));
    let inside = Finished::of(command.args(["test", "--", "--list"]));
    inside.expect(0);
    assert_eq!(inside.stdout.lines().count(), 2, "{}", inside.stdout);

    let offline = ["--offline", "--locked", "--lib", "--", "--list"];
    Finished::of(workspace.cct().arg("test").args(offline)).expect(0);
    // Only builds.
    let built = workspace.test(&["--no-run"], 0);
    assert_eq!(built.stdout, "");
}

#[test]
fn features_are_chosen() {
    let workspace = Workspace::of_fixture("features");
    let test = |name: &str| format!("features tests::{name}");
    let (always, usual, extra) = (test("always"), test("by_default"), test("with_extra"));
    let (always, usual, extra) = (always.as_str(), usual.as_str(), extra.as_str());
    assert_selects(&workspace, &[], &[], &[always, usual]);
    assert_selects(
        &workspace,
        &["--features", "extra"],
        &[],
        &[always, usual, extra],
    );
    assert_selects(&workspace, &["--no-default-features"], &[], &[always]);
    let extra_alone = ["--no-default-features", "-F", "extra"];
    assert_selects(&workspace, &extra_alone, &[], &[always, extra]);
    assert_selects(
        &workspace,
        &["--all-features"],
        &[],
        &[always, usual, extra],
    );
}

#[test]
fn profiles_are_chosen() {
    let workspace = Workspace::of_fixture("with spaces");
    let manifest = workspace.read("Cargo.toml") + "\n[profile.careful]\ninherits = \"dev\"\n";
    workspace.write("Cargo.toml", &manifest);
    for (args, folder) in [
        (&["--release"][..], "release"),
        (&["--profile", "careful"][..], "careful"),
    ] {
        let found = workspace.explore(args, 100);
        let failure = &found.test("spaced tests::a_store_is_lost")["failure"];
        let id = failure["id"].as_str().expect("a failure has an id");
        let record = workspace.read(&format!("target/cct/failures/{id}/trace.json"));
        let record: serde_json::Value = record.parse().expect("a record is JSON");
        let executable = record["executable"].as_str().unwrap_or_default();
        assert!(
            executable.contains(&format!("/{folder}/deps/")),
            "{executable}"
        );
        // The replay builds with the same profile.
        Finished::of(workspace.cct().args(["replay", id])).expect(100);
    }
}

#[test]
fn ignored_tests_run_on_demand() {
    let workspace = Workspace::of_fixture("edition-2021");
    let test = "edition-2021 tests::ignored_tests_are_ignored";
    assert!(!selected(&workspace, &[], &[]).contains(test));
    assert_selects(&workspace, &[], &["--ignored"], &[test]);
    let all = selected(&workspace, &[], &["--include-ignored"]);
    assert!(all.contains(test) && all.len() == 13, "{all:?}");
    let run = workspace.explore(&["--", "--ignored"], 0);
    assert_eq!(run.test(test)["status"], "PASS");
}

/// One after the other and in order, so that what comes after the first failure does not run.
#[test]
fn a_run_can_stop_at_its_first_failure() {
    let workspace = Workspace::of_fixture("virtual-manifest");
    let all = workspace.explore(&["-j1"], 100);
    assert_eq!(all.statuses().len(), 4);
    let order = ["-j1", "--bins", "--fail-fast", "--", "--test-threads=1"];
    let stopped = workspace.explore(&order, 100);
    let statuses = stopped.statuses();
    assert_eq!(
        statuses.get(MONEY).map(String::as_str),
        Some("FAIL"),
        "{statuses:?}"
    );
    assert_eq!(statuses.get(VISITORS), None, "{statuses:?}");
    assert_eq!(stopped.only("run_ended")["not_run"], 1);
}

#[test]
fn tests_have_the_variables_of_cargos_configuration() {
    let workspace = Workspace::of_fixture("shrinking");
    let config =
        "[env]\nFIRST = 'one'\nHERE = { value = 'data', relative = true }\nPATH = 'lost'\n";
    workspace.write(".cargo/config.toml", config);
    let test = "#[test]
fn variables() {
    let var = |name| std::env::var(name).unwrap_or_default();
    assert_eq!([var(\"FIRST\"), var(\"SECOND\")], [\"one\", \"two\"]);
    assert_eq!(var(\"HERE\"), concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/data\"));
    assert_ne!(var(\"PATH\"), \"lost\");
}
";
    workspace.write("tests/variables.rs", test);
    let args = ["--test", "variables", "--config", "env.SECOND='two'"];
    let events = workspace.explore(&args, 0);
    assert_eq!(
        events.test("shrinking::variables variables")["status"],
        "PASS"
    );
}
