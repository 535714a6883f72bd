//! Each mistake is found. All of these tests fail under some schedules.

use cct::actor::Runtime;
use migrating_table::Bug;
use migrating_table::harness::{Scenario, run};

#[cct::test]
fn query_atomic_filter_shadowing(runtime: &Runtime) {
    run(
        runtime,
        Scenario::random(),
        Some(Bug::QueryAtomicFilterShadowing),
    );
}

#[cct::test]
fn query_streamed_lock(runtime: &Runtime) {
    run(runtime, Scenario::random(), Some(Bug::QueryStreamedLock));
}

#[cct::test]
fn query_streamed_back_up_new_stream(runtime: &Runtime) {
    run(
        runtime,
        Scenario::random(),
        Some(Bug::QueryStreamedBackUpNewStream),
    );
}

#[cct::test]
fn delete_no_leave_tombstones_etag(runtime: &Runtime) {
    run(
        runtime,
        Scenario::random(),
        Some(Bug::DeleteNoLeaveTombstonesEtag),
    );
}

#[cct::test]
fn delete_primary_key(runtime: &Runtime) {
    run(runtime, Scenario::random(), Some(Bug::DeletePrimaryKey));
}

#[cct::test]
fn ensure_partition_switched_from_populated(runtime: &Runtime) {
    let bug = Bug::EnsurePartitionSwitchedFromPopulated;
    run(runtime, Scenario::random(), Some(bug));
}

#[cct::test]
fn tombstone_output_etag(runtime: &Runtime) {
    run(runtime, Scenario::random(), Some(Bug::TombstoneOutputEtag));
}

#[cct::test]
fn write_hide_etag(runtime: &Runtime) {
    run(runtime, Scenario::random(), Some(Bug::WriteHideEtag));
}

#[cct::test]
fn query_streamed_filter_shadowing(runtime: &Runtime) {
    let scenario = Scenario::streamed_filter_shadowing();
    run(runtime, scenario, Some(Bug::QueryStreamedFilterShadowing));
}

#[cct::test]
fn migrate_skip_prefer_old(runtime: &Runtime) {
    run(
        runtime,
        Scenario::skip_prefer_old(),
        Some(Bug::MigrateSkipPreferOld),
    );
}

#[cct::test]
fn migrate_skip_use_new_with_tombstones(runtime: &Runtime) {
    let scenario = Scenario::skip_use_new_with_tombstones();
    run(
        runtime,
        scenario,
        Some(Bug::MigrateSkipUseNewWithTombstones),
    );
}

#[cct::test]
fn insert_behind_migrator(runtime: &Runtime) {
    run(
        runtime,
        Scenario::insert_behind_migrator(),
        Some(Bug::InsertBehindMigrator),
    );
}
