//! Dining philosophers: everybody takes the left fork first.

use std::sync::Mutex;
use std::thread;

#[test]
fn left_fork_first() {
    let forks = [Mutex::new(()), Mutex::new(()), Mutex::new(())];
    thread::scope(|scope| {
        for seat in 0..3 {
            let forks = &forks;
            scope.spawn(move || {
                let _left = forks[seat].lock().unwrap();
                let _right = forks[(seat + 1) % 3].lock().unwrap();
            });
        }
    });
}
