//! Check, then act on a map: each step is locked, both together are not.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

#[test]
fn one_seat_sold_twice() {
    let seats: Mutex<HashMap<u32, &str>> = Mutex::default();
    let sold = AtomicU32::new(0);
    let book = |name| {
        let is_free = !seats.lock().unwrap().contains_key(&12);
        if is_free {
            seats.lock().unwrap().insert(12, name);
            sold.fetch_add(1, SeqCst);
        }
    };
    thread::scope(|scope| {
        scope.spawn(|| book("ann"));
        book("bob");
    });
    assert_eq!(sold.into_inner(), 1);
}
