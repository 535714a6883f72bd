//! Which branch a `select!` takes first is a choice of the strategy, and part of the schedule.

use std::sync::LazyLock;

use cct_tests::support::{Events, Finished, Workspace};

use crate::explored::text;

static SELECT: LazyLock<Workspace> =
    LazyLock::new(|| Workspace::kept_of_fixture(env!("CARGO_TARGET_TMPDIR"), "select"));

#[test]
fn every_branch_is_taken_and_the_choice_is_replayed() {
    for strategy in [&[][..], &["--strategy", "dfs"], &["--strategy", "dpor"]] {
        let events = SELECT.explore(&[strategy, &["wrong::"]].concat(), 100);
        let ended = events.ended();
        assert_eq!(ended.len(), 3);
        for (test, ended) in ended {
            assert_eq!(ended["status"], "FAIL", "{test}: {ended:#}");
            let id = text(&ended["failure"]["id"]);
            Finished::of(SELECT.cct().args(["replay", id])).expect(100);
        }
    }
}

/// tokio draws where to begin, the others an order of all three.
#[test]
fn a_search_comes_to_its_end_when_all_choices_are_made() {
    for strategy in ["dfs", "dpor"] {
        let events: Events = SELECT.explore(&["--strategy", strategy, "right::"], 0);
        for (test, schedules) in [("tokio", 3), ("futures", 6), ("channels", 6), ("biased", 1)] {
            let ended = events.test(&format!("select right::{test}"));
            assert_eq!(
                ended["counters"]["schedules"], schedules,
                "{test}: {ended:#}"
            );
        }
    }
}
