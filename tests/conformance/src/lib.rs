//! The common helpers of the tests.

use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};

/// Runs `body`, which must panic with a text, and returns the text.
#[track_caller]
pub fn message_of<R>(body: impl FnOnce() -> R) -> String {
    match panic::catch_unwind(AssertUnwindSafe(body)) {
        Ok(_) => panic!("the closure did not panic"),
        Err(payload) => text(&*payload),
    }
}

/// Returns the text of a panic's payload.
pub fn text(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().cloned();
    text.or_else(|| payload.downcast_ref::<&str>().map(|&text| text.to_owned()))
        .unwrap_or_else(|| "no text".to_owned())
}

/// Runs `body`, which panics, on a thread of its own to the end.
pub fn panics_elsewhere(body: impl FnOnce() + Send) {
    let ended = thread::scope(|scope| scope.spawn(body).join());
    assert!(ended.is_err(), "the thread did not panic");
}

/// Joins all threads and returns their results.
pub fn join_all<T>(handles: impl IntoIterator<Item = JoinHandle<T>>) -> Vec<T> {
    handles
        .into_iter()
        .map(|handle| handle.join().expect("no thread panics"))
        .collect()
}

/// Counts how often it, or a clone of its reference, was dropped.
#[derive(Debug, Default)]
pub struct Drops(pub AtomicUsize);

impl Drops {
    /// A counter at zero.
    pub const fn new() -> Self {
        Self(AtomicUsize::new(0))
    }

    /// Returns a value that counts its own drop.
    pub fn token(&self) -> Token<'_> {
        Token(self)
    }

    /// Returns the number of tokens dropped so far.
    pub fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// A value that counts its drop.
#[derive(Debug)]
pub struct Token<'a>(&'a Drops);

impl Drop for Token<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_add(1, Ordering::SeqCst);
    }
}
