//! Two threads set a cell in an interned value.
//!
//! An interned value may be shared whatever is in it, also what must not be.

use std::cell::Cell;
use std::hash::{Hash, Hasher};
use std::thread;

use internment::Intern;

#[derive(PartialEq, Eq)]
struct Counted(Cell<u32>);

impl Hash for Counted {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

#[test]
fn test() {
    let interned = Intern::new(Counted(Cell::new(0)));
    thread::scope(|scope| {
        scope.spawn(|| interned.0.set(1));
        interned.0.set(2);
    });
}
