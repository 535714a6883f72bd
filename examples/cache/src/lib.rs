//! A cache that loads what it does not have yet: **check, then act**.
//!
//! [`Cache::get`] looks a key up, loads the value when it is absent, and stores it. Each access to
//! the map is under its lock, so there is no data race, and yet the whole is wrong: the lock is
//! released between the look and the store. Two threads that look before either has stored both
//! load, and go on with different copies of what should be one value.
//!
//! [`Cache::get_or_load`] keeps the lock from the look to the store. (Where loading is slow, the
//! map would hold a `OnceLock` for each key, so that only those who want the same key wait.)
//!
//! ```text
//! cargo cct test -p cache
//! ```

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

type Entries<V> = BTreeMap<String, Arc<V>>;

/// Values by name, each loaded when it is first asked for.
#[derive(Debug, Default)]
pub struct Cache<V> {
    entries: Mutex<Entries<V>>,
}

impl<V> Cache<V> {
    /// Makes an empty cache.
    pub fn new() -> Self {
        Cache {
            entries: Mutex::new(BTreeMap::new()),
        }
    }

    /// Returns the value of `key`, and loads it when it is not there.
    ///
    /// The bug: another thread may have stored one since this one looked.
    pub fn get(&self, key: &str, load: impl FnOnce() -> V) -> Arc<V> {
        if let Some(value) = self.entries().get(key) {
            return Arc::clone(value);
        }
        let value = Arc::new(load());
        self.entries().insert(key.to_owned(), Arc::clone(&value));
        value
    }

    /// Returns the value of `key`, and loads it, once, when it is not there.
    pub fn get_or_load(&self, key: &str, load: impl FnOnce() -> V) -> Arc<V> {
        let mut entries = self.entries();
        let value = entries
            .entry(key.to_owned())
            .or_insert_with(|| Arc::new(load()));
        Arc::clone(value)
    }

    fn entries(&self) -> MutexGuard<'_, Entries<V>> {
        self.entries.lock().unwrap()
    }
}
