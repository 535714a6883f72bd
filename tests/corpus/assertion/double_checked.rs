//! Double-checked locking: the flag goes up before the value is there.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::thread;

#[derive(Default)]
struct Lazy {
    is_ready: AtomicBool,
    lock: Mutex<()>,
    value: AtomicU32,
}

impl Lazy {
    fn get(&self) -> u32 {
        if !self.is_ready.load(SeqCst) {
            let _guard = self.lock.lock().unwrap();
            if !self.is_ready.load(SeqCst) {
                self.is_ready.store(true, SeqCst);
                self.value.store(42, SeqCst);
            }
        }
        self.value.load(SeqCst)
    }
}

#[test]
fn a_flag_too_early() {
    let lazy = Lazy::default();
    thread::scope(|scope| {
        scope.spawn(|| lazy.get());
        assert_eq!(lazy.get(), 42);
    });
}
