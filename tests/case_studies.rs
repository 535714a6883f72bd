//! Programs of the literature as machines (`case-studies/`): under control the bug of each is found and
//! the mended ones pass. The suite runs one of them; all take minutes:
//! `cargo test -p cct-tests --test case_studies -- --ignored`.

#![allow(missing_docs, reason = "tests are claims and need no more words")]

use std::collections::BTreeMap;
use std::path::Path;

use cct_tests::support::{Events, Finished, cargo_cct};

/// The tests that have to fail, and of which kind their bugs are; all others have to pass.
const FAILS: [(&str, &str); 24] = [
    (
        "extent-manager::extent_manager a_late_report_of_a_failed_node_prevents_repair",
        "liveness",
    ),
    (
        "migrating-table::bugs delete_no_leave_tombstones_etag",
        "panic",
    ),
    ("migrating-table::bugs delete_primary_key", "panic"),
    (
        "migrating-table::bugs ensure_partition_switched_from_populated",
        "panic",
    ),
    ("migrating-table::bugs insert_behind_migrator", "panic"),
    ("migrating-table::bugs migrate_skip_prefer_old", "panic"),
    (
        "migrating-table::bugs migrate_skip_use_new_with_tombstones",
        "panic",
    ),
    (
        "migrating-table::bugs query_atomic_filter_shadowing",
        "panic",
    ),
    (
        "migrating-table::bugs query_streamed_back_up_new_stream",
        "panic",
    ),
    (
        "migrating-table::bugs query_streamed_filter_shadowing",
        "panic",
    ),
    ("migrating-table::bugs query_streamed_lock", "panic"),
    ("migrating-table::bugs tombstone_output_etag", "panic"),
    ("migrating-table::bugs write_hide_etag", "panic"),
    (
        "protocols::chain_replication the_last_server_falls_behind_itself",
        "safety",
    ),
    ("protocols::chord a_node_joins_at_the_wrong_place", "safety"),
    (
        "protocols::chord a_node_that_leaves_loses_requests",
        "liveness",
    ),
    (
        "protocols::failure_detector late_answers_let_unanswered_pings_gather",
        "safety",
    ),
    (
        "protocols::paxos a_wrong_proposal_undoes_what_was_chosen",
        "safety",
    ),
    (
        "protocols::raft a_vote_that_counts_twice_makes_two_leaders",
        "safety",
    ),
    (
        "protocols::replicating_storage a_command_is_lost_to_older_data",
        "liveness",
    ),
    (
        "protocols::replicating_storage a_late_report_prevents_repair",
        "liveness",
    ),
    (
        "protocols::two_phase_commit a_late_vote_commits_what_was_refused",
        "safety",
    ),
    (
        "replication::replication a_server_that_counts_reports_acknowledges_too_early",
        "safety",
    ),
    (
        "replication::replication a_server_that_keeps_replicas_stops_acknowledging",
        "liveness",
    ),
];

#[test]
fn the_bugs_of_the_replicated_register_are_found() {
    bugs_are_found(&["-p", "replication"], "replication::");
}

#[test]
#[ignore = "it takes some minutes"]
fn all_bugs_are_found() {
    bugs_are_found(&[], "");
}

/// Runs the tests that these arguments select, whose names begin like this.
fn bugs_are_found(args: &[&str], prefix: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("case-studies");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("case-studies");
    let mut command = cargo_cct();
    command
        .args([
            "test",
            "--json",
            "--seed",
            "1",
            "--tests",
            "--manifest-path",
        ])
        .arg(folder.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(target)
        .args(args);
    let finished = Finished::of(&mut command);
    finished.expect(100);
    let events = Events::of(&finished);
    let found: BTreeMap<String, &str> = (events.ended().into_iter())
        .filter_map(|(test, event)| {
            let kind = event["failure"]["bug"]["kind"].as_str()?;
            Some((test.clone(), kind))
        })
        .collect();
    let expected: BTreeMap<String, &str> = (FAILS.into_iter())
        .filter(|(test, _)| test.starts_with(prefix))
        .map(|(test, kind)| (test.to_owned(), kind))
        .collect();
    assert_eq!(found, expected);
}
