//! Semaphore: a release signals only when the count was zero, so two releases wake one waiter.

use std::sync::{Condvar, Mutex};
use std::thread;

#[derive(Default)]
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
        let mut permits = self.permits.lock().unwrap();
        *permits += 1;
        if *permits == 1 {
            self.available.notify_one();
        }
    }
}

#[test]
fn two_releases_in_a_row() {
    let semaphore = Semaphore::default();
    thread::scope(|scope| {
        scope.spawn(|| semaphore.acquire());
        scope.spawn(|| semaphore.acquire());
        semaphore.release();
        semaphore.release();
    });
}
