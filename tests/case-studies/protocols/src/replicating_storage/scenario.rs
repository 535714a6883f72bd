//! The scenario: one of three nodes fails.

use cct::actor::Runtime;

use super::environment::Begin;
use super::{Environment, LostReplicasAreReplaced, Variant};

/// How many replicas there are to be.
pub(super) const REPLICAS: usize = 3;

/// A store with a manager of this variant, until a lost replica is replaced.
pub fn run(runtime: &Runtime, variant: Variant) {
    cct::register(LostReplicasAreReplaced::default());
    let environment = runtime.create(Environment::default());
    environment.ask(|done| Begin { variant, done }).wait();
    // The nodes would report for ever.
    runtime.stop();
}
