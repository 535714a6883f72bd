//! Sleeping barber: he looks at the chairs, and falls asleep a moment later, in two steps.

use std::sync::{Condvar, Mutex};
use std::thread;

#[derive(Default)]
struct Shop {
    customers: Mutex<u32>,
    bell_lock: Mutex<()>,
    bell: Condvar,
}

impl Shop {
    fn enter(&self) {
        *self.customers.lock().unwrap() += 1;
        self.bell.notify_one();
    }

    fn serve(&self) {
        if *self.customers.lock().unwrap() == 0 {
            let guard = self.bell_lock.lock().unwrap();
            drop(self.bell.wait(guard).unwrap());
        }
        *self.customers.lock().unwrap() -= 1;
    }
}

#[test]
fn the_bell_rings_too_early() {
    let shop = Shop::default();
    thread::scope(|scope| {
        scope.spawn(|| shop.serve());
        shop.enter();
    });
}
