//! A philosopher that has eaten keeps the other's fork by mistake: the other tries for ever, and counts.
//! Nobody waits, something changes all the time, and one of them never eats.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::sync::Arc;
use std::thread;

#[test]
fn both_eat() {
    let forks = Arc::new([AtomicBool::new(false), AtomicBool::new(false)]);
    let (meals, attempts) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let eaten = Arc::clone(&meals);
    cct::eventually("both have eaten", move || eaten.load(SeqCst) == 2);
    let neighbours = [0, 1].map(|me| {
        let (forks, meals) = (Arc::clone(&forks), Arc::clone(&meals));
        let attempts = Arc::clone(&attempts);
        thread::spawn(move || {
            let (mine, other) = (&forks[me], &forks[1 - me]);
            loop {
                attempts.fetch_add(1, SeqCst);
                if !mine.swap(true, SeqCst) {
                    if !other.swap(true, SeqCst) {
                        meals.fetch_add(1, SeqCst);
                        mine.store(false, SeqCst);
                        break;
                    }
                    mine.store(false, SeqCst);
                }
            }
        })
    });
    for neighbour in neighbours {
        neighbour.join().unwrap();
    }
}
