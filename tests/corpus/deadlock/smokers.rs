//! Cigarette smokers: two smokers need paper and another thing; the wrong one takes the paper.

use std::sync::{Condvar, Mutex};
use std::thread;

#[derive(Default)]
struct Pile {
    left: Mutex<u32>,
    laid: Condvar,
}

impl Pile {
    fn lay(&self) {
        *self.left.lock().unwrap() += 1;
        self.laid.notify_one();
    }

    fn take(&self) {
        *self
            .laid
            .wait_while(self.left.lock().unwrap(), |left| *left == 0)
            .unwrap() -= 1;
    }
}

#[test]
fn the_wrong_smoker() {
    let (paper, tobacco, matches) = (Pile::default(), Pile::default(), Pile::default());
    thread::scope(|scope| {
        scope.spawn(|| {
            paper.take();
            tobacco.take();
            // Smoked; the agent lays the next two.
            paper.lay();
            matches.lay();
        });
        scope.spawn(|| {
            paper.take();
            matches.take();
        });
        paper.lay();
        tobacco.lay();
    });
}
