//! The owner's buffer grows and shrinks while a thief steals a batch from it.
//!
//! The thief goes on in the old buffer: some tasks are run twice and others never.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use crossbeam_deque::{Steal, Worker};

#[test]
fn test() {
    const TASKS: usize = 105;
    let runs: Vec<AtomicUsize> = (0..TASKS).map(|_| AtomicUsize::new(0)).collect();
    let run = |task: usize| runs[task].fetch_add(1, Relaxed);
    let owner = Worker::new_lifo();
    let thief = owner.stealer();
    (0..64).for_each(|task| owner.push(task));
    thread::scope(|scope| {
        scope.spawn(|| {
            let stolen = Worker::new_fifo();
            if let Steal::Success(task) = thief.steal_batch_and_pop(&stolen) {
                run(task);
            }
            while let Some(task) = stolen.pop() {
                run(task);
            }
        });
        owner.push(64);
        (0..62).filter_map(|_| owner.pop()).for_each(|task| {
            run(task);
        });
        (65..TASKS).for_each(|task| owner.push(task));
    });
    while let Some(task) = owner.pop() {
        run(task);
    }
    assert!(runs.iter().all(|runs| runs.load(Relaxed) == 1));
}
