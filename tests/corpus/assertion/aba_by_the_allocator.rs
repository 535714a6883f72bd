//! ABA with memory that is freed and given out again: an exchange that succeeds because the new block lies
//! where the old one lay.

use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, Ordering::SeqCst};
use std::thread;

struct Settings {
    current: AtomicPtr<u32>,
    /// Taken by who looks at a version, and by who frees one.
    memory: Mutex<()>,
}

impl Settings {
    /// One more version, unless another one came in between.
    fn update(&self) -> bool {
        let (old, version) = {
            let _reading = self.memory.lock().unwrap();
            let old = self.current.load(SeqCst);
            // SAFETY: whoever has replaced it needs the lock to free it.
            (old, unsafe { *old })
        };
        let new = Box::into_raw(Box::new(version + 1));
        let done = self.current.compare_exchange(old, new, SeqCst, SeqCst);
        let _freeing = self.memory.lock().unwrap();
        // SAFETY: the one is no longer there, the other never was.
        drop(unsafe { Box::from_raw(if done.is_ok() { old } else { new }) });
        done.is_ok()
    }
}

#[test]
fn each_update_counts() {
    let settings = Settings {
        current: AtomicPtr::new(Box::into_raw(Box::new(0))),
        memory: Mutex::new(()),
    };
    let updates = thread::scope(|scope| {
        let others = scope.spawn(|| (0..3).filter(|_| settings.update()).count());
        usize::from(settings.update()) + others.join().unwrap()
    });
    // SAFETY: nobody replaces it any more.
    let last = unsafe { Box::from_raw(settings.current.into_inner()) };
    assert_eq!(*last as usize, updates);
}
