//! A barrier with a generation can be used again at once.

use std::sync::{Condvar, Mutex};
use std::thread;

#[derive(Default)]
struct Barrier {
    /// The generation, and how many of it have arrived.
    state: Mutex<(u32, u32)>,
    all_here: Condvar,
}

impl Barrier {
    fn wait(&self) {
        let mut state = self.state.lock().unwrap();
        let generation = state.0;
        state.1 += 1;
        if state.1 == 2 {
            *state = (generation + 1, 0);
            self.all_here.notify_all();
        } else {
            drop(
                self.all_here
                    .wait_while(state, |state| state.0 == generation)
                    .unwrap(),
            );
        }
    }
}

#[test]
fn three_rounds() {
    let barrier = Barrier::default();
    let rounds = || (0..3).for_each(|_| barrier.wait());
    thread::scope(|scope| {
        scope.spawn(rounds);
        rounds();
    });
}
