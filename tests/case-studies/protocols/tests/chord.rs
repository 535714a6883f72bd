//! The protocol with its bugs, and mended.

use cct::actor::Runtime;
use protocols::chord::{Scenario, Variant, run};

#[cct::test(max_steps = 5000)]
fn a_node_that_leaves_loses_requests(runtime: &Runtime) {
    run(runtime, Scenario::JoinAndLeave, Variant::LosesRequests);
}

#[cct::test(max_steps = 5000)]
fn a_node_joins_at_the_wrong_place(runtime: &Runtime) {
    run(runtime, Scenario::JoinTwice, Variant::LetsAnyoneIn);
}

#[cct::test(max_steps = 5000)]
fn a_mended_node_passes_requests_on(runtime: &Runtime) {
    run(runtime, Scenario::JoinAndLeave, Variant::Mended);
}

#[cct::test(max_steps = 5000)]
fn mended_nodes_join_at_their_places(runtime: &Runtime) {
    run(runtime, Scenario::JoinTwice, Variant::Mended);
}
