//! A lock of one flag, tested and then set: two may enter, and nothing in the program itself notices.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::Arc;
use std::thread;

use cct::{Monitor, Temperature};

/// One at a time.
#[derive(Default)]
struct Inside(u32);

enum Door {
    Enters,
    Leaves,
}

impl Monitor for Inside {
    type Event = Door;

    fn on_event(&mut self, door: Door) -> Temperature {
        match door {
            Door::Enters => self.0 += 1,
            Door::Leaves => self.0 -= 1,
        }
        assert!(self.0 <= 1, "two are inside");
        Temperature::Cold("one at most")
    }
}

#[test]
fn one_is_inside() {
    cct::register(Inside::default());
    let taken = Arc::new(AtomicBool::new(false));
    let workers = [1, 2].map(|_| {
        let taken = Arc::clone(&taken);
        thread::spawn(move || {
            while taken.load(SeqCst) {
                thread::yield_now();
            }
            taken.store(true, SeqCst);
            cct::notify::<Inside>(Door::Enters);
            thread::yield_now();
            cct::notify::<Inside>(Door::Leaves);
            taken.store(false, SeqCst);
        })
    });
    for worker in workers {
        worker.join().unwrap();
    }
}
