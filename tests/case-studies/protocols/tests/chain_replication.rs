//! The protocol with its bug, and mended.

use cct::actor::Runtime;
use protocols::chain_replication::{Variant, run};

#[cct::test(max_steps = 5000, iterations = 10_000)]
fn the_last_server_falls_behind_itself(runtime: &Runtime) {
    run(runtime, Variant::ForwardsToItself);
}

#[cct::test(max_steps = 5000, iterations = 10_000)]
fn a_mended_chain_is_sorted(runtime: &Runtime) {
    run(runtime, Variant::Mended);
}
