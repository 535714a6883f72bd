//! The robot with its bugs, and mended.

use cct::actor::Runtime;
use drinks_robot::{Failover, Variant, run};

/// The navigator ends between the route and the first move.
#[cct::test(max_steps = 5000)]
fn an_order_that_is_forgotten_late_is_waited_for_for_ever(runtime: &Runtime) {
    run(runtime, Failover::Orderly(1), Variant::ForgetsLate);
}

/// The navigator crashes after it has deleted the request, and before it sends the route.
#[cct::test(max_steps = 5000, iterations = 10_000)]
fn a_request_that_is_deleted_first_is_lost_in_a_crash(runtime: &Runtime) {
    run(runtime, Failover::Crash(1), Variant::DeletesFirst);
}

#[cct::test(max_steps = 5000)]
fn a_request_that_is_deleted_first_survives_orderly_ends(runtime: &Runtime) {
    run(runtime, Failover::Orderly(2), Variant::DeletesFirst);
}

#[cct::test(max_steps = 5000)]
fn a_mended_robot_serves_when_navigators_end(runtime: &Runtime) {
    run(runtime, Failover::Orderly(2), Variant::Mended);
}

#[cct::test(max_steps = 5000)]
fn a_mended_robot_serves_when_navigators_crash(runtime: &Runtime) {
    run(runtime, Failover::Crash(2), Variant::Mended);
}
