//! The protocol with its bug, and mended.

use cct::actor::Runtime;
use protocols::paxos::{Variant, run};

#[cct::test(max_steps = 5000, iterations = 10_000)]
fn a_wrong_proposal_undoes_what_was_chosen(runtime: &Runtime) {
    run(runtime, Variant::TakesOverTheEarliest);
}

#[cct::test(max_steps = 5000, iterations = 10_000)]
fn mended_proposers_agree(runtime: &Runtime) {
    run(runtime, Variant::Mended);
}
