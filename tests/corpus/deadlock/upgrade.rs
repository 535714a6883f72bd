//! Read-write upgrade: two readers hold on to their read lock while they ask for the write lock.

use std::sync::RwLock;
use std::thread;

fn initialise(value: &RwLock<Option<u32>>) {
    let seen = value.read().unwrap();
    if seen.is_none() {
        *value.write().unwrap() = Some(7);
    }
}

#[test]
fn while_reading() {
    let value = RwLock::new(None);
    thread::scope(|scope| {
        scope.spawn(|| initialise(&value));
        *value.write().unwrap() = Some(5);
    });
}
