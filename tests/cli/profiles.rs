//! `.config/cct.toml`, and names that mean nothing.

use cct_tests::support::{Events, Finished, Workspace};

const TEST: &str = "configured tests::nothing_is_lost";

const FILE: &str = "
[profile.default]
iterations = 30
strategy = 'pct:2'

[[profile.default.overrides]]
filter = 'package(configured) and test(/^tests::nothing/)'
max_steps = 500

[[profile.default.overrides]]
filter = 'not all()'
iterations = 99

[profile.ci]
iterations = 6

[profile.few]
inherits = 'ci'

[[profile.few.overrides]]
filter = 'binary_id(=configured)'
iterations = 3
";

/// Explores the fixture; returns schedules and strategy.
#[track_caller]
fn explored(workspace: &Workspace, vars: &[(&str, &str)], args: &[&str]) -> (u64, String) {
    let mut command = workspace.cct();
    command.args(["test", "--json", "--lib"]).args(args);
    let finished = Finished::of(command.envs(vars.iter().copied()));
    finished.expect(0);
    let events = Events::of(&finished);
    let ended = events.test(TEST);
    let schedules = ended["counters"]["schedules"].as_u64().unwrap_or_default();
    (
        schedules,
        ended["strategy"].as_str().unwrap_or_default().to_owned(),
    )
}

#[track_caller]
fn assert_refuses(workspace: &Workspace, vars: &[(&str, &str)], args: &[&str], why: &str) {
    let mut command = workspace.cct();
    let refused = Finished::of(command.args(args).envs(vars.iter().copied()));
    refused.expect(96);
    assert!(refused.stderr.contains(why), "no `{why}`: {refused:#?}");
}

#[test]
fn the_file_counts_more_than_manifests_and_less_than_what_is_typed() {
    let workspace = Workspace::of_fixture("configured");
    workspace.write(".config/cct.toml", FILE);
    let pct = "pct:2".to_owned();
    assert_eq!(explored(&workspace, &[], &[]), (30, pct.clone()));
    assert_eq!(explored(&workspace, &[], &["-P", "few"]), (3, pct.clone()));
    assert_eq!(
        explored(&workspace, &[("CCT_PROFILE", "ci")], &[]),
        (6, pct.clone())
    );
    let few = [("CCT_PROFILE", "few"), ("CCT_ITERATIONS", "4")];
    assert_eq!(explored(&workspace, &few, &[]), (4, pct.clone()));
    assert_eq!(
        explored(&workspace, &few, &["--iterations", "5"]),
        (5, pct.clone())
    );
    // Cargo has no build profile `ci`; once it has one, that is meant.
    assert_eq!(
        explored(&workspace, &[], &["--profile", "ci"]),
        (6, pct.clone())
    );
    let manifest = workspace.read("Cargo.toml");
    workspace.write(
        "Cargo.toml",
        &format!("{manifest}\n[profile.ci]\ninherits = 'dev'\n"),
    );
    assert_eq!(explored(&workspace, &[], &["--profile", "ci"]), (30, pct));

    let told = Finished::of(workspace.cct().args(["config", "-P", "few"]));
    told.expect(0);
    for line in [
        "profile few",
        "  iterations  6       .config/cct.toml, profile few",
        "  iterations  25      package.metadata.cct of configured",
        "  iterations  40      workspace.metadata.cct",
        "  3 overrides for some tests",
    ] {
        assert!(told.stdout.contains(line), "no `{line}`: {}", told.stdout);
    }
    let told = Finished::of(workspace.cct().args(["config", "--schema"]));
    let schema: serde_json::Value = told.stdout.parse().expect("JSON");
    assert_eq!(schema["title"], ".config/cct.toml");
}

#[test]
fn what_does_not_exist_is_refused_with_what_was_meant() {
    let workspace = Workspace::of_fixture("configured");
    let run: &[&str] = &["test", "--lib"];
    for (text, why) in [
        (
            "[profile.ci]\nitertions = 5",
            "line 2, column 1: no setting `itertions`; did you mean `iterations`?",
        ),
        (
            "[profile.ci]\ntime = 'soon'",
            "line 2, column 8: `time`: `soon` is no length of time",
        ),
        ("[profile.ci", "line 1, column 12: "),
        ("iterations = 5", "it belongs into a profile"),
        (
            "[[profile.default.overrides]]\nfilter = 'test(a) or package(configurd)'",
            "wrong `filter` in `.config/cct.toml`: no package of the workspace fits\n    \
             test(a) or package(configurd)\n               ^",
        ),
    ] {
        workspace.write(".config/cct.toml", text);
        assert_refuses(&workspace, &[], run, why);
    }
    std::fs::write(workspace.path(".config/cct.toml"), b"# \xff").expect("writable");
    assert_refuses(&workspace, &[], run, "is not UTF-8: line 1");
    workspace.write(".config/cct.toml", "[profile.nightly]");
    assert_refuses(
        &workspace,
        &[],
        &["test", "-P", "nigthly"],
        "did you mean `nightly`?",
    );
    assert_refuses(
        &workspace,
        &[("CCT_ITERATION", "5")],
        run,
        "did you mean `CCT_ITERATIONS`?",
    );
    let told = Finished::of(
        workspace
            .cct()
            .args(["test", "--lib"])
            .env("CCT_XYZZY", "1"),
    );
    told.expect(0);
    assert!(
        told.stderr
            .contains("the variable `CCT_XYZZY` means nothing"),
        "{told:?}"
    );
    // The lock file is there now.
    let args = ["test", "--lib", "--atomic", "confgured"];
    assert_refuses(
        &workspace,
        &[],
        &args,
        "`atomic` names `confgured`, which is no package",
    );
    assert_refuses(&workspace, &[], &args, "did you mean `configured`?");
    let args = ["test", "--lib", "--interleave", "configured,tokio"];
    assert_refuses(&workspace, &[], &args, "`interleave` names `tokio`");
}
