//! Two threads set a cell through one guard of a lock.
//!
//! The guard may be shared if the cell may be sent; but a cell must not be shared.

use std::cell::Cell;
use std::thread;

use futures_intrusive::sync::Mutex;

#[test]
fn test() {
    let lock = Mutex::new(Cell::new(0), false);
    let guard = lock.try_lock().unwrap();
    thread::scope(|scope| {
        scope.spawn(|| guard.set(1));
        guard.set(2);
    });
}
