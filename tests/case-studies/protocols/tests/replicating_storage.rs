//! The protocol with its bug, and mended.

use cct::actor::Runtime;
use protocols::replicating_storage::{Variant, run};

#[cct::test(max_steps = 6000)]
fn a_late_report_prevents_repair(runtime: &Runtime) {
    run(runtime, Variant::BelievesEveryReport);
}

#[cct::test(max_steps = 6000, iterations = 10_000)]
fn a_command_is_lost_to_older_data(runtime: &Runtime) {
    run(runtime, Variant::SyncsBackwards);
}

#[cct::test(max_steps = 6000, iterations = 10_000)]
fn a_mended_manager_replaces_a_lost_replica(runtime: &Runtime) {
    run(runtime, Variant::Mended);
}
