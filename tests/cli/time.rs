//! Clocks, deadlines and time-outs.

use cct_tests::support::{Events, Finished, Workspace};

#[test]
fn clocks_never_run_backwards() {
    let workspace = Workspace::of_fixture("time");
    for seed in ["1", "2", "3"] {
        let test = ["test", "--json", "--test", "clocks", "--seed", seed];
        let most = ["--iterations", "60", "--max-steps", "60000"];
        let finished = Finished::of(workspace.cct().args(test).args(most));
        finished.expect(0);
        let events = Events::of(&finished);
        for (name, ended) in events.ended() {
            assert_eq!(ended["status"], "PASS", "{name}: {ended:#}");
            assert_eq!(ended["counters"]["cut_offs"], 0, "{name}: {ended:#}");
            assert!(ended["diverged"].is_null(), "{name}: {ended:#}");
        }
    }
}
