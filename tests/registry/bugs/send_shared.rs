//! Two threads set a cell, each through its copy of a shared pointer.
//!
//! The pointer may be sent and shared whatever it points to.

use std::cell::Cell;
use std::thread;

use model::Shared;

#[test]
fn test() {
    let here = Shared::new(Cell::new(0));
    let there = here.clone();
    let thread = thread::spawn(move || there.set(1));
    here.set(2);
    thread.join().unwrap();
}
