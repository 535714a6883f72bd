//! `notify_one` where two kinds of waiters share a condition variable: the wrong one may wake.

use std::sync::{Condvar, Mutex};
use std::thread;

#[derive(Default)]
struct Doors {
    open: Mutex<[bool; 2]>,
    changed: Condvar,
}

impl Doors {
    fn open(&self, door: usize) {
        self.open.lock().unwrap()[door] = true;
        self.changed.notify_one();
    }

    fn pass(&self, door: usize) {
        let open = self.open.lock().unwrap();
        drop(self.changed.wait_while(open, |open| !open[door]).unwrap());
    }
}

#[test]
fn the_other_door() {
    let doors = Doors::default();
    thread::scope(|scope| {
        scope.spawn(|| doors.pass(0));
        scope.spawn(|| {
            doors.pass(1);
            doors.open(0);
        });
        doors.open(1);
    });
}
