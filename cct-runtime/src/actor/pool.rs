//! The threads that actors run on where no engine is.

use std::cell::UnsafeCell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;

use super::runtime::BoxFuture;

/// Threads that take tasks from one queue. They end when nobody has a task or the pool any more.
pub(super) struct Pool {
    queue: Mutex<Queue>,
    is_filled: Condvar,
    threads: usize,
}

#[derive(Default)]
struct Queue {
    tasks: VecDeque<Arc<Task>>,
    /// Threads that wait for a task, and all of them.
    idle: usize,
    threads: usize,
}

impl Pool {
    pub(super) fn new(threads: usize) -> Arc<Pool> {
        Arc::new(Pool {
            queue: Mutex::default(),
            is_filled: Condvar::new(),
            threads: threads.max(1),
        })
    }

    /// Runs the future, which does not panic.
    pub(super) fn spawn(self: &Arc<Self>, future: BoxFuture) {
        self.push(Arc::new(Task {
            state: AtomicU8::new(QUEUED),
            future: UnsafeCell::new(Some(future)),
            pool: Arc::clone(self),
        }));
    }

    fn push(self: &Arc<Self>, task: Arc<Task>) {
        let mut queue = self.queue();
        queue.tasks.push_back(task);
        if queue.idle > 0 {
            drop(queue);
            self.is_filled.notify_one();
        } else if queue.threads < self.threads {
            queue.threads += 1;
            drop(queue);
            let pool = Arc::clone(self);
            let thread = thread::Builder::new().name("actors".to_owned());
            let run = move || pool.work();
            thread.spawn(run).expect("a thread for actors can be made");
        }
    }

    fn work(self: Arc<Self>) {
        let mut queue = self.queue();
        loop {
            if let Some(task) = queue.tasks.pop_front() {
                drop(queue);
                task.run();
                queue = self.queue();
                continue;
            }
            queue.idle += 1;
            let waited = self.is_filled.wait_timeout(queue, PATIENCE);
            let (guard, time) = waited.unwrap_or_else(PoisonError::into_inner);
            queue = guard;
            queue.idle -= 1;
            if time.timed_out() && queue.tasks.is_empty() {
                queue.threads -= 1;
                return;
            }
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A thread without work ends after this; the next task makes a new one.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(1);

/// A future, and whether it is to be polled.
struct Task {
    state: AtomicU8,
    future: UnsafeCell<Option<BoxFuture>>,
    pool: Arc<Pool>,
}

/// It waits to be woken.
const IDLE: u8 = 0;
/// It is in the queue.
const QUEUED: u8 = 1;
/// It is polled.
const POLLED: u8 = 2;
/// It is polled, and is to be polled again.
const WOKEN: u8 = 3;
/// It is ready.
const OVER: u8 = 4;

// SAFETY: the future is reached only by who has brought the state from `QUEUED` to `POLLED`.
unsafe impl Sync for Task {}
// SAFETY: the future is `Send`.
unsafe impl Send for Task {}

impl Task {
    fn run(self: Arc<Self>) {
        self.state.store(POLLED, Ordering::SeqCst);
        let waker = Waker::from(Arc::clone(&self));
        // SAFETY: the task was in the queue once, and this is who took it out.
        let future = unsafe { &mut *self.future.get() };
        let polled = future.as_mut().map_or(Poll::Ready(()), |future| {
            future.as_mut().poll(&mut Context::from_waker(&waker))
        });
        if polled.is_ready() {
            *future = None;
            self.state.store(OVER, Ordering::SeqCst);
            return;
        }
        let set = (self.state).compare_exchange(POLLED, IDLE, Ordering::SeqCst, Ordering::SeqCst);
        if set.is_err() {
            self.state.store(QUEUED, Ordering::SeqCst);
            let pool = Arc::clone(&self.pool);
            pool.push(self);
        }
    }
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        let next = |state| match state {
            IDLE => Some(QUEUED),
            POLLED => Some(WOKEN),
            _ => None,
        };
        let woken = (self.state).fetch_update(Ordering::SeqCst, Ordering::SeqCst, next);
        if woken == Ok(IDLE) {
            let pool = Arc::clone(&self.pool);
            pool.push(self);
        }
    }
}
