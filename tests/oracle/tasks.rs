//! Tasks of programs on the engine: an executor on one thread, and what its tasks do.
//!
//! Rewritten source is written by hand here: nothing rebuilds this crate.

use std::collections::VecDeque;
use std::future::{Future, poll_fn, ready};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex as Native};
use std::task::{Context, Poll, Wake, Waker};

use cct_shims::future::{AwaitPoint as _, Driven};
use cct_shims::std::thread::{self, Thread};

use crate::block_on::await_all;
use crate::execute::{Ends, Shared, note_end};
use crate::flow::Flow;
use crate::program::Op;

/// Runs these tasks to their ends, on this thread.
pub(crate) fn run(shared: &'static Shared, tasks: &[usize]) {
    let executor: &'static Executor = Box::leak(Box::new(Executor {
        queue: Native::default(),
        is_main_woken: AtomicBool::new(true),
        thread: thread::current(),
    }));
    executor.run_until(Driven::root(async {
        let spawn = |&task: &usize| executor.spawn(carry_out(shared, task));
        let joins: Vec<_> = tasks.iter().map(spawn).collect();
        for join in joins {
            join.__cct_await(|| ()).await;
        }
    }));
}

async fn carry_out(shared: &'static Shared, task: usize) {
    let mut flow = Flow::new(shared, task, Ends::default(), 0);
    for op in &shared.program.threads[task] {
        match op {
            Op::Ready => ready(()).__cct_await(|| ()).await,
            Op::Yield => {
                let mut is_over = false;
                let not_ready_once = poll_fn(move |context| {
                    if std::mem::replace(&mut is_over, true) {
                        return Poll::Ready(());
                    }
                    context.waker().wake_by_ref();
                    Poll::Pending
                });
                not_ready_once.__cct_await(|| ()).await;
            }
            Op::BlockOn(awaits) => await_all(shared, task, awaits).await,
            op => flow.carry_out(op),
        }
    }
    note_end(task);
}

/// An executor on one thread. Its state is hidden from the engine, as tasks never leave their thread.
struct Executor {
    queue: Native<VecDeque<Arc<Node>>>,
    is_main_woken: AtomicBool,
    thread: Thread,
}

/// A task of the executor.
struct Node {
    executor: &'static Executor,
    /// None once it is over.
    future: Native<Option<Pin<Box<dyn Future<Output = ()>>>>>,
    is_queued: AtomicBool,
}

// SAFETY: all workers are stacks of one OS thread, and futures are polled by the executor's alone.
unsafe impl Send for Node {}
// SAFETY: as above.
unsafe impl Sync for Node {}

/// Whether a task is over, and who waits for that.
#[derive(Default)]
struct End {
    is_over: bool,
    waker: Option<Waker>,
}

impl Executor {
    /// Spawns a task; what it returns is ready when the task is over.
    fn spawn(
        &'static self,
        future: impl Future<Output = ()> + 'static,
    ) -> impl Future<Output = ()> {
        let end = Arc::new(Native::new(End::default()));
        let told = Arc::clone(&end);
        let future = Driven::spawned(async move {
            future.__cct_await(|| ()).await;
            let waker = {
                let mut end = told.lock().expect("nobody panics");
                end.is_over = true;
                end.waker.take()
            };
            if let Some(waker) = waker {
                waker.wake();
            }
        });
        let node = Arc::new(Node {
            executor: self,
            future: Native::new(Some(Box::pin(future))),
            is_queued: AtomicBool::new(false),
        });
        node.wake();
        poll_fn(move |context| {
            let mut end = end.lock().expect("nobody panics");
            if end.is_over {
                return Poll::Ready(());
            }
            end.waker = Some(context.waker().clone());
            Poll::Pending
        })
    }

    /// Drives a future and all tasks.
    fn run_until(&'static self, main: impl Future<Output = ()>) {
        let mut main = pin!(main);
        let waker = Waker::from(Arc::new(Main(self)));
        let mut context = Context::from_waker(&waker);
        loop {
            let is_woken = self.is_main_woken.swap(false, Relaxed);
            if is_woken && main.as_mut().poll(&mut context).is_ready() {
                return;
            }
            let node = self.queue.lock().expect("nobody panics").pop_front();
            match node {
                Some(node) => node.poll(),
                None if is_woken => {}
                None => thread::park(),
            }
        }
    }

    fn unpark(&self) {
        if thread::current().id() != self.thread.id() {
            self.thread.unpark();
        }
    }
}

impl Node {
    fn poll(self: &Arc<Node>) {
        self.is_queued.store(false, Relaxed);
        let mut place = self.future.lock().expect("nobody panics");
        let waker = Waker::from(Arc::clone(self));
        let context = &mut Context::from_waker(&waker);
        if let Some(future) = place.as_mut()
            && future.as_mut().poll(context).is_ready()
        {
            *place = None;
        }
    }
}

impl Wake for Node {
    fn wake(self: Arc<Node>) {
        let executor = self.executor;
        if !self.is_queued.swap(true, Relaxed) {
            let mut queue = executor.queue.lock().expect("nobody panics");
            queue.push_back(self);
        }
        executor.unpark();
    }
}

/// Wakes what the executor blocks on.
struct Main(&'static Executor);

impl Wake for Main {
    fn wake(self: Arc<Main>) {
        self.0.is_main_woken.store(true, Relaxed);
        self.0.unpark();
    }
}
