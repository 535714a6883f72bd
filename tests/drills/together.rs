//! Runs that meet in one target folder.

use std::sync::Mutex;
use std::thread;

use cct_tests::support::Workspace;

use crate::tally::{Harm, Tally};

#[test]
fn runs_that_meet_do_not_disturb_each_other() {
    let (tally, rounds, mut draws) = Tally::new("together", 1);
    let workspace = Workspace::of_fixture("drills");
    let source = workspace.read("src/lib.rs");
    let tally = Mutex::new(tally);
    for round in 0..rounds {
        for runs in [2, 8] {
            workspace.write("src/lib.rs", &format!("{source}// {round} {runs}\n"));
            let seeds: Vec<String> = (0..runs).map(|_| draws.below(1000).to_string()).collect();
            let all = thread::scope(|scope| {
                let started: Vec<_> = seeds
                    .iter()
                    .map(|seed| {
                        let mut command = workspace.cct();
                        command.args(["test", "--json", "--lib", "-j1", "--iterations=1000"]);
                        command.args(["--seed", seed]);
                        scope.spawn(move || {
                            let (mut own, _, _) = Tally::new("run", 0);
                            let ended = own.run(&mut command, "beside others");
                            (own, ended)
                        })
                    })
                    .collect();
                let all = started.into_iter().map(|run| run.join().expect("it ends"));
                all.collect::<Vec<_>>()
            });
            let mut tally = tally.lock().expect("nobody panics");
            for (own, ended) in all {
                tally.add(own);
                tally.did();
                let what = format!("{runs} runs");
                let statuses =
                    ["a_store_is_lost", "nothing_is_found"].map(|test| ended.status_of(test));
                let expected = ["FAIL", "PASS"].map(|status| Some(status.to_owned()));
                let is_well = ended.code() == 100 && statuses == expected;
                tally.check(Harm::Wrong, is_well, || format!("{what}: {ended:#?}"));
                for id in ended.ids() {
                    let shown = tally.run(workspace.cct().args(["replay", &id]), &what);
                    tally.check(Harm::Loss, shown.code() == 100, || {
                        format!("{what}: {shown:#?}")
                    });
                }
            }
        }
    }
    tally.into_inner().expect("nobody panics").end();
}
