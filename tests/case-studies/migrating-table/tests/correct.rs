//! Without mistakes the virtual table is like a single table, whatever the schedule.

use cct::actor::Runtime;
use migrating_table::Bug;
use migrating_table::harness::{Scenario, run};

#[cct::test]
fn random_operations_agree_with_the_reference(runtime: &Runtime) {
    run(runtime, Scenario::random(), None);
}

#[cct::test]
fn a_streamed_query_does_not_return_rows_that_no_longer_match(runtime: &Runtime) {
    run(runtime, Scenario::streamed_filter_shadowing(), None);
}

#[cct::test]
fn rows_of_clients_that_are_ahead_are_seen(runtime: &Runtime) {
    run(runtime, Scenario::skip_prefer_old(), None);
}

#[cct::test]
fn deleted_rows_do_not_come_back(runtime: &Runtime) {
    run(runtime, Scenario::skip_use_new_with_tombstones(), None);
}

#[cct::test]
fn rows_of_clients_that_are_behind_are_moved(runtime: &Runtime) {
    run(runtime, Scenario::insert_behind_migrator(), None);
}

#[cct::test]
fn a_streamed_query_may_forget_the_configuration(runtime: &Runtime) {
    run(
        runtime,
        Scenario::random(),
        Some(Bug::QueryStreamedSaveNewConfig),
    );
}

#[cct::test]
fn a_streamed_query_may_begin_late(runtime: &Runtime) {
    run(runtime, Scenario::late_stream(), None);
}

#[cct::test]
fn the_migrator_may_be_restarted(runtime: &Runtime) {
    run(runtime, Scenario::random().with_restart(), None);
}
