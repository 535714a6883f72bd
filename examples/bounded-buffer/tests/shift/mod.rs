//! A producer and two picky consumers share a buffer with room for one.

use std::thread;

use bounded_buffer::{BoundedBuffer, Wakes};

/// Lets both consumers do a job and checks that both jobs were done.
pub(crate) fn work(wakes: Wakes) {
    let jobs = BoundedBuffer::new(1, wakes);
    let done = thread::scope(|scope| {
        scope.spawn(|| [1, 2].map(|job| jobs.put(job)));
        let other = scope.spawn(|| second_choice(&jobs));
        second_choice(&jobs) + other.join().expect("a consumer finishes")
    });
    assert_eq!(done, 1 + 2);
}

/// Leaves the first job it gets to somebody else, and does the next one.
fn second_choice(jobs: &BoundedBuffer<u32>) -> u32 {
    let job = jobs.take();
    jobs.put(job);
    jobs.take()
}
