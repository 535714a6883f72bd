//! A reader leaves the lock, and another that may upgrade becomes a writer.
//!
//! The upgrade is no acquire: nothing orders the read before the write.

use std::thread;

use parking_lot::{RwLock, RwLockUpgradableReadGuard};

#[test]
fn test() {
    let lock = RwLock::new(0_u32);
    thread::scope(|scope| {
        scope.spawn(|| {
            let value = *lock.read();
            assert!(value < 2);
        });
        let reads = lock.upgradable_read();
        *RwLockUpgradableReadGuard::upgrade(reads) += 1;
    });
    assert_eq!(*lock.read(), 1);
}
