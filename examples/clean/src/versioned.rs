//! A value with a version, which change together.

use std::sync::RwLock;

/// A value that many read and few replace.
#[derive(Debug)]
pub struct Versioned<T> {
    current: RwLock<(u64, T)>,
}

impl<T: Clone> Versioned<T> {
    /// Makes version 0 of a value.
    pub fn new(value: T) -> Self {
        Versioned {
            current: RwLock::new((0, value)),
        }
    }

    /// Returns the version and the value that belongs to it.
    pub fn read(&self) -> (u64, T) {
        self.current.read().unwrap().clone()
    }

    /// Makes the next version of the value and returns its number.
    pub fn update(&self, change: impl FnOnce(&mut T)) -> u64 {
        let mut current = self.current.write().unwrap();
        change(&mut current.1);
        current.0 += 1;
        current.0
    }
}
