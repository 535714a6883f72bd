//! Work stealing: the last job goes to whoever moves the top.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;

struct Jobs {
    top: AtomicUsize,
    bottom: AtomicUsize,
}

impl Jobs {
    fn take(&self) -> Option<usize> {
        let bottom = self.bottom.load(SeqCst).checked_sub(1)?;
        self.bottom.store(bottom, SeqCst);
        let top = self.top.load(SeqCst);
        if top < bottom {
            return Some(bottom);
        }
        let wins = top == bottom && self.claim(top);
        self.bottom.store(bottom + 1, SeqCst);
        wins.then_some(bottom)
    }

    fn steal(&self) -> Option<usize> {
        let top = self.top.load(SeqCst);
        (top < self.bottom.load(SeqCst) && self.claim(top)).then_some(top)
    }

    fn claim(&self, top: usize) -> bool {
        self.top
            .compare_exchange(top, top + 1, SeqCst, SeqCst)
            .is_ok()
    }
}

#[test]
fn each_job_once() {
    let jobs = Jobs {
        top: AtomicUsize::new(0),
        bottom: AtomicUsize::new(2),
    };
    let mut done: Vec<_> = thread::scope(|scope| {
        let thief = scope.spawn(|| jobs.steal());
        let own: Vec<_> = [jobs.take(), jobs.take()].into_iter().flatten().collect();
        own.into_iter().chain(thief.join().unwrap()).collect()
    });
    done.sort_unstable();
    done.dedup();
    let left = jobs.bottom.load(SeqCst) - jobs.top.load(SeqCst);
    assert_eq!(done.len() + left, 2);
}
