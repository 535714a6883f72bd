//! `Barrier`.

use cct::primitive::BarrierMachine;
use real::fmt;

/// `std::sync::Barrier`.
pub struct Barrier {
    machine: BarrierMachine,
}

/// `std::sync::BarrierWaitResult`.
pub struct BarrierWaitResult(bool);

impl Barrier {
    /// See `std::sync::Barrier::new`.
    #[inline]
    #[must_use]
    pub const fn new(n: usize) -> Barrier {
        Barrier {
            machine: BarrierMachine::new(n),
        }
    }

    /// See `std::sync::Barrier::wait`.
    #[track_caller]
    pub fn wait(&self) -> BarrierWaitResult {
        BarrierWaitResult(self.machine.wait())
    }
}

impl fmt::Debug for Barrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Barrier").finish_non_exhaustive()
    }
}

impl BarrierWaitResult {
    /// See `std::sync::BarrierWaitResult::is_leader`.
    #[must_use]
    pub fn is_leader(&self) -> bool {
        self.0
    }
}

impl fmt::Debug for BarrierWaitResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BarrierWaitResult")
            .field("is_leader", &self.is_leader())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use real::sync::atomic::{AtomicUsize, Ordering};
    use real::thread;

    use super::Barrier;

    #[test]
    fn nobody_passes_alone_and_one_leads() {
        let (barrier, arrived, leaders) =
            (Barrier::new(3), AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for round in 1..=500 {
                        arrived.fetch_add(1, Ordering::Relaxed);
                        let leads = barrier.wait().is_leader();
                        assert!(arrived.load(Ordering::Relaxed) >= 3 * round);
                        leaders.fetch_add(usize::from(leads), Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(leaders.into_inner(), 500);
    }
}
