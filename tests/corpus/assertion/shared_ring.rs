//! A ring for one producer, used by two: both write to the same slot.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::SeqCst};
use std::thread;

#[derive(Default)]
struct Ring {
    slots: [AtomicU32; 4],
    tail: AtomicUsize,
}

impl Ring {
    fn push(&self, item: u32) {
        let tail = self.tail.load(SeqCst);
        self.slots[tail % 4].store(item, SeqCst);
        self.tail.store(tail + 1, SeqCst);
    }
}

#[test]
fn two_producers() {
    let ring = Ring::default();
    thread::scope(|scope| {
        scope.spawn(|| ring.push(1));
        ring.push(2);
    });
    let sum: u32 = ring.slots.iter().map(|slot| slot.load(SeqCst)).sum();
    assert_eq!((ring.tail.into_inner(), sum), (2, 3));
}
