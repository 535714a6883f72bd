//! A writer waits for a reader to leave the lock.
//!
//! It sees that by an operation that is no acquire: nothing orders the read before the write.

use std::thread;

use parking_lot::RwLock;

#[test]
fn test() {
    let lock = RwLock::new(0_u32);
    thread::scope(|scope| {
        scope.spawn(|| {
            let value = *lock.read();
            assert!(value < 2);
        });
        *lock.write() += 1;
    });
    assert_eq!(*lock.read(), 1);
}
