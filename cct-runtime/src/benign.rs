//! Races that are meant.

use crate::engine;

/// As long as one lives, plain accesses of the thread that made it are no part of a data race. Nothing where
/// no engine is.
///
/// `#[cct::benign_race]` makes one, for a function.
#[must_use = "races are meant as long as it lives"]
#[derive(Debug)]
pub struct BenignRaces(
    /// It ends on the thread on which it began.
    std::marker::PhantomData<*const ()>,
);

impl BenignRaces {
    /// From here on they are.
    #[inline]
    pub fn begin() -> BenignRaces {
        engine::mean_races(true);
        BenignRaces(std::marker::PhantomData)
    }
}

impl Drop for BenignRaces {
    #[inline]
    fn drop(&mut self) {
        engine::mean_races(false);
    }
}
