//! Disks with little room left, of a drawn size: no verdict comes of them, and what is told is there.

use std::fs;
use std::process::Command;

use cct_tests::support::{Workspace, run_by};

use crate::folders::restore;
use crate::tally::{Harm, Tally};

/// A disk in the place of the build's products, with a copy of them and so much room; failures are copied
/// out of it.
const SCRIPT: &str = "W=\"$1\"; room=$2; shift 2; set -e; mkdir -p $W/was $W/told; rm -rf $W/told/*
    mount --bind $W/target $W/was; mount -t tmpfs -o size=400m none $W/target
    cp -a --sparse=never $W/was/. $W/target; rm -rf $W/target/cct/failures
    free=$(df --output=avail -k $W/target | tail -n 1)
    head -c $(((free - room) * 1024)) /dev/zero > $W/target/filler; set +e
    \"$@\"; code=$?; cp -a $W/target/cct/failures $W/told; exit $code";

#[test]
fn full_disks_are_told() {
    let status = Command::new("unshare").args(["-m", "true"]).status();
    if !status.is_ok_and(|status| status.success()) {
        eprintln!("skipped: `unshare -m` is not permitted here");
        return;
    }
    let (mut tally, count, mut draws) = Tally::new("disks", 8);
    let workspace = Workspace::of_fixture("drills");
    workspace.test(&["--lib", "--no-run"], 0);
    for number in 0..count {
        // As many small disks as large ones.
        let room = (4 << draws.below(10)) + draws.below(64);
        let mut shell = Command::new("unshare");
        shell.args(["-m", "sh", "-c", SCRIPT, "sh"]);
        shell.arg(workspace.path(".")).arg(room.to_string());
        let mut command = workspace.cct();
        command.args(["test", "--json", "--lib", "--seed=1", "--iterations=300"]);
        let what = format!("{number}: {room} KiB");
        let ended = tally.run(&mut run_by(shell, &command), &what);
        tally.did();
        tally.check(Harm::Wrong, [96, 100].contains(&ended.code()), || {
            format!("{what}: {ended:#?}")
        });
        let is_told = ended.stderr.contains("no space") || ended.stdout.contains("no space");
        tally.check(Harm::Wrong, ended.code() == 100 || is_told, || {
            format!("{what}: {ended:#?}")
        });
        for (test, never) in [("a_store_is_lost", "PASS"), ("nothing_is_found", "FAIL")] {
            let status = ended.status_of(test);
            tally.check(Harm::Wrong, status.as_deref() != Some(never), || {
                format!("{what}: {ended:#?}")
            });
        }
        let flaky = ended.events().any(|event| event["status"] == "FLAKY");
        tally.check(Harm::Wrong, !flaky, || format!("{what}: {ended:#?}"));
        let kept = workspace.path("told/failures");
        let ids = ended.ids();
        if ended.code() == 100 && !ids.is_empty() {
            let _ = fs::create_dir_all(&kept);
            restore(&kept, &workspace.path("target/cct/failures"));
            for id in ids {
                let shown = tally.run(workspace.cct().args(["show", &id]), &what);
                tally.check(Harm::Loss, shown.code() == 0, || {
                    format!("{what}: {ended:#?}{shown:#?}")
                });
            }
        }
    }
    tally.end();
}
