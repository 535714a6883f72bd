//! Uniform random.

use super::{Beginning, Candidates, Pick, Rng, Strategy};

/// Picks uniformly among the candidates at every scheduling point.
///
/// **Idea.** The simplest fair strategy: no candidate is ever starved.
///
/// **Guarantee.** A schedule of k choice points with at most n candidates each has probability at
/// least n^-k. That is little when k is large: everything that is interleaved adds to k.
///
/// **Parameters.** None.
///
/// **Departures.** None. With one candidate no random number is drawn.
#[derive(Debug)]
pub struct Random {
    rng: Rng,
}

impl Default for Random {
    fn default() -> Self {
        Random { rng: Rng::new(0) }
    }
}

impl Strategy for Random {
    fn begin(&mut self, beginning: &Beginning) {
        self.rng = Rng::new(beginning.seed);
    }

    fn pick(&mut self, candidates: &dyn Candidates) -> Pick {
        match candidates.len() {
            1 => Pick {
                worker: candidates.nth(0),
                quantum: u32::MAX,
            },
            n => Pick {
                worker: candidates.nth(self.rng.below(n)),
                quantum: 0,
            },
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
}

#[cfg(test)]
mod tests {
    use super::super::Reason;
    use super::super::stage::Scene;
    use super::*;

    /// Each of 5 candidates is picked 20,000 times on the average, with a standard deviation of 127.
    #[test]
    fn all_candidates_are_equal() {
        let mut random = Random::default();
        let scene = Scene {
            enabled: vec![3, 1, 4, 9, 6],
            current: 3,
            step: 1,
            reason: Reason::Point,
        };
        let mut counts = [0; 10];
        for _ in 0..100_000 {
            counts[random.pick(&scene).worker.0 as usize] += 1;
        }
        let near = |count: i32| (count - 20_000).abs() < 5 * 127;
        assert!(
            scene
                .enabled
                .iter()
                .all(|&worker| near(counts[worker as usize]))
        );
    }
}
