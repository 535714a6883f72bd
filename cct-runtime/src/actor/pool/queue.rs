//! Tasks that wait to be polled, first come, first served.

use std::collections::VecDeque;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::task::Task;

/// A queue, on cache lines of its own. The queue of a thread has a place in front, for the task that is
/// left to it.
#[repr(align(128))]
#[derive(Default)]
pub(super) struct Queue {
    front: AtomicPtr<Task>,
    tasks: Mutex<VecDeque<Arc<Task>>>,
    /// How many there are behind the one in front, for those that only look.
    len: AtomicUsize,
    /// How many its thread has taken.
    polls: AtomicU32,
}

/// At most so many are taken out of a queue at a time.
const SHARE: usize = 64;

impl Queue {
    /// For the thread whose queue it is: leaves the task to it, if it has none. False if the task is for all.
    pub(super) fn push_own(&self, task: Arc<Task>) -> bool {
        if self.len() > 0 || self.has_front() {
            self.push(task);
            return false;
        }
        // Others only take from there.
        self.front
            .store(Arc::into_raw(task).cast_mut(), Ordering::Release);
        true
    }

    pub(super) fn push(&self, task: Arc<Task>) {
        let mut tasks = self.tasks();
        tasks.push_back(task);
        self.len.store(tasks.len(), Ordering::Relaxed);
    }

    pub(super) fn pop(&self) -> Option<Arc<Task>> {
        if let Some(front) = self.take_front() {
            return Some(front);
        }
        if self.len() == 0 {
            return None;
        }
        let mut tasks = self.tasks();
        let task = tasks.pop_front();
        self.len.store(tasks.len(), Ordering::Relaxed);
        task
    }

    /// Takes the task that is left to the thread.
    pub(super) fn take_front(&self) -> Option<Arc<Task>> {
        if !self.has_front() {
            return None;
        }
        let front = self.front.swap(ptr::null_mut(), Ordering::Acquire);
        // SAFETY: the pointer was made of an `Arc`, and nobody else has taken it.
        (!front.is_null()).then(|| unsafe { Arc::from_raw(front) })
    }

    pub(super) fn has_front(&self) -> bool {
        !self.front.load(Ordering::Relaxed).is_null()
    }

    /// Returns the first, and moves its share of the next ones: there are so many threads.
    pub(super) fn share(&self, threads: usize, own: &Queue) -> Option<Arc<Task>> {
        self.move_into(own, |len| 0..len.div_ceil(threads).min(SHARE))
    }

    /// Moves half of the tasks that are for all, the last ones, and returns the first of them.
    pub(super) fn halve(&self, own: &Queue) -> Option<Arc<Task>> {
        self.move_into(own, |len| len - len.div_ceil(2).min(SHARE)..len)
    }

    fn move_into(
        &self,
        own: &Queue,
        range: impl Fn(usize) -> std::ops::Range<usize>,
    ) -> Option<Arc<Task>> {
        if self.len() == 0 {
            return None;
        }
        // Never two locks at a time.
        let (first, others) = {
            let mut tasks = self.tasks();
            let range = range(tasks.len());
            let mut moved = tasks.drain(range);
            let first = moved.next();
            let others: Vec<Arc<Task>> = moved.collect();
            self.len.store(tasks.len(), Ordering::Relaxed);
            (first, others)
        };
        if !others.is_empty() {
            let mut tasks = own.tasks();
            tasks.extend(others);
            own.len.store(tasks.len(), Ordering::Relaxed);
        }
        first
    }

    pub(super) fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed)
    }

    /// Its thread has taken so many.
    pub(super) fn note(&self, polls: u32) {
        self.polls.store(polls, Ordering::Relaxed);
    }

    pub(super) fn polls(&self) -> u32 {
        self.polls.load(Ordering::Relaxed)
    }

    fn tasks(&self) -> MutexGuard<'_, VecDeque<Arc<Task>>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        drop(self.take_front());
    }
}
