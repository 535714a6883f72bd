//! Philosophers around a table, a fork between each two of them: the **lock order deadlock**.
//!
//! To eat, a philosopher needs both neighbouring forks. Under [`Manners::LeftFirst`] everybody takes
//! the left one first. When all have their left fork before anybody has a right one, each waits for
//! a neighbour who waits as well, all around the table, for ever.
//!
//! Under [`Manners::LowestFirst`] everybody takes the fork with the lower number first. A circle of
//! waiting would have to go up in numbers all the way round, so there is none: an *order* of locks
//! that all keep is the remedy.
//!
//! Natively a meal is over before the next guest has sat down, so `cargo test` passes.
//! `cargo cct test` tells who waits for whom:
//!
//! ```text
//! cargo cct test -p philosophers
//! ```

use std::sync::Mutex;

/// Which fork a philosopher takes first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Manners {
    /// The one on the left. The bug: around a table, that is a circle.
    LeftFirst,
    /// The one with the lower number.
    LowestFirst,
}

/// A round table, as many forks as seats.
#[derive(Debug)]
pub struct Table {
    manners: Manners,
    /// How often each fork was eaten with.
    forks: Vec<Mutex<u32>>,
}

impl Table {
    /// Lays a table.
    pub fn new(seats: usize, manners: Manners) -> Self {
        let forks = (0..seats).map(|_| Mutex::new(0)).collect();
        Table { manners, forks }
    }

    /// Lets the philosopher on `seat` eat once, which takes both neighbouring forks.
    pub fn eat(&self, seat: usize) {
        let (left, right) = (seat, (seat + 1) % self.forks.len());
        let (first, second) = match self.manners {
            Manners::LeftFirst => (left, right),
            Manners::LowestFirst => (left.min(right), left.max(right)),
        };
        let mut first = self.forks[first].lock().unwrap();
        let mut second = self.forks[second].lock().unwrap();
        *first += 1;
        *second += 1;
    }

    /// Returns how many meals there were.
    pub fn meals(&self) -> u32 {
        let uses = |fork: &Mutex<u32>| *fork.lock().unwrap();
        self.forks.iter().map(uses).sum::<u32>() / 2
    }
}
