//! Two threads set a cell that they get from one box.
//!
//! The box may be shared whatever it holds, also what must not be.

use std::cell::Cell;
use std::thread;

use abox::AtomicBox;

#[test]
fn test() {
    let shared = AtomicBox::new(Cell::new(0));
    thread::scope(|scope| {
        scope.spawn(|| shared.get().set(1));
        shared.get().set(2);
    });
}
