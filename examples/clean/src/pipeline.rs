//! A queue between those who have work and those who do it.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard};

/// A queue that can be closed.
#[derive(Debug, Default)]
pub struct Pipeline<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

#[derive(Debug)]
struct State<T> {
    jobs: VecDeque<T>,
    is_closed: bool,
}

impl<T> Pipeline<T> {
    /// Appends a job.
    pub fn submit(&self, job: T) {
        self.state().jobs.push_back(job);
        self.changed.notify_one();
    }

    /// Says that no job will follow.
    pub fn close(&self) {
        self.state().is_closed = true;
        self.changed.notify_all();
    }

    /// Returns the next job, or none when all are done and no more will come.
    pub fn next(&self) -> Option<T> {
        let mut state = self
            .changed
            .wait_while(self.state(), |state| {
                state.jobs.is_empty() && !state.is_closed
            })
            .unwrap();
        state.jobs.pop_front()
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap()
    }
}

impl<T> Default for State<T> {
    fn default() -> Self {
        State {
            jobs: VecDeque::new(),
            is_closed: false,
        }
    }
}
