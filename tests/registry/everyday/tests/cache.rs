//! A cache with a clock, queues and housekeeping of its own.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use moka::sync::Cache;

#[test]
fn a_value_is_made_once() {
    let cache = Cache::new(10);
    let made = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let value = cache.get_with("key", || {
                    made.fetch_add(1, Ordering::Relaxed);
                    42
                });
                assert_eq!(value, 42);
            });
        }
    });
    assert_eq!(made.into_inner(), 1);
}

#[test]
fn what_is_put_in_is_found() {
    let cache = Cache::new(10);
    thread::scope(|scope| {
        for n in 0..3 {
            let cache = cache.clone();
            scope.spawn(move || {
                cache.insert(n, n * n);
                assert_eq!(cache.get(&n), Some(n * n));
            });
        }
    });
    cache.run_pending_tasks();
    assert_eq!(cache.entry_count(), 3);
}

#[test]
fn what_is_removed_is_gone() {
    let cache = Cache::new(10);
    cache.insert("key", 1);
    thread::scope(|scope| {
        scope.spawn(|| cache.invalidate("key"));
        scope.spawn(|| cache.get("key"));
    });
    assert_eq!(cache.get("key"), None);
}

#[test]
fn entries_grow_old() {
    let cache = Cache::builder()
        .time_to_live(Duration::from_secs(60))
        .build();
    cache.insert("key", 1);
    thread::sleep(Duration::from_secs(61));
    assert_eq!(cache.get("key"), None);
}
