//! Sleeping barber: he looks at the chairs and falls asleep in one step.

use std::sync::{Condvar, Mutex};
use std::thread;

const CHAIRS: u32 = 1;

#[derive(Default)]
struct Shop {
    waiting: Mutex<u32>,
    bell: Condvar,
}

impl Shop {
    /// Returns whether there was a free chair.
    fn enter(&self) -> bool {
        let mut waiting = self.waiting.lock().unwrap();
        let is_free = *waiting < CHAIRS;
        if is_free {
            *waiting += 1;
            self.bell.notify_one();
        }
        is_free
    }

    fn serve(&self) {
        *self
            .bell
            .wait_while(self.waiting.lock().unwrap(), |waiting| *waiting == 0)
            .unwrap() -= 1;
    }
}

#[test]
fn everybody_with_a_chair_is_served() {
    let shop = Shop::default();
    thread::scope(|scope| {
        let other = scope.spawn(|| shop.enter());
        let served = u32::from(shop.enter()) + u32::from(other.join().unwrap());
        assert!(served >= 1);
        (0..served).for_each(|_| shop.serve());
    });
}
