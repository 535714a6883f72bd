//! Double-checked locking with the flag last.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;

#[derive(Default)]
struct Lazy {
    is_ready: AtomicBool,
    initialisations: Mutex<u32>,
    value: AtomicU32,
}

impl Lazy {
    fn get(&self) -> u32 {
        if !self.is_ready.load(Ordering::Acquire) {
            let mut initialisations = self.initialisations.lock().unwrap();
            if !self.is_ready.load(Ordering::Relaxed) {
                *initialisations += 1;
                self.value.store(42, Ordering::Relaxed);
                self.is_ready.store(true, Ordering::Release);
            }
        }
        self.value.load(Ordering::Relaxed)
    }
}

#[test]
fn one_value_for_all() {
    let lazy = Lazy::default();
    thread::scope(|scope| {
        scope.spawn(|| assert_eq!(lazy.get(), 42));
        assert_eq!(lazy.get(), 42);
    });
    assert_eq!(lazy.initialisations.into_inner().unwrap(), 1);
}
