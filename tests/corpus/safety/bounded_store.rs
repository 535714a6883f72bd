//! Producers look whether there is room before they take it: for a moment there is more than fits.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::Arc;
use std::thread;

const ROOM: usize = 2;

#[test]
fn there_is_room_for_two() {
    let used = Arc::new(AtomicUsize::new(0));
    let watched = Arc::clone(&used);
    cct::invariant("no more than fits", move || watched.load(SeqCst) <= ROOM);
    let producers = [1, 2, 3].map(|_| {
        let used = Arc::clone(&used);
        thread::spawn(move || {
            if used.load(SeqCst) < ROOM {
                used.fetch_add(1, SeqCst);
                used.fetch_sub(1, SeqCst);
            }
        })
    });
    for producer in producers {
        producer.join().unwrap();
    }
}
