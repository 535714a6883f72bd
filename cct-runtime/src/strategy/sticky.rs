//! The sticky random walk.

use super::{Beginning, Candidates, Pick, Reason, Rng, Strategy, WorkerId};

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
/// **Parameters.** `n`: the mean number of steps between two picks. Coyote's `probabilistic` (Deligiannis et
/// al., TACAS 2023) keeps the current worker unless all of B coin flips come 0: the same walk with n = 2^B,
/// so that name is read as this one's.
///
/// **Departures.** The number of steps to the next pick is drawn at once, from the geometric
/// distribution in 64-bit fixed point, a table's length at a time, which comes to the same since the
/// distribution has no memory.
pub struct Sticky {
    rng: Rng,
    /// The last draw was beyond the table: the next pick is not due yet.
    goes_on: bool,
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
            goes_on: false,
            survival,
        }
    }

    /// The number of further steps until the next pick, as far as the table goes.
    fn steps_to_next_pick(&mut self) -> u32 {
        let draw = self.rng.bits();
        let steps = self.survival.partition_point(|&left| left > draw);
        self.goes_on = steps == TABLE;
        (steps - usize::from(self.goes_on)) as u32
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
        self.goes_on = false;
    }

    fn pick(&mut self, candidates: &dyn Candidates) -> Pick {
        let n = candidates.len();
        let worker = if self.goes_on && candidates.reason() == Reason::Point {
            candidates.current()
        } else {
            candidates.nth(if n > 1 { self.rng.below(n) } else { 0 })
        };
        Pick {
            worker,
            quantum: self.steps_to_next_pick(),
        }
    }

    fn choose_index(&mut self, n: u32) -> u32 {
        self.rng.below(n)
    }

    fn learns(&self) -> bool {
        false
    }

    fn fair_from(&self) -> u32 {
        0
    }

    fn on_enabled(&mut self, _worker: WorkerId) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::stage::{Scene, play};
    use super::*;

    /// Draws how many further steps there are until the next pick.
    fn draw(walk: &mut Sticky) -> u32 {
        let mut steps = walk.steps_to_next_pick();
        while walk.goes_on {
            steps += 1 + walk.steps_to_next_pick();
        }
        steps
    }

    /// The mean of N draws of a geometric number with success 1/n is n-1, with a standard deviation of
    /// less than n/sqrt(N). Five of those are left in the worst case at one of 1.7 million seeds.
    #[test]
    fn runs_of_steps_are_geometric() {
        const DRAWS: u32 = 100_000;
        for n in [1, 2, 20, 200, 2000] {
            let mut walk = Sticky::new(n);
            let draws: Vec<u32> = (0..DRAWS).map(|_| draw(&mut walk)).collect();
            let (n, count) = (f64::from(n), f64::from(DRAWS));
            let mean = draws.iter().copied().map(f64::from).sum::<f64>() / count;
            assert!(
                (mean - (n - 1.0)).abs() <= 5.0 * n / count.sqrt(),
                "1/{n}: {mean}"
            );
            let at_once = draws.iter().filter(|&&steps| steps == 0).count() as f64 / count;
            let deviation = (1.0 / n * (1.0 - 1.0 / n) / count).sqrt();
            assert!(
                (at_once - 1.0 / n).abs() <= 5.0 * deviation + 1e-9,
                "1/{n}: {at_once}"
            );
        }
    }

    #[test]
    fn a_seed_means_the_same_schedule() {
        let steps = [40, 40, 40];
        let mut walk = Sticky::new(3);
        let first = play(&mut walk, 7, &steps);
        assert_eq!(play(&mut walk, 7, &steps), first);
        assert_ne!(play(&mut walk, 8, &steps), first);
    }

    #[test]
    fn a_walk_beyond_its_table_stays_where_it_is() {
        let mut walk = Sticky::new(u32::MAX);
        let scene = |reason| Scene {
            enabled: (0..100).collect(),
            current: 42,
            step: 1,
            reason,
        };
        walk.goes_on = true;
        assert_eq!(walk.pick(&scene(Reason::Point)).worker, WorkerId(42));
        assert!(walk.goes_on);
        assert_ne!(walk.pick(&scene(Reason::Stopped)).worker, WorkerId(42));
    }
}
