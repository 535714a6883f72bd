//! `kill -9`, of the tool and of what it has started, at drawn moments.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use cct_tests::support::Workspace;

use crate::garden::Garden;
use crate::tally::{Harm, Tally, kill};

const ARGS: [&str; 6] = [
    "test",
    "--json",
    "--lib",
    "--seed=1",
    "-j2",
    "--iterations=4000",
];

#[test]
fn nothing_is_lost_to_kills() {
    let (mut tally, count, mut draws) = Tally::new("kills", 12);
    let workspace = Workspace::of_fixture("drills");
    let garden = Garden::new(&workspace);
    workspace.test(&["--lib", "--no-run"], 0);
    let began = Instant::now();
    let whole = tally.run(workspace.cct().args(ARGS), "as ever");
    let length = began.elapsed();
    tally.check(Harm::Wrong, whole.code() == 100, || format!("{whole:#?}"));
    for number in 0..count {
        let _ = fs::remove_dir_all(workspace.path("target/cct/failures"));
        let is_tool = draws.below(2) == 0;
        let after = length.mul_f64(draws.below(1000) as f64 / 1000.0);
        let victim = draws.below(100);
        // Every eighth has something to build.
        if number % 8 == 0 {
            let source = workspace.read("src/lib.rs");
            workspace.write("src/lib.rs", &format!("{source}// {number}\n"));
        }
        let what = format!("kill {number} of the tool: {is_tool}, after {after:?}");
        let ended = tally.run_while(workspace.cct().args(ARGS), &what, |tool, mark| {
            thread::sleep(after);
            if is_tool {
                kill("-KILL", &tool.to_string());
                return;
            }
            let others = mark.processes().into_iter();
            let others: Vec<u32> = others
                .map(|(process, _)| process)
                .filter(|&process| process != tool)
                .collect();
            if !others.is_empty() {
                kill("-KILL", &others[victim % others.len()].to_string());
            }
        });
        tally.did();
        // A compiler that is killed breaks the build.
        let allowed = if is_tool {
            &[137, 100][..]
        } else {
            &[100, 101, 96]
        };
        tally.check(Harm::Wrong, allowed.contains(&ended.code()), || {
            format!("{what}: {ended:#?}")
        });
        for (test, never) in [("a_store_is_lost", "PASS"), ("nothing_is_found", "FAIL")] {
            let status = ended.status_of(test);
            tally.check(Harm::Wrong, status.as_deref() != Some(never), || {
                format!("{what}: {test} is {never}: {ended:#?}")
            });
        }
        for id in ended.ids() {
            let shown = tally.run(workspace.cct().args(["show", &id]), &what);
            tally.check(Harm::Loss, shown.code() == 0, || {
                format!("{what}: {id}: {shown:#?}")
            });
        }
    }
    let again = tally.run(workspace.cct().args(ARGS), "after all kills");
    tally.check(Harm::Wrong, again.code() == 100, || format!("{again:#?}"));
    let mut left = fs::read_dir(workspace.path("target/cct/run"))
        .into_iter()
        .flatten()
        .count();
    // A process that has ended a moment ago may still be there when the next run sweeps.
    if left > 0 {
        thread::sleep(Duration::from_secs(1));
        tally.run(workspace.cct().args(ARGS), "once more");
        let folder = fs::read_dir(workspace.path("target/cct/run"));
        left = folder.into_iter().flatten().count();
    }
    tally.check(Harm::Left, left == 0, || "folders of runs".to_owned());
    tally.check(Harm::Touched, garden.is_as_it_was(), || {
        "the garden".to_owned()
    });
    tally.end();
}
