//! A dictionary that several threads can reach, and that nothing protects, as .NET's.

use std::cell::UnsafeCell;
use std::collections::HashMap;
use std::hash::Hash;

/// Like `System.Collections.Generic.Dictionary`.
#[derive(Debug)]
pub struct Dictionary<K, V>(UnsafeCell<HashMap<K, V>>);

// This is the bug of all that use it from several threads.
unsafe impl<K, V> Sync for Dictionary<K, V> {}

impl<K: Hash + Eq, V: Clone> Dictionary<K, V> {
    /// An empty one. There is room, so that a race seldom breaks the heap.
    pub fn new() -> Self {
        Dictionary(UnsafeCell::new(HashMap::with_capacity(256)))
    }

    fn map(&self) -> &mut HashMap<K, V> {
        unsafe { &mut *self.0.get() }
    }

    pub fn contains_key(&self, key: &K) -> bool {
        self.map().contains_key(key)
    }

    /// Panics without such a key.
    pub fn get(&self, key: &K) -> V {
        self.map().get(key).expect("the key is there").clone()
    }

    pub fn try_get(&self, key: &K) -> Option<V> {
        self.map().get(key).cloned()
    }

    /// Panics if the key is there already.
    pub fn add(&self, key: K, value: V) {
        let before = self.map().insert(key, value);
        assert!(
            before.is_none(),
            "an item with the same key has already been added"
        );
    }

    /// Adds, or replaces.
    pub fn set(&self, key: K, value: V) {
        self.map().insert(key, value);
    }

    pub fn values(&self) -> Vec<V> {
        self.map().values().cloned().collect()
    }
}

impl<K: Hash + Eq, V: Clone> Default for Dictionary<K, V> {
    fn default() -> Self {
        Dictionary::new()
    }
}
