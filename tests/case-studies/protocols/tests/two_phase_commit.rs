//! The protocol with its bug, and mended.

use cct::actor::Runtime;
use protocols::two_phase_commit::{Variant, run};

#[cct::test(max_steps = 5000, iterations = 10_000)]
fn a_late_vote_commits_what_was_refused(runtime: &Runtime) {
    run(runtime, Variant::CountsLateVotes);
}

#[cct::test(max_steps = 5000, iterations = 10_000)]
fn a_mended_coordinator_commits_what_all_want(runtime: &Runtime) {
    run(runtime, Variant::Mended);
}
