//! Seqlock misuse: the reader looks at the sequence before it reads, and not again afterwards.

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
        while self.sequence.load(SeqCst) % 2 == 1 {
            thread::yield_now();
        }
        (self.x.load(SeqCst), self.y.load(SeqCst))
    }
}

#[test]
fn half_a_move() {
    let point = Point::default();
    thread::scope(|scope| {
        scope.spawn(|| point.move_to(1, 1));
        let (x, y) = point.read();
        assert_eq!(x, y);
    });
}
