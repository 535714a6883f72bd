//! The protocol with its bug, and mended.

use cct::actor::Runtime;
use protocols::failure_detector::{Variant, run};

#[cct::test(max_steps = 5000, iterations = 10_000)]
fn late_answers_let_unanswered_pings_gather(runtime: &Runtime) {
    run(runtime, Variant::CountsLateAnswers);
}

#[cct::test(max_steps = 5000, iterations = 10_000)]
fn a_mended_detector_has_few_unanswered_pings(runtime: &Runtime) {
    run(runtime, Variant::Mended);
}
