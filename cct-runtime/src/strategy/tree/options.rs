//! The alternatives at a point, and what they cost.

use crate::codec::wire_enum;

/// The alternatives at a point, in an order that follows from the prefix: the *rank* is the place in it.
#[derive(Clone, Copy, Debug)]
pub(in crate::strategy) enum Options<'a> {
    /// Numbers of workers, and how large what is below each is to be expected, in proportion.
    Workers(&'a [u32], &'a [u32]),
    /// The values below a bound.
    Values(u32),
}

/// The costs of a node's alternatives, by their rank; a schedule costs the sum of its decisions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::strategy) enum Price {
    /// Nothing.
    Free,
    /// The first one nothing, the others 1.
    Preemption,
    /// As much as its rank, from 0.
    Delay,
}

wire_enum!(Price { 0 Free, 1 Preemption, 2 Delay });

impl Price {
    /// The cost of the alternative of this rank.
    pub(super) fn of(self, rank: u32) -> u32 {
        match self {
            Price::Free => 0,
            Price::Preemption => rank.min(1),
            Price::Delay => rank,
        }
    }

    /// How many of `width` alternatives cost no more than `budget`.
    pub(super) fn allowed(self, width: u32, budget: u32) -> u32 {
        match self {
            Price::Free => width,
            Price::Preemption if budget > 0 => width,
            Price::Preemption => 1,
            Price::Delay => width.min(budget.saturating_add(1)),
        }
    }
}

impl Options<'_> {
    /// How many there are.
    pub(in crate::strategy) fn len(self) -> u32 {
        match self {
            Options::Workers(workers, _) => workers.len() as u32,
            Options::Values(count) => count,
        }
    }

    /// The weight of the alternative of this rank, as a part of that of all.
    pub(super) fn share(self, rank: u32) -> f64 {
        match self {
            Options::Workers(_, weights) => {
                let all: u32 = weights.iter().sum();
                f64::from(weights[rank as usize]) / f64::from(all)
            }
            Options::Values(count) => 1.0 / f64::from(count),
        }
    }

    /// The worker or value of this rank.
    pub(in crate::strategy) fn label(self, rank: u32) -> u32 {
        match self {
            Options::Workers(workers, _) => workers[rank as usize],
            Options::Values(_) => rank,
        }
    }
}
