//! The threads that actors run on where no engine is.
//!
//! Each thread has a [queue](Queue) of its own, and all have one for tasks that come from elsewhere. A
//! task that is woken by another one waits in the queue of that one's thread. The first there is left to
//! the thread, since it takes it as soon as the poll under way is over; the others are for all, and a
//! thread that is [idle](Crew) is called, which takes half of them. So two actors that answer each other
//! stay on one thread and wake nobody.
//!
//! A poll that takes long, or blocks, holds up the task that was left to its thread. That is seen to by
//! the *sentry*, one of the idle threads, which takes such a task after a millisecond or two.

mod crew;
mod queue;
mod task;

use std::cell::Cell;
use std::mem::ManuallyDrop;
use std::ptr;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::task::Guarded;
use crew::{Crew, Rest};
use queue::Queue;
use task::Task;

/// Threads, which end when there is nothing to do for a while; the next task makes new ones.
pub(super) struct Pool {
    /// Tasks that were woken by threads that are none of the pool's.
    arrivals: Queue,
    /// The queue of each thread, by its seat.
    queues: Box<[Queue]>,
    crew: Crew,
}

thread_local! {
    /// The pool that this thread is of, which it keeps, and its seat there.
    static SEAT: Cell<(*const Pool, usize)> = const { Cell::new((ptr::null(), 0)) };
}

/// The seat of this thread, if it is one of a pool's.
pub(super) fn seat() -> Option<usize> {
    let (pool, seat) = SEAT.get();
    (!pool.is_null()).then_some(seat)
}

/// Has this thread count as one of a pool's.
#[cfg(test)]
pub(super) fn sit(seat: usize) {
    SEAT.set((ptr::dangling(), seat));
}

/// After so many polls a thread looks at the arrivals before its own queue.
const IN_A_ROW: u32 = 61;

/// How often the sentry looks.
const LOOK: Duration = Duration::from_millis(1);

/// After so many looks at a pool that does nothing there is no sentry.
const QUIET_LOOKS: u32 = 10;

/// A thread without work ends after this.
const PATIENCE: Duration = Duration::from_secs(1);

impl Pool {
    pub(super) fn new(threads: usize) -> Arc<Pool> {
        let threads = threads.max(1);
        Arc::new(Pool {
            arrivals: Queue::default(),
            queues: (0..threads).map(|_| Queue::default()).collect(),
            crew: Crew::new(threads),
        })
    }

    /// Runs the future, which does not panic.
    pub(super) fn spawn(self: &Arc<Self>, future: Guarded) {
        Pool::push(Task::new(future, Arc::clone(self)));
    }

    /// Its threads end as soon as they have nothing to do.
    pub(super) fn close(&self) {
        self.crew.close();
    }

    /// Queues a task of some pool for the thread that calls, if that is one of its own, or else for all.
    fn push(task: Arc<Task>) {
        let (pool, seat) = SEAT.get();
        if pool == Arc::as_ptr(task.pool()) {
            // SAFETY: the thread has a count of the pool, which is the one that this stands for. Threads
            // would wait for each other if they counted here.
            let pool = ManuallyDrop::new(unsafe { Arc::from_raw(pool) });
            let is_left = pool.queues[seat].push_own(task);
            if pool.crew.is_callable() && !(is_left && pool.crew.has_sentry()) {
                pool.call();
            }
        } else {
            let pool = Arc::clone(task.pool());
            pool.arrivals.push(task);
            if pool.crew.is_callable() {
                pool.call();
            }
        }
    }

    /// Has an idle thread look for tasks, unless one does already.
    fn call(self: &Arc<Self>) {
        if let Some(seat) = self.crew.call() {
            let pool = Arc::clone(self);
            let thread = thread::Builder::new().name("actors".to_owned());
            let run = move || pool.work(seat);
            thread.spawn(run).expect("a thread for actors can be made");
        }
    }

    /// The life of a thread, which was called.
    fn work(self: Arc<Self>, seat: usize) {
        SEAT.set((Arc::as_ptr(&self), seat));
        let mut is_called = true;
        let mut polls = 0_u32;
        loop {
            while let Some(task) = self.find(seat, polls) {
                if std::mem::take(&mut is_called) {
                    self.crew.end_call();
                    self.call_for_more();
                }
                polls = polls.wrapping_add(1);
                self.queues[seat].note(polls);
                task.run();
            }
            self.crew.begin_rest(seat, std::mem::take(&mut is_called));
            if self.has_tasks() {
                is_called = self.crew.end_rest(seat);
                continue;
            }
            match self.rest(seat) {
                Rest::Called => is_called = true,
                Rest::Over => {}
                Rest::TooLong => return,
            }
        }
    }

    /// The next task for the thread of this seat.
    fn find(&self, seat: usize, polls: u32) -> Option<Arc<Task>> {
        let own = &self.queues[seat];
        if polls.is_multiple_of(IN_A_ROW)
            && let Some(task) = self.arrivals.pop()
        {
            return Some(task);
        }
        own.pop()
            .or_else(|| self.arrivals.share(self.queues.len(), own))
            .or_else(|| self.others(seat).find_map(|other| other.halve(own)))
    }

    /// The queues of the others, beginning with the next one.
    fn others(&self, seat: usize) -> impl Iterator<Item = &Queue> {
        let (before, from) = self.queues.split_at(seat);
        from[1..].iter().chain(before)
    }

    /// True if there are tasks for all.
    fn has_tasks(&self) -> bool {
        self.arrivals.len() > 0 || self.queues.iter().any(|queue| queue.len() > 0)
    }

    /// True if a task is left to a thread.
    fn has_left(&self) -> bool {
        self.queues.iter().any(Queue::has_front)
    }

    /// Calls the next one if there is more to do than is being taken care of.
    fn call_for_more(self: &Arc<Self>) {
        let is_more = self.has_tasks() || !self.crew.has_sentry() && self.has_left();
        if is_more && self.crew.is_callable() {
            self.call();
        }
    }

    /// Waits to be called; as the sentry, if nobody else is.
    fn rest(self: &Arc<Self>, seat: usize) -> Rest {
        if self.crew.begin_sentry() {
            let rest = self.stand_sentry(seat);
            self.crew.end_sentry();
            match rest {
                Some(rest) => {
                    self.call_for_more();
                    return rest;
                }
                // One was left to its thread at the last moment.
                None if self.has_left() => return Rest::of_end(self.crew.end_rest(seat)),
                None => {}
            }
        }
        self.crew.wait(seat, PATIENCE)
    }

    /// Looks for tasks that are held up, until the thread is called, has one, or nothing goes on; then
    /// there is none.
    fn stand_sentry(&self, seat: usize) -> Option<Rest> {
        let looks = |queue: &Queue| (queue.polls(), queue.has_front());
        let mut last: Vec<(u32, bool)> = self.queues.iter().map(looks).collect();
        let mut quiet = 0;
        while quiet < QUIET_LOOKS {
            if self.crew.doze(seat, LOOK) {
                return Some(Rest::Called);
            }
            quiet += 1;
            for (queue, last) in self.queues.iter().zip(&mut last) {
                let now = looks(queue);
                if now == (last.0, true)
                    && last.1
                    && let Some(task) = queue.take_front()
                {
                    let is_called = self.crew.end_rest(seat);
                    self.queues[seat].push_own(task);
                    return Some(Rest::of_end(is_called));
                }
                if now != *last || now.1 {
                    quiet = 0;
                }
                *last = now;
            }
        }
        None
    }
}
