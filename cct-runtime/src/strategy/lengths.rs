//! How much each worker is about to do yet, as far as earlier iterations tell.

use super::WorkerId;
use crate::codec::wire_struct;

/// By worker: the most choice points at which it was picked in an iteration.
///
/// If workers did not wait for each other, the number of schedules that begin with a pick of one would be
/// in proportion to what that one has left to do.
#[derive(Debug, Default)]
pub(super) struct Lengths {
    longest: Vec<u32>,
    /// In the iteration under way.
    done: Vec<u32>,
    /// By worker: how often it will be picked yet, as [`Lengths::left`] says it.
    ahead: Vec<u32>,
    left: Vec<u32>,
}

/// The bound of a length, so that those of all workers can be added.
const MOST: u32 = 1 << 16;

impl Lengths {
    /// An iteration begins.
    pub(super) fn begin(&mut self) {
        self.done.clear();
        self.ahead.clear();
        let ahead = self.longest.iter().map(|&longest| longest.clamp(1, MOST));
        self.ahead.extend(ahead);
    }

    /// The worker is picked at a choice point.
    pub(super) fn run(&mut self, worker: WorkerId) {
        let index = worker.0 as usize;
        if self.done.len() <= index {
            self.done.resize(index + 1, 0);
        }
        self.done[index] += 1;
        if let Some(ahead) = self.ahead.get_mut(index) {
            *ahead = self.longest[index]
                .saturating_sub(self.done[index])
                .clamp(1, MOST);
        }
    }

    /// How often each of these workers will be picked yet, but no less than once.
    pub(super) fn left(&mut self, workers: &[u32]) -> &[u32] {
        let ahead = |&worker: &u32| self.ahead.get(worker as usize).copied().unwrap_or(1);
        let left = workers.iter().map(ahead);
        self.left.clear();
        self.left.extend(left);
        &self.left
    }

    /// The iteration has ended.
    pub(super) fn end(&mut self) {
        if self.longest.len() < self.done.len() {
            self.longest.resize(self.done.len(), 0);
        }
        for (longest, &done) in self.longest.iter_mut().zip(&self.done) {
            *longest = done.max(*longest);
        }
    }
}

wire_struct!(Lengths { longest; done, ahead, left });

#[cfg(test)]
mod tests {
    #[test]
    fn lengths_are_read_back() {
        crate::fuzz::law::<super::Lengths>();
    }
}
