//! Work stealing: for the last job, the owner's end and the thief's end of the queue meet.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;

struct Jobs {
    top: AtomicUsize,
    bottom: AtomicUsize,
}

impl Jobs {
    /// The owner takes from the bottom, and forgets that a thief may be at the same job.
    fn take(&self) -> Option<usize> {
        let bottom = self.bottom.load(SeqCst) - 1;
        self.bottom.store(bottom, SeqCst);
        if self.top.load(SeqCst) <= bottom {
            return Some(bottom);
        }
        self.bottom.store(bottom + 1, SeqCst);
        None
    }

    /// A thief takes from the top.
    fn steal(&self) -> Option<usize> {
        let top = self.top.load(SeqCst);
        let is_there = top < self.bottom.load(SeqCst);
        let wins = || {
            self.top
                .compare_exchange(top, top + 1, SeqCst, SeqCst)
                .is_ok()
        };
        (is_there && wins()).then_some(top)
    }
}

#[test]
fn the_last_job_twice() {
    let jobs = Jobs {
        top: AtomicUsize::new(0),
        bottom: AtomicUsize::new(1),
    };
    let (taken, stolen) = thread::scope(|scope| {
        let thief = scope.spawn(|| jobs.steal());
        (jobs.take(), thief.join().unwrap())
    });
    assert_eq!(taken.iter().chain(&stolen).count(), 1);
}
