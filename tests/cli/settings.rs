//! Where settings come from, and which of them counts: command line, environment, manifest.
//!
//! The attribute, which stands between environment and manifest, has a file of its own.

use cct_tests::support::{Events, Finished, Workspace};

const TEST: &str = "configured tests::nothing_is_lost";

/// Explores the fixture with these variables set; returns schedules, strategy, and the run's seed.
#[track_caller]
fn explored(workspace: &Workspace, vars: &[(&str, &str)], args: &[&str]) -> (u64, String, u64) {
    let mut command = workspace.cct();
    command.args(["test", "--json", "--lib"]).args(args);
    let finished = Finished::of(command.envs(vars.iter().copied()));
    finished.expect(0);
    let events = Events::of(&finished);
    let ended = events.test(TEST);
    let number = |value: &serde_json::Value| value.as_u64().expect("a number");
    (
        number(&ended["counters"]["schedules"]),
        ended["strategy"].as_str().unwrap_or_default().to_owned(),
        number(&events.only("run_started")["seed"]),
    )
}

#[test]
fn the_command_line_counts_more_than_the_environment_and_that_more_than_the_manifest() {
    let workspace = Workspace::of_fixture("configured");
    let random = || "random".to_owned();
    assert_eq!(explored(&workspace, &[], &[]), (25, random(), 11));
    let vars = [("CCT_ITERATIONS", "9"), ("CCT_SEED", "3")];
    assert_eq!(explored(&workspace, &vars, &[]), (9, random(), 3));
    let args = ["--iterations", "7", "--strategy", "pct:2"];
    let pct = "pct:2".to_owned();
    assert_eq!(explored(&workspace, &vars, &args), (7, pct, 3));
    // Without the package's own, the workspace's count.
    workspace.replace("Cargo.toml", "iterations = 25\nstrategy", "strategy");
    assert_eq!(explored(&workspace, &[], &[]), (40, random(), 11));
}

#[test]
fn time_ends_an_exploration() {
    let workspace = Workspace::of_fixture("configured");
    let endless = ["--iterations", "18446744073709551615", "--time", "50ms"];
    let (schedules, ..) = explored(&workspace, &[], &endless);
    assert!(schedules > 0);
}

#[test]
fn without_a_seed_one_is_drawn_and_told() {
    let workspace = Workspace::of_fixture("virtual-manifest");
    let run = ["test", "--json", "--iterations", "2", "--lib"];
    let seeds = [(); 2].map(|()| {
        let finished = Finished::of(workspace.cct().args(run));
        finished.expect(0);
        Events::of(&finished).only("run_started")["seed"].as_u64()
    });
    // One chance in 2^32 of a false alarm.
    assert!(seeds[0].is_some() && seeds[0] != seeds[1], "{seeds:?}");
}

#[test]
fn operations_of_atomic_crates_are_no_points() {
    let workspace = Workspace::of_fixture("virtual-manifest");
    let distinct = |args: &[&str]| {
        let events = workspace.explore(args, 0);
        let counters = &events.only("run_ended")["counters"];
        counters["distinct"].as_u64().expect("a number")
    };
    let (all, fewer) = (
        distinct(&["--lib"]),
        distinct(&["--lib", "--atomic", "counter"]),
    );
    assert!(fewer < all, "{fewer} of {all}");
}

#[test]
fn wrong_settings_in_a_manifest_are_refused_with_the_place() {
    for (wrong, why) in [
        ("iteration = 25", "`iteration`"),
        ("iterations = 0", "a number from 1"),
        ("iterations = \"many\"", "a number from 1"),
        ("max_steps = 0", "a number from 1 to 1048575"),
        ("iterations = { of = 5 }", "`iterations` is no plain value"),
    ] {
        let workspace = Workspace::of_fixture("configured");
        workspace.replace("Cargo.toml", "iterations = 25", wrong);
        let refused = Finished::of(workspace.cct().arg("test"));
        refused.expect(96);
        for part in [
            "wrong settings in",
            "Cargo.toml",
            "package.metadata.cct",
            why,
        ] {
            assert!(refused.stderr.contains(part), "no `{part}`: {refused:#?}");
        }
    }
}

#[test]
fn wrong_settings_in_the_environment_are_refused() {
    let workspace = Workspace::of_fixture("configured");
    for (name, value) in [
        ("CCT_ITERATIONS", "none"),
        ("CCT_STRATEGY", "wisest"),
        ("CCT_SEED", "-1"),
    ] {
        let refused = Finished::of(workspace.cct().arg("test").env(name, value));
        refused.expect(96);
        assert!(refused.stderr.contains(value), "{refused:#?}");
    }
}

#[test]
fn as_many_schedules_are_watched_as_asked_for() {
    let workspace = Workspace::of_fixture("configured");
    let watched = |vars: &[(&str, &str)], args: &[&str]| {
        let mut command = workspace.cct();
        command.args(["test", "--json", "--lib", "--iterations", "300"]);
        let finished = Finished::of(command.args(args).envs(vars.iter().copied()));
        finished.expect(0);
        Events::of(&finished).test(TEST)["counters"]["watched"].as_u64()
    };
    // The first 64, and of the others the multiples: 14 of 17, 4 of 50.
    assert_eq!(watched(&[], &[]), Some(64 + 14));
    let vars = [("CCT_WATCH", "50")];
    assert_eq!(watched(&vars, &[]), Some(64 + 4 + 1));
    assert_eq!(watched(&vars, &["--watch", "1"]), Some(300));
    workspace.replace("Cargo.toml", "iterations = 25", "watch = 1");
    assert_eq!(watched(&[], &[]), Some(300));
}
