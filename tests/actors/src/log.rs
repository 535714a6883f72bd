//! A record of what happened, in order.

use std::sync::{Arc, Mutex, PoisonError};

/// A list of words that actors and the test have in common.
#[derive(Clone, Debug, Default)]
pub struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    /// An empty list.
    #[must_use]
    pub fn new() -> Log {
        Log::default()
    }

    /// Adds a word.
    pub fn add(&self, word: impl Into<String>) {
        self.words().push(word.into());
    }

    /// All words, with spaces in between.
    #[must_use]
    pub fn text(&self) -> String {
        self.words().join(" ")
    }

    fn words(&self) -> std::sync::MutexGuard<'_, Vec<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
