//! Producers reserve in one step: there is never more than fits, and each gets its turn in the end.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::Arc;
use std::thread;

const ROOM: usize = 1;

#[test]
fn there_is_never_more_than_fits() {
    let used = Arc::new(AtomicUsize::new(0));
    let served = Arc::new(AtomicUsize::new(0));
    let (watched, counted) = (Arc::clone(&used), Arc::clone(&served));
    cct::invariant("no more than fits", move || watched.load(SeqCst) <= ROOM);
    cct::eventually("all are served", move || counted.load(SeqCst) == 2);
    let producers = [1, 2].map(|_| {
        let (used, served) = (Arc::clone(&used), Arc::clone(&served));
        thread::spawn(move || {
            let reserve = |n| (n < ROOM).then_some(n + 1);
            while used.fetch_update(SeqCst, SeqCst, reserve).is_err() {
                thread::yield_now();
            }
            served.fetch_add(1, SeqCst);
            used.fetch_sub(1, SeqCst);
        })
    });
    for producer in producers {
        producer.join().unwrap();
    }
}
