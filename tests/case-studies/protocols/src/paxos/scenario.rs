//! The scenario: three proposers, five acceptors of which two may fail.

use cct::actor::Runtime;

use super::{
    Acceptor, AcceptorId, Fail, Learner, Number, OneValueIsLearned, Proposer, Value, Variant,
};

const PROPOSERS: usize = 3;
const ACCEPTORS: usize = 5;
const FAILURES: usize = 2;

/// Proposers of this variant try to agree.
pub fn run(runtime: &Runtime, variant: Variant) {
    cct::register(OneValueIsLearned::default());
    let learner = runtime.create(Learner::new(ACCEPTORS / 2 + 1));
    let acceptors: Vec<_> = (0..ACCEPTORS)
        .map(|id| runtime.create(Acceptor::new(AcceptorId(id), learner.clone())))
        .collect();
    for number in 0..PROPOSERS {
        let acceptors = acceptors.clone();
        runtime.create(Proposer::new(
            variant,
            Number(number),
            Value(number),
            acceptors,
        ));
    }
    let mut failures = 0;
    for acceptor in acceptors {
        if failures < FAILURES && cct::nondet_bool() {
            acceptor.send(Fail);
            failures += 1;
        }
    }
}
