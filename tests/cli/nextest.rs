//! The tests under control, driven by the real nextest, where the machine has it.

use std::process::Command;

use cct_tests::support::{Finished, Workspace};

/// Tells loudly that there is no nextest.
pub(crate) fn has_nextest() -> bool {
    let there = Command::new("cargo-nextest")
        .args(["nextest", "--version"])
        .output();
    let there = there.is_ok_and(|output| output.status.success());
    if !there {
        eprintln!(
            "NOT TESTED: there is no cargo-nextest; `cargo install cargo-nextest --locked` installs it, and \
             `cargo test -p cct-tests --test cli nextest` runs this test alone"
        );
    }
    there
}

/// The id that a report names.
fn id(report: &str) -> &str {
    let after = report.split_once("cargo cct replay ").expect("a report").1;
    after.split_whitespace().next().expect("an id")
}

#[test]
fn nextest_runs_tests_under_control() {
    if !has_nextest() {
        return;
    }
    let workspace = Workspace::of_fixture("virtual-manifest");
    workspace.write(
        "counter/tests/lost.rs",
        "#[test]\nfn an_update_is_lost() {\n    use std::sync::atomic::{AtomicU32, Ordering::SeqCst};\n    \
         let count = AtomicU32::new(0);\n    let add = || count.store(count.load(SeqCst) + 1, SeqCst);\n    \
         std::thread::scope(|scope| {\n        scope.spawn(add);\n        add();\n    });\n    \
         assert_eq!(count.into_inner(), 2);\n}\n",
    );
    let run = |args: &[&str]| {
        let mut command = workspace.cct();
        command.arg("nextest").args(args).env("CCT_SEED", "1");
        Finished::of(&mut command)
    };
    let failed = run(&["run", "--workspace", "--no-fail-fast"]);
    failed.expect(100);
    let said = &failed.stderr;
    assert!(
        said.contains("FAIL") && said.contains("counter::lost an_update_is_lost"),
        "{said}"
    );
    assert!(said.contains("PASS"), "{said}");
    let replayed = Finished::of(workspace.cct().args(["replay", id(said)]));
    replayed.expect(100);
    assert!(replayed.stdout.contains("overwr"), "{replayed:?}");

    let variables = Finished::of(workspace.cct().arg("show-env"));
    variables.expect(0);
    workspace.write("env.sh", &variables.stdout);
    let mut command = workspace.cargo();
    let wrapped = Command::new("sh")
        .args([
            "-c",
            ". ./env.sh && exec cargo-nextest nextest run -E 'test(an_update_is_lost)'",
        ])
        .current_dir(workspace.path(""))
        .envs(
            command
                .env("CCT_SEED", "1")
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .output()
        .expect("a shell");
    let said = String::from_utf8_lossy(&wrapped.stderr);
    assert!(said.contains("cargo cct replay "), "{said}");

    run(&["archive", "--workspace", "--archive-file", "tests.tar.zst"]).expect(0);
    let failed = run(&[
        "run",
        "--archive-file",
        "tests.tar.zst",
        "-E",
        "test(an_update_is_lost)",
    ]);
    failed.expect(100);
    assert!(failed.stderr.contains("cargo cct replay "), "{failed:?}");
}

#[test]
fn nextest_tries_kept_schedules() {
    if !has_nextest() {
        return;
    }
    let workspace = Workspace::of_fixture("with spaces");
    let found = workspace.test(&["a_store_is_lost"], 100);
    Finished::of(workspace.cct().args(["keep", id(&found.stdout)])).expect(0);
    Finished::of(workspace.cct().args(["clean", "--failures"])).expect(0);
    // The one schedule of this strategy finds nothing: no thread is preempted.
    let run = |code: i32| {
        let mut command = workspace.cct();
        command.args(["nextest", "run", "a_store_is_lost"]);
        let once = [("CCT_STRATEGY", "dfs"), ("CCT_ITERATIONS", "1")];
        let ended = Finished::of(command.env("CCT_SEED", "1").envs(once));
        ended.expect(code);
        ended.stderr
    };
    let failed = run(100);
    assert!(failed.contains("by a kept schedule"), "{failed}");
    Finished::of(workspace.cct().args(["clean", "--failures"])).expect(0);
    std::fs::remove_dir_all(workspace.path("cct-regressions")).expect("it is there");
    run(0);
}
