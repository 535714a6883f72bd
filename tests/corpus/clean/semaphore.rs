//! A semaphore that signals each release lets two in, and no third.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Condvar, Mutex};
use std::thread;

struct Semaphore {
    permits: Mutex<u32>,
    available: Condvar,
}

impl Semaphore {
    fn acquire(&self) {
        let permits = self.permits.lock().unwrap();
        *self
            .available
            .wait_while(permits, |permits| *permits == 0)
            .unwrap() -= 1;
    }

    fn release(&self) {
        *self.permits.lock().unwrap() += 1;
        self.available.notify_one();
    }
}

#[test]
fn two_at_a_time() {
    let semaphore = Semaphore {
        permits: Mutex::new(2),
        available: Condvar::new(),
    };
    let inside = AtomicU32::new(0);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                semaphore.acquire();
                assert!(inside.fetch_add(1, SeqCst) < 2);
                inside.fetch_sub(1, SeqCst);
                semaphore.release();
            });
        }
    });
}
