//! Programs of the literature, as machines and as tasks (`case-studies/`): under control the bug of each is
//! found and the mended ones pass. The suite runs two of them; all take minutes:
//! `cargo test -p cct-tests --test case_studies -- --ignored`.

#![allow(missing_docs, reason = "tests are claims and need no more words")]

use std::collections::BTreeMap;
use std::path::Path;

use cct_tests::support::{Events, Finished, cargo_cct};

/// The tests that have to fail, and of which kind their bugs are; all others have to pass.
const FAILS: [(&str, &str); 44] = [
    (
        "account-manager::accounts an_older_version_overwrites_a_later_one_without_etags",
        "safety",
    ),
    (
        "account-manager::accounts clients_that_check_get_in_each_others_way",
        "panic",
    ),
    (
        "account-manager::accounts clients_without_etags_undo_what_others_did",
        "safety",
    ),
    (
        "account-manager::accounts two_that_check_both_create_an_account",
        "panic",
    ),
    (
        "account-manager::accounts two_that_check_both_delete_an_account",
        "panic",
    ),
    (
        "account-manager::accounts two_updates_of_one_version_both_succeed_without_etags",
        "safety",
    ),
    (
        "coffee-machine::actors a_hopper_below_zero_is_taken_for_beans",
        "panic",
    ),
    (
        "coffee-machine::actors two_at_a_time_confuse_the_sensors",
        "actor_failed",
    ),
    (
        "coffee-machine::tasks a_hopper_below_zero_is_taken_for_beans_by_tasks",
        "panic",
    ),
    (
        "consensus::consensus a_log_that_loses_its_end_lacks_what_was_committed",
        "panic",
    ),
    (
        "consensus::consensus a_message_that_is_sent_before_it_is_true_promises_too_much",
        "panic",
    ),
    (
        "consensus::consensus a_snapshot_that_is_lost_is_waited_for_for_ever",
        "liveness",
    ),
    (
        "consensus::consensus a_snapshot_without_its_data_leaves_a_gap",
        "safety",
    ),
    (
        "consensus::consensus a_vote_that_is_forgotten_is_given_twice",
        "safety",
    ),
    (
        "consensus::consensus entries_that_are_not_committed_are_applied_in_vain",
        "safety",
    ),
    (
        "drinks-robot::drinks_robot a_request_that_is_deleted_first_is_lost_in_a_crash",
        "liveness",
    ),
    (
        "drinks-robot::drinks_robot an_order_that_is_forgotten_late_is_waited_for_for_ever",
        "liveness",
    ),
    (
        "image-gallery::gallery a_crash_between_two_writes_leaves_images",
        "panic",
    ),
    (
        "image-gallery::gallery an_image_outlives_its_account",
        "panic",
    ),
    (
        "image-gallery::gallery an_update_of_a_deleted_account_is_an_error_of_the_server",
        "panic",
    ),
    (
        "extent-manager::extent_manager a_late_report_of_a_failed_node_prevents_repair",
        "liveness",
    ),
    (
        "migrating-table::bugs delete_no_leave_tombstones_etag",
        "actor_failed",
    ),
    ("migrating-table::bugs delete_primary_key", "actor_failed"),
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
fn the_bugs_of_the_drinks_robot_are_found() {
    bugs_are_found(&["-p", "drinks-robot"], "drinks-robot::");
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
