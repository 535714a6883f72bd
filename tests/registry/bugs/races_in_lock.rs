//! A writer comes after a reader.
//!
//! The reader's way out of the lock orders nothing: the writer may write while the reader still reads.

use std::thread;

use spin::RwLock;

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
