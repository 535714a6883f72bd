//! Cigarette smokers: all that lies on the table is under one lock, taken together or not at all.

use std::sync::{Condvar, Mutex};
use std::thread;

#[derive(Default)]
struct Table {
    lies: Mutex<[bool; 3]>,
    changed: Condvar,
}

impl Table {
    fn lay(&self, all_but: usize) {
        let empty = self
            .changed
            .wait_while(self.lies.lock().unwrap(), |lies| lies.contains(&true));
        *empty.unwrap() = std::array::from_fn(|thing| thing != all_but);
        self.changed.notify_all();
    }

    /// Smokes once with own supplies of `own`.
    fn smoke(&self, own: usize) {
        let lies_for_me = |lies: &[bool; 3]| (0..3).all(|thing| lies[thing] != (thing == own));
        let lies = self.lies.lock().unwrap();
        *self
            .changed
            .wait_while(lies, |lies| !lies_for_me(lies))
            .unwrap() = [false; 3];
        self.changed.notify_all();
    }
}

#[test]
fn everybody_smokes() {
    let table = Table::default();
    thread::scope(|scope| {
        for own in 0..3 {
            let table = &table;
            scope.spawn(move || table.smoke(own));
        }
        (0..3).for_each(|own| table.lay(own));
    });
}
