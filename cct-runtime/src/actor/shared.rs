//! Objects that actors may share: a number, a value, a map. Each operation is one step.

use std::cell::UnsafeCell;
use std::collections::BTreeMap;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

use super::crashed::end_if_severed;
use crate::engine;
use crate::object::ObjectId;
use crate::operation::Operation;
use crate::primitive::RawLock;

/// A value that several actors reach.
pub(super) struct Shared<T> {
    lock: RawLock,
    value: UnsafeCell<T>,
}

// SAFETY: the value is reached only by who holds the lock.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T> Shared<T> {
    pub(super) fn new(value: T) -> Arc<Shared<T>> {
        Arc::new(Shared {
            lock: RawLock::new(),
            value: UnsafeCell::new(value),
        })
    }

    /// A step that only reads, called by this name.
    pub(super) fn read<R>(
        &self,
        name: &str,
        site: &'static Location<'static>,
        access: impl FnOnce(&T) -> R,
    ) -> R {
        engine::point_at(Operation::PlainLoad, self.object(), site).named(name);
        end_if_severed();
        self.access(|value| access(value))
    }

    /// A step, called by this name. Nothing in `access` is another one.
    pub(super) fn step<R>(
        &self,
        name: &str,
        site: &'static Location<'static>,
        access: impl FnOnce(&mut T) -> R,
    ) -> R {
        engine::point_at(Operation::Custom, self.object(), site).named(name);
        end_if_severed();
        self.access(access)
    }

    fn access<R>(&self, access: impl FnOnce(&mut T) -> R) -> R {
        engine::acquire(self.object());
        let mut access = Some(access);
        let mut result = None;
        let mut run = || {
            let _guard = self.lock.lock();
            // SAFETY: the lock is held.
            let value = unsafe { &mut *self.value.get() };
            result = access.take().map(|access| access(value));
            true
        };
        if engine::is_controlled() {
            engine::holds(&mut run);
        } else {
            run();
        }
        engine::release(self.object());
        result.expect("an access to a shared object does not wait for others")
    }

    fn object(&self) -> ObjectId {
        ObjectId::of(&self.lock)
    }
}

/// A number that several actors count with.
#[derive(Clone)]
pub struct SharedCounter(Arc<Shared<i64>>);

impl SharedCounter {
    /// A counter that begins with this number.
    pub fn new(value: i64) -> SharedCounter {
        SharedCounter(Shared::new(value))
    }

    /// The number.
    #[track_caller]
    pub fn get(&self) -> i64 {
        self.0.read("get", Location::caller(), |value| *value)
    }

    /// Adds to it, and returns what it was. Wraps around.
    #[track_caller]
    pub fn add(&self, number: i64) -> i64 {
        self.0.step("add", Location::caller(), |value| {
            std::mem::replace(value, value.wrapping_add(number))
        })
    }

    /// Adds one, and returns what it was.
    #[track_caller]
    pub fn increment(&self) -> i64 {
        self.add(1)
    }

    /// Takes one off, and returns what it was.
    #[track_caller]
    pub fn decrement(&self) -> i64 {
        self.add(-1)
    }

    /// Sets it, and returns what it was.
    #[track_caller]
    pub fn swap(&self, number: i64) -> i64 {
        self.0.step("swap", Location::caller(), |value| {
            std::mem::replace(value, number)
        })
    }

    /// Sets it to `new` if it is `expected`; returns what it was.
    #[track_caller]
    pub fn compare_exchange(&self, expected: i64, new: i64) -> Result<i64, i64> {
        self.0
            .step("compare_exchange", Location::caller(), |value| {
                if *value == expected {
                    Ok(std::mem::replace(value, new))
                } else {
                    Err(*value)
                }
            })
    }
}

impl fmt::Debug for SharedCounter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedCounter")
    }
}

/// A value that several actors read and write as a whole.
pub struct SharedRegister<T>(Arc<Shared<T>>);

impl<T: Clone + Send> SharedRegister<T> {
    /// A register that begins with this value.
    pub fn new(value: T) -> SharedRegister<T> {
        SharedRegister(Shared::new(value))
    }

    /// The value.
    #[track_caller]
    pub fn get(&self) -> T {
        self.get_at(Location::caller())
    }

    pub(super) fn get_at(&self, site: &'static Location<'static>) -> T {
        self.0.read("get", site, T::clone)
    }

    /// Changes it in a step that is called by this name.
    pub(super) fn update_at(
        &self,
        name: &str,
        site: &'static Location<'static>,
        change: impl FnOnce(&mut T),
    ) {
        self.0.step(name, site, change);
    }

    /// Sets it.
    #[track_caller]
    pub fn set(&self, new: T) {
        let old = self.0.step("set", Location::caller(), |value| {
            std::mem::replace(value, new)
        });
        drop(old);
    }

    /// Changes it, and returns the new value. `change` does not wait, nor use the register.
    #[track_caller]
    pub fn update(&self, change: impl FnOnce(&mut T)) -> T {
        self.0.step("update", Location::caller(), |value| {
            change(value);
            value.clone()
        })
    }
}

impl<T> Clone for SharedRegister<T> {
    fn clone(&self) -> Self {
        SharedRegister(Arc::clone(&self.0))
    }
}

impl<T> fmt::Debug for SharedRegister<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedRegister")
    }
}

/// A map that several actors use; iterated in the order of its keys.
pub struct SharedMap<K, V>(Arc<Shared<BTreeMap<K, V>>>);

impl<K: Ord + Clone + Send, V: Clone + Send> SharedMap<K, V> {
    /// An empty map.
    pub fn new() -> SharedMap<K, V> {
        SharedMap(Shared::new(BTreeMap::new()))
    }

    /// The value of a key.
    #[track_caller]
    pub fn get(&self, key: &K) -> Option<V> {
        self.0
            .read("get", Location::caller(), |map| map.get(key).cloned())
    }

    /// Sets the value of a key, and returns what it was.
    #[track_caller]
    pub fn insert(&self, key: K, value: V) -> Option<V> {
        self.0
            .step("insert", Location::caller(), |map| map.insert(key, value))
    }

    /// Sets the value of a key that has none; gives it back otherwise.
    #[track_caller]
    pub fn try_insert(&self, key: K, value: V) -> Result<(), V> {
        self.0.step("try_insert", Location::caller(), |map| {
            if map.contains_key(&key) {
                return Err(value);
            }
            map.insert(key, value);
            Ok(())
        })
    }

    /// Takes a key and its value out.
    #[track_caller]
    pub fn remove(&self, key: &K) -> Option<V> {
        self.0
            .step("remove", Location::caller(), |map| map.remove(key))
    }

    /// Changes the value of a key, which may be absent, and returns the new one. `change` does not wait, nor
    /// use the map.
    #[track_caller]
    pub fn update(&self, key: K, change: impl FnOnce(Option<V>) -> Option<V>) -> Option<V> {
        self.0.step("update", Location::caller(), |map| {
            let new = change(map.remove(&key));
            if let Some(new) = &new {
                map.insert(key, new.clone());
            }
            new
        })
    }

    /// How many keys there are.
    #[track_caller]
    pub fn len(&self) -> usize {
        self.0.read("len", Location::caller(), BTreeMap::len)
    }

    /// True if there are no keys.
    #[track_caller]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All keys and values, at one moment.
    #[track_caller]
    pub fn entries(&self) -> Vec<(K, V)> {
        self.0.read("entries", Location::caller(), |map| {
            let entries = map.iter();
            entries
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect()
        })
    }
}

impl<K: Ord + Clone + Send, V: Clone + Send> Default for SharedMap<K, V> {
    fn default() -> Self {
        SharedMap::new()
    }
}

impl<K, V> Clone for SharedMap<K, V> {
    fn clone(&self) -> Self {
        SharedMap(Arc::clone(&self.0))
    }
}

impl<K, V> fmt::Debug for SharedMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedMap")
    }
}
