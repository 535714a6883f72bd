//! The worked example of docs/from-loom.md, as it is tested with Loom.

use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use loom::thread;

pub(crate) struct Slot {
    value: AtomicUsize,
    full: AtomicBool,
}

impl Slot {
    pub(crate) fn new() -> Self {
        Slot {
            value: AtomicUsize::new(0),
            full: AtomicBool::new(false),
        }
    }

    pub(crate) fn put(&self, value: usize) {
        self.full.store(true, SeqCst);
        self.value.store(value, SeqCst);
    }

    pub(crate) fn take(&self) -> Option<usize> {
        self.full
            .swap(false, SeqCst)
            .then(|| self.value.load(SeqCst))
    }
}

pub(crate) fn a_value_arrives_whole() {
    loom::model(|| {
        let slot = Arc::new(Slot::new());
        let sender = thread::spawn({
            let slot = Arc::clone(&slot);
            move || slot.put(7)
        });
        if let Some(value) = slot.take() {
            assert_eq!(value, 7);
        }
        sender.join().unwrap();
    });
}
