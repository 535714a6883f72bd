//! Wrappers with their bugs, and the proper one.

use cct::actor::Runtime;
use cct::actor::faults::Faults;
use consensus::{Scenario, Variant, run};

/// Replicas crash while the first leader is elected.
const ELECTION: Scenario = Scenario {
    numbers: 1,
    crashes: (1, 4),
    split: None,
    faults: Faults::none(),
};

/// Replicas crash at any moment.
const CRASHES: Scenario = Scenario {
    numbers: 2,
    crashes: (2, 24),
    split: None,
    faults: Faults::none(),
};

/// The network is split, so that a replica falls behind and gets a snapshot.
const SPLIT: Scenario = Scenario {
    numbers: 4,
    crashes: (0, 1),
    split: Some(40),
    faults: Faults::none(),
};

/// Some of everything.
const ALL: Scenario = Scenario {
    numbers: 4,
    crashes: (1, 32),
    split: Some(40),
    faults: Faults::none()
        .losing(6)
        .duplicating(2)
        .delaying(2)
        .among(64),
};

#[cct::test(max_steps = 20_000, iterations = 10_000)]
fn a_message_that_is_sent_before_it_is_true_promises_too_much(runtime: &Runtime) {
    run(runtime, ELECTION, Variant::SendsBeforePersisting);
}

#[cct::test(max_steps = 20_000, iterations = 10_000)]
fn a_vote_that_is_forgotten_is_given_twice(runtime: &Runtime) {
    run(runtime, ELECTION, Variant::ForgetsItsVote);
}

#[cct::test(max_steps = 20_000, iterations = 10_000)]
fn a_log_that_loses_its_end_lacks_what_was_committed(runtime: &Runtime) {
    run(runtime, CRASHES, Variant::LosesItsLastEntry);
}

#[cct::test(max_steps = 20_000, iterations = 10_000)]
fn entries_that_are_not_committed_are_applied_in_vain(runtime: &Runtime) {
    run(runtime, SPLIT, Variant::AppliesUncommitted);
}

#[cct::test(max_steps = 20_000, iterations = 10_000)]
fn a_snapshot_without_its_data_leaves_a_gap(runtime: &Runtime) {
    run(runtime, SPLIT, Variant::DropsSnapshotData);
}

#[cct::test(max_steps = 20_000, iterations = 10_000)]
fn a_snapshot_that_is_lost_is_waited_for_for_ever(runtime: &Runtime) {
    run(runtime, ALL, Variant::ForgetsSnapshots);
}

#[cct::test(max_steps = 20_000)]
fn a_proper_wrapper_survives_a_crash_in_an_election(runtime: &Runtime) {
    run(runtime, ELECTION, Variant::Proper);
}

#[cct::test(max_steps = 20_000)]
fn a_proper_wrapper_survives_crashes(runtime: &Runtime) {
    run(runtime, CRASHES, Variant::Proper);
}

#[cct::test(max_steps = 20_000)]
fn a_proper_wrapper_survives_splits(runtime: &Runtime) {
    run(runtime, SPLIT, Variant::Proper);
}

#[cct::test(max_steps = 20_000)]
fn a_proper_wrapper_survives_everything(runtime: &Runtime) {
    run(runtime, ALL, Variant::Proper);
}
