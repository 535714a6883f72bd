//! A map of shards, each behind a lock that waits on a futex.

use std::sync::Arc;
use std::thread;

use dashmap::DashMap;

#[test]
fn counts_add_up() {
    let map = Arc::new(DashMap::new());
    let counters: Vec<_> = (0..3)
        .map(|_| {
            let map = Arc::clone(&map);
            thread::spawn(move || {
                for word in ["a", "b", "a"] {
                    *map.entry(word).or_insert(0) += 1;
                }
            })
        })
        .collect();
    for counter in counters {
        counter.join().unwrap();
    }
    assert_eq!(*map.get("a").unwrap(), 6);
    assert_eq!(*map.get("b").unwrap(), 3);
}

#[test]
fn only_one_inserts() {
    let map = DashMap::new();
    let inserted: usize = thread::scope(|scope| {
        let threads: Vec<_> = (0..3)
            .map(|n| {
                let map = &map;
                scope.spawn(move || usize::from(map.insert("key", n).is_none()))
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum()
    });
    assert_eq!(inserted, 1);
}

#[test]
fn what_is_removed_is_gone() {
    let map: DashMap<u32, u32> = (0..4).map(|n| (n, n)).collect();
    thread::scope(|scope| {
        scope.spawn(|| map.retain(|key, _| key % 2 == 0));
        scope.spawn(|| map.remove(&0));
    });
    assert_eq!(
        map.iter().map(|entry| *entry.key()).collect::<Vec<_>>(),
        [2]
    );
}
