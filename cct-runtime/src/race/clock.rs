//! Vector clocks.

use super::meeting::Left;

/// The number of a thread among those of an iteration, in the order in which they were made.
pub(crate) type ThreadNumber = u16;

/// How much of what each thread has done is before a moment. Each thread counts its own releases, from 1.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Clock(Vec<u32>);

impl Clock {
    /// How much of this thread's doings is before; 0 for nothing.
    #[inline]
    pub(super) fn at(&self, thread: ThreadNumber) -> u32 {
        self.0.get(usize::from(thread)).copied().unwrap_or(0)
    }

    /// All that is before the other is before this as well.
    pub(super) fn join(&mut self, other: &Clock) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (own, &theirs) in self.0.iter_mut().zip(&other.0) {
            *own = theirs.max(*own);
        }
    }

    /// The same is before this as before the other.
    pub(super) fn copy(&mut self, other: &Clock) {
        self.0.clone_from(&other.0);
    }

    /// The thread has counted on.
    pub(super) fn advance(&mut self, thread: ThreadNumber) {
        let index = usize::from(thread);
        if self.0.len() <= index {
            self.0.resize(index + 1, 0);
        }
        self.0[index] += 1;
    }
}

impl Left for Clock {
    /// Nothing is before.
    fn clear(&mut self) {
        self.0.clear();
    }
}
