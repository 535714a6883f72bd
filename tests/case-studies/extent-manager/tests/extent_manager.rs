//! The manager in both scenarios, with its bug and without.

use cct::actor::Runtime;
use extent_manager::Variant;
use extent_manager::harness::{Scenario, run};

/// `ExtentNodeLivenessViolation`: the failed node's report is handled after the node was forgotten.
#[cct::test(max_steps = 6000, iterations = 10_000)]
fn a_late_report_of_a_failed_node_prevents_repair(runtime: &Runtime) {
    run(runtime, Scenario::Replace, Variant::BelievesEveryReport);
}

#[cct::test(max_steps = 6000)]
fn a_mended_manager_replaces_a_failed_node(runtime: &Runtime) {
    run(runtime, Scenario::Replace, Variant::Mended);
}

/// Nobody fails, so the bug does no harm.
#[cct::test(max_steps = 6000)]
fn an_extent_is_copied_to_all_nodes(runtime: &Runtime) {
    run(runtime, Scenario::Replicate, Variant::BelievesEveryReport);
}

#[cct::test(max_steps = 6000)]
fn a_mended_manager_copies_an_extent_to_all_nodes(runtime: &Runtime) {
    run(runtime, Scenario::Replicate, Variant::Mended);
}
