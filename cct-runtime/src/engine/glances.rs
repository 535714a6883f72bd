//! Looks at the outside that are no steps, over and over: at a path, until another worker makes the file.
//!
//! Such a look is no step, since much of what programs do with files concerns nobody else. But a worker that
//! only looks at the same again, with no step in between, waits for others, and would keep them from running
//! for ever. So each few looks it gives way, as one that yields.

use super::point::{last_site, point_at};
use super::state::engine;
use crate::operation::Operation;

/// After so many looks in vain a worker gives way.
const IN_VAIN: u32 = 4;
/// How many things are remembered that were looked at.
const KEPT: usize = 4;

/// The paths that the current worker has looked at since its last step.
#[derive(Debug, Default)]
pub(super) struct Glances {
    /// The worker's number, and that of the step.
    when: (u32, u32),
    seen: [u64; KEPT],
    count: usize,
    in_vain: u32,
}

impl Glances {
    /// Notes a look; true if the worker should give way.
    fn see(&mut self, when: (u32, u32), what: u64) -> bool {
        if self.when != when {
            *self = Glances {
                when,
                ..Glances::default()
            };
        }
        if self.seen[..self.count.min(KEPT)].contains(&what) {
            self.in_vain += 1;
        } else {
            self.seen[self.count % KEPT] = what;
            self.count += 1;
        }
        self.in_vain >= IN_VAIN
    }
}

/// The current worker looks at something that others may change without a step. `what` tells such things
/// apart. Does nothing outside a controlled worker, or as long as there is one only.
pub fn glance(what: u64) {
    let engine = engine();
    // SAFETY: a set engine is live and has a current worker; no reference is kept across a switch.
    unsafe {
        if engine.is_null() || (*engine).worker_count < 2 || (*engine).onlooker.is_some() {
            return;
        }
        let when = ((*(*engine).current).id.0, (*engine).steps());
        if (*engine).glances.see(when, what) {
            point_at(Operation::YieldNow, 0, last_site()).done();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_who_looks_at_the_same_again_gives_way() {
        let mut glances = Glances::default();
        assert!((0..1000).all(|what| !glances.see((1, 7), what)));
        let mut rounds = 0;
        while !glances.see((1, 8), 5) && !glances.see((1, 8), 6) {
            rounds += 1;
        }
        assert_eq!(rounds, 2);
        assert!(!glances.see((1, 9), 5), "a step lies in between");
    }
}
