//! Uniform random.

use super::{Beginning, Candidates, Pick, Rng, Strategy, WorkerId};

/// Picks uniformly among the candidates at every scheduling point.
///
/// **Idea.** The simplest fair strategy: no candidate is ever starved.
///
/// **Guarantee.** A schedule of k contested points with at most n candidates each has probability at
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

    fn on_enabled(&mut self, _worker: WorkerId) -> bool {
        true
    }

    fn choose_index(&mut self, n: u32) -> u32 {
        self.rng.below(n)
    }
}
