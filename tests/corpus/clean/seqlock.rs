//! Seqlock: the reader looks at the sequence before and after, and tries again.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

#[derive(Default)]
struct Point {
    sequence: AtomicU32,
    x: AtomicU32,
    y: AtomicU32,
}

impl Point {
    fn move_to(&self, x: u32, y: u32) {
        self.sequence.fetch_add(1, SeqCst);
        self.x.store(x, SeqCst);
        self.y.store(y, SeqCst);
        self.sequence.fetch_add(1, SeqCst);
    }

    fn read(&self) -> (u32, u32) {
        loop {
            let before = self.sequence.load(SeqCst);
            let point = (self.x.load(SeqCst), self.y.load(SeqCst));
            if before % 2 == 0 && self.sequence.load(SeqCst) == before {
                return point;
            }
            std::hint::spin_loop();
        }
    }
}

#[test]
fn whole_moves() {
    let point = Point::default();
    thread::scope(|scope| {
        scope.spawn(|| (1..3).for_each(|n| point.move_to(n, n)));
        let (x, y) = point.read();
        assert_eq!(x, y);
    });
}
