//! The words of pthread, as the programs use them, in terms of std's.

use cct_shims::std::sync::{Condvar, Mutex, MutexGuard};
use cct_shims::std::thread::{self, JoinHandle};

/// A mutex that protects what is not inside it.
#[derive(Debug)]
pub(crate) struct Lock(Mutex<()>);

/// The right to what a [`Lock`] protects.
pub(crate) type Guard<'a> = MutexGuard<'a, ()>;

impl Lock {
    pub(crate) const fn new() -> Lock {
        Lock(Mutex::new(()))
    }

    #[track_caller]
    pub(crate) fn lock(&self) -> Guard<'_> {
        self.0.lock().expect("nobody panics while holding a lock")
    }
}

/// A condition variable.
#[derive(Debug)]
pub(crate) struct Condition(Condvar);

impl Condition {
    pub(crate) const fn new() -> Condition {
        Condition(Condvar::new())
    }

    #[track_caller]
    pub(crate) fn wait<'a>(&self, guard: Guard<'a>) -> Guard<'a> {
        let woken = self.0.wait(guard);
        woken.expect("nobody panics while holding a lock")
    }

    #[track_caller]
    pub(crate) fn signal(&self) {
        self.0.notify_one();
    }
}

/// Starts threads, in this order.
pub(crate) fn start(bodies: &[fn()]) -> Vec<JoinHandle<()>> {
    bodies.iter().map(|&body| thread::spawn(body)).collect()
}

/// Starts `count` threads that do the same.
pub(crate) fn start_many(count: usize, body: fn()) -> Vec<JoinHandle<()>> {
    (0..count).map(|_| thread::spawn(body)).collect()
}

/// Joins threads, in this order.
pub(crate) fn join(threads: impl IntoIterator<Item = JoinHandle<()>>) {
    for thread in threads {
        thread.join().expect("threads abort where they fail");
    }
}
