//! The protocol with its bug, and mended.

use cct::actor::Runtime;
use protocols::raft::{Variant, run};

#[cct::test(max_steps = 5000)]
fn a_vote_that_counts_twice_makes_two_leaders(runtime: &Runtime) {
    run(runtime, Variant::CountsVotesTwice);
}

#[cct::test(max_steps = 5000)]
fn a_mended_term_has_one_leader(runtime: &Runtime) {
    run(runtime, Variant::Mended);
}
