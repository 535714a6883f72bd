//! Two threads insert the same keys while the map grows.
//!
//! Entries are lost or there twice.

use std::thread;

use dashmap::DashMap;

#[test]
fn test() {
    let map = DashMap::new();
    thread::scope(|scope| {
        for thread in 0..2 {
            let map = &map;
            scope.spawn(move || {
                for n in 0..100 {
                    map.insert((n * 7 + thread) % 50, ());
                }
            });
        }
    });
    assert_eq!(map.len(), 50);
}
