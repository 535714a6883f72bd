//! Two threads set a cell that is in a shared vector.
//!
//! The vector may be shared whatever it holds, also what must not be.

use std::cell::Cell;
use std::thread;

use aovec::Aovec;

#[test]
fn test() {
    let cells = Aovec::new(2);
    cells.push(Cell::new(0));
    thread::scope(|scope| {
        scope.spawn(|| cells[0].set(1));
        cells[0].set(2);
    });
}
