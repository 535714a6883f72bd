//! A foreman, a worker and two inspectors share a buffer with room for one job.

use std::thread;

use bounded_buffer::{BoundedBuffer, Wakes};

/// Has two jobs done, one by the worker and one that is left over, on each of a few days.
pub(crate) fn work(wakes: Wakes) {
    for _day in 0..5 {
        let jobs = BoundedBuffer::new(1, wakes);
        jobs.put(1);
        let done = thread::scope(|scope| {
            let worker = scope.spawn(|| jobs.take());
            scope.spawn(|| jobs.put(2));
            scope.spawn(|| inspect(&jobs));
            scope.spawn(|| inspect(&jobs));
            worker.join().expect("the worker finishes")
        });
        assert_eq!(done + jobs.take(), 1 + 2);
    }
}

/// Looks at a job and puts it back.
fn inspect(jobs: &BoundedBuffer<u32>) {
    let job = jobs.take();
    jobs.put(job);
}
