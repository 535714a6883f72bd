//! Barrier reuse: without a generation, a fast worker enters the next round before a slow one left.

use std::sync::{Condvar, Mutex};
use std::thread;

#[derive(Default)]
struct Barrier {
    arrived: Mutex<u32>,
    all_here: Condvar,
}

impl Barrier {
    fn wait(&self) {
        let mut arrived = self.arrived.lock().unwrap();
        *arrived += 1;
        if *arrived == 2 {
            *arrived = 0;
            self.all_here.notify_all();
        } else {
            drop(
                self.all_here
                    .wait_while(arrived, |arrived| *arrived != 0)
                    .unwrap(),
            );
        }
    }
}

#[test]
fn two_rounds() {
    let barrier = Barrier::default();
    let rounds = || (0..2).for_each(|_| barrier.wait());
    thread::scope(|scope| {
        scope.spawn(rounds);
        rounds();
    });
}
