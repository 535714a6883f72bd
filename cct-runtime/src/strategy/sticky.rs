//! The sticky random walk.

use super::{Beginning, Candidates, Pick, Rng, Strategy, WorkerId};

/// How many steps one look at the table can cover.
const TABLE: usize = 512;

/// Keeps the current worker, and with probability 1/n at each scheduling point picks anew.
///
/// **Idea.** Most bugs need few switches at the right places. A walk that switches seldom spends its
/// schedules on those, and is fast since most steps need no decision.
///
/// **Guarantee.** Fair with probability 1: each candidate is picked again and again. A schedule with s
/// switches in k steps among m candidates has probability about (1/nm)^s (1-1/n)^(k-s).
///
/// **Parameters.** `n`: the mean number of steps between two picks.
///
/// **Departures.** The number of steps to the next pick is drawn at once, from the geometric
/// distribution in 64-bit fixed point, which comes to the same since the distribution has no memory.
pub struct Sticky {
    rng: Rng,
    /// `survival[k]`: the probability, times 2^64, of more than k steps without a pick.
    survival: Box<[u64; TABLE]>,
}

impl Sticky {
    /// A walk that picks anew once in `n` steps; `n` is at least 1.
    pub fn new(n: u32) -> Self {
        let keep = u64::MAX - u64::MAX / u64::from(n);
        let mut survival = Box::new([0; TABLE]);
        let mut left = u64::MAX;
        for entry in survival.iter_mut() {
            left = ((u128::from(left) * u128::from(keep)) >> 64) as u64;
            *entry = left;
        }
        Sticky {
            rng: Rng::new(0),
            survival,
        }
    }

    /// The number of steps until the next pick, or the length of the table when it is beyond.
    fn steps_to_next_pick(&mut self) -> u32 {
        let draw = self.rng.bits();
        self.survival.partition_point(|&left| left > draw) as u32
    }
}

impl std::fmt::Debug for Sticky {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sticky")
            .field("rng", &self.rng)
            .finish_non_exhaustive()
    }
}

impl Strategy for Sticky {
    fn begin(&mut self, beginning: &Beginning) {
        self.rng = Rng::new(beginning.seed);
    }

    fn pick(&mut self, candidates: &dyn Candidates) -> Pick {
        let n = candidates.len();
        let index = if n > 1 { self.rng.below(n) } else { 0 };
        Pick {
            worker: candidates.nth(index),
            quantum: self.steps_to_next_pick(),
        }
    }

    fn on_enabled(&mut self, _worker: WorkerId) -> bool {
        false
    }

    fn choose_index(&mut self, n: u32) -> u32 {
        self.rng.below(n)
    }
}
