//! Two threads set a cell that is in a static.
//!
//! It may be shared if the cell may be sent; but a cell must not be shared.

use std::cell::Cell;
use std::thread;

use late_static::LateStatic;

static CELL: LateStatic<Cell<u32>> = LateStatic::new();

#[test]
fn test() {
    unsafe { LateStatic::assign(&CELL, Cell::new(0)) };
    let thread = thread::spawn(|| CELL.set(1));
    CELL.set(2);
    thread.join().unwrap();
    unsafe { LateStatic::clear(&CELL) };
}
