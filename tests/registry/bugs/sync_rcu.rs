//! Two threads set a cell that they read out of one `RcuCell`.
//!
//! An `RcuCell` may be shared whatever it holds, also what must not be.

use std::cell::Cell;
use std::thread;

use rcu_cell::RcuCell;

#[test]
fn test() {
    let shared = RcuCell::new(Some(Cell::new(0)));
    thread::scope(|scope| {
        scope.spawn(|| shared.read().unwrap().set(1));
        shared.read().unwrap().set(2);
    });
}
