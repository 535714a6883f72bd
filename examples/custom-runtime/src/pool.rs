//! The pool.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread::{self, JoinHandle};

use cct::instrument::{NewWorker, WorkerId, join_worker};

use crate::queue::Queue;
use crate::semaphore::Semaphore;

/// Threads that do the jobs they are given, in the order of the jobs.
#[derive(Debug)]
pub struct Pool {
    shared: Arc<Shared>,
    threads: Vec<Thread>,
}

#[derive(Debug)]
struct Shared {
    /// No job is a thread's sign to end.
    jobs: Queue<Option<Job>>,
    /// How many jobs are not done.
    open: AtomicUsize,
    /// Has a permit after the last open job was done.
    idle: Semaphore,
    done: Done,
}

/// When a job counts as done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Done {
    WhenTaken,
    WhenDone,
}

struct Job(Box<dyn FnOnce() + Send>);

impl std::fmt::Debug for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("..")
    }
}

/// A thread of the operating system, or a worker in its place.
#[derive(Debug)]
enum Thread {
    System(JoinHandle<()>),
    Worker(WorkerId),
}

impl Pool {
    /// A pool that is idle when all jobs are done.
    pub fn new(threads: usize) -> io::Result<Pool> {
        Pool::with(threads, Done::WhenDone)
    }

    /// A pool that may be taken for idle while the last job is being done.
    pub fn hasty(threads: usize) -> io::Result<Pool> {
        Pool::with(threads, Done::WhenTaken)
    }

    fn with(threads: usize, done: Done) -> io::Result<Pool> {
        let shared = Arc::new(Shared {
            jobs: Queue::new()?,
            open: AtomicUsize::new(0),
            idle: Semaphore::new()?,
            done,
        });
        let start = |_| {
            let shared = Arc::clone(&shared);
            Thread::start(move || shared.work())
        };
        Ok(Pool {
            threads: (0..threads).map(start).collect(),
            shared,
        })
    }

    /// Has a job done.
    pub fn run(&self, job: impl FnOnce() + Send + 'static) {
        self.shared.open.fetch_add(1, SeqCst);
        self.shared.jobs.push(Some(Job(Box::new(job))));
    }

    /// Returns when all jobs are done.
    pub fn wait_until_idle(&self) {
        while self.shared.open.load(SeqCst) > 0 {
            self.shared.idle.wait();
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        for _ in &self.threads {
            self.shared.jobs.push(None);
        }
        self.threads.drain(..).for_each(Thread::join);
    }
}

impl Shared {
    /// What each thread does.
    fn work(&self) {
        while let Some(job) = self.jobs.pop() {
            if self.done == Done::WhenTaken {
                // The bug: it has only begun.
                self.open.fetch_sub(1, SeqCst);
            }
            job.0();
            if self.done == Done::WhenDone {
                self.open.fetch_sub(1, SeqCst);
            }
            if self.open.load(SeqCst) == 0 {
                self.idle.post();
            }
        }
    }
}

impl Thread {
    fn start(work: impl FnOnce() + Send + 'static) -> Thread {
        match NewWorker::named("pool").create(work) {
            Ok(worker) => Thread::Worker(worker),
            Err(work) => Thread::System(thread::spawn(work)),
        }
    }

    fn join(self) {
        match self {
            Thread::System(handle) => handle.join().expect("no job panics"),
            Thread::Worker(worker) => join_worker(worker),
        }
    }
}
