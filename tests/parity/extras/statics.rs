//! Statics of every type that has a const `new`, in every form they are written in.
#![deny(warnings)]

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize};
use std::sync::{Barrier, Condvar, LazyLock, Mutex, Once, OnceLock, RwLock};

pub static MUTEX: Mutex<Vec<u8>> = Mutex::new(Vec::new());
pub static RW: RwLock<Option<String>> = RwLock::new(None);
pub static CONDVAR: Condvar = Condvar::new();
pub static ONCE: Once = Once::new();
pub static CELL: OnceLock<HashMap<u8, u8>> = OnceLock::new();
pub static LAZY: LazyLock<HashMap<u8, u8>> = LazyLock::new(HashMap::new);
pub static CLOSURE: LazyLock<String> = LazyLock::new(|| "text".to_owned());
pub static BARRIER: Barrier = Barrier::new(2);
pub static FLAG: AtomicBool = AtomicBool::new(false);
pub static POINTER: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());
pub static LOCKS: [Mutex<u8>; 3] = [const { Mutex::new(0) }; 3];
pub static NESTED: Mutex<(RwLock<u8>, AtomicUsize)> =
    Mutex::new((RwLock::new(1), AtomicUsize::new(2)));

/// A type of the program's own, const as its parts are.
pub struct Registry {
    names: Mutex<Vec<&'static str>>,
    count: AtomicUsize,
    ready: Once,
}

impl Registry {
    pub const fn new() -> Self {
        Self { names: Mutex::new(Vec::new()), count: AtomicUsize::new(0), ready: Once::new() }
    }
}

pub static REGISTRY: Registry = Registry::new();

pub fn used() -> usize {
    static LOCAL: OnceLock<usize> = OnceLock::new();
    REGISTRY.ready.call_once(|| REGISTRY.names.lock().unwrap().push("first"));
    let names = REGISTRY.names.lock().unwrap().len();
    *LOCAL.get_or_init(|| names) + REGISTRY.count.load(std::sync::atomic::Ordering::Relaxed)
}
