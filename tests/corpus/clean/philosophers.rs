//! Dining philosophers with a try: who does not get the second fork puts the first one back.

use std::sync::Mutex;
use std::thread;

#[test]
fn nobody_insists() {
    let forks = [Mutex::new(0), Mutex::new(0)];
    let dine = |first: usize| loop {
        let mut one = forks[first].lock().unwrap();
        if let Ok(mut other) = forks[1 - first].try_lock() {
            *one += 1;
            *other += 1;
            break;
        }
        drop(one);
        thread::yield_now();
    };
    thread::scope(|scope| {
        scope.spawn(|| dine(0));
        dine(1);
    });
    assert_eq!(forks.map(|fork| fork.into_inner().unwrap()), [2, 2]);
}
