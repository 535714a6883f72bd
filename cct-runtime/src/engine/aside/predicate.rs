//! Predicates that a worker waits for.

use crate::engine::decide::engine;
use crate::engine::decide::onlooker::{Interruption, Onlooker, aside};

/// Evaluates a predicate aside, on the current worker; where it would have to wait it is false. A
/// panic in it is one of the worker. Controlled workers only.
pub(crate) fn holds(predicate: &mut dyn FnMut() -> bool) -> bool {
    let engine = engine();
    // SAFETY: a controlled worker's engine is live.
    match unsafe { aside(engine, Onlooker::Condition, predicate) } {
        Ok(value) => value,
        Err(Interruption::Waits) => false,
        Err(Interruption::Panicked(message, site)) => {
            let site = site.map_or(String::new(), |site| format!(" at {site}"));
            panic!("a predicate panicked{site}: {message}")
        }
    }
}
