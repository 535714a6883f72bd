//! Two threads ask for the same value.

use std::sync::Arc;
use std::thread;

use cache::Cache;

/// Fails under some schedules: both look before either stores.
#[test]
fn a_value_is_loaded_once() {
    let cache = Cache::new();
    let (one, other) = thread::scope(|scope| {
        let one = scope.spawn(|| cache.get("motd", || String::from("welcome")));
        let other = cache.get("motd", || String::from("welcome"));
        (one.join().expect("a look-up finishes"), other)
    });
    assert!(Arc::ptr_eq(&one, &other), "the value was loaded twice");
}

#[test]
fn a_value_is_loaded_once_under_the_lock() {
    let cache = Cache::new();
    let (one, other) = thread::scope(|scope| {
        let one = scope.spawn(|| cache.get_or_load("motd", || String::from("welcome")));
        let other = cache.get_or_load("motd", || String::from("welcome"));
        (one.join().expect("a look-up finishes"), other)
    });
    assert!(Arc::ptr_eq(&one, &other), "the value was loaded twice");
}
