//! The waker that a task's futures see: it tells the engine who wakes whom, and then does what its
//! executor's waker does, unless the task is being polled: then that has to wait for the end of the poll.
//!
//! So the engine knows which tasks are in their executors' queues, and who made a continuation runnable.
//! The task keeps no waker of its own: executors may free a task that nobody can wake any more.

use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::task::{Context, Poll, RawWaker, RawWakerVTable, Wake, Waker};

use super::state::{engine, outside};
use super::task::note_wake;
use crate::strategy::WorkerId;

/// Polls with a waker that tells the engine before it wakes the task.
pub(super) fn told_of_wakes<R>(
    iteration: u64,
    task: WorkerId,
    context: &mut Context<'_>,
    inner: impl FnOnce(&mut Context<'_>) -> Poll<R>,
) -> Poll<R> {
    let lent = Lent {
        iteration,
        task,
        waker: context.waker(),
    };
    let data = (&raw const lent).cast();
    // SAFETY: the table's functions take the data for what it is, and whoever keeps the waker clones it.
    let waker = ManuallyDrop::new(unsafe { Waker::from_raw(RawWaker::new(data, &LENT)) });
    inner(&mut Context::from_waker(&waker))
}

/// The executor's waker for the time of a poll.
struct Lent<'a> {
    iteration: u64,
    task: WorkerId,
    waker: &'a Waker,
}

static LENT: RawWakerVTable = RawWakerVTable::new(clone, wake, wake, |_| ());

unsafe fn clone(data: *const ()) -> RawWaker {
    // SAFETY: the poll whose data it is has not returned.
    let lent = unsafe { &*data.cast::<Lent<'_>>() };
    let kept = Waker::from(Arc::new(Kept {
        iteration: lent.iteration,
        task: lent.task,
        waker: lent.waker.clone(),
    }));
    let kept = ManuallyDrop::new(kept);
    RawWaker::new(kept.data(), kept.vtable())
}

unsafe fn wake(data: *const ()) {
    // SAFETY: as above.
    let lent = unsafe { &*data.cast::<Lent<'_>>() };
    if tell(lent.iteration, lent.task) {
        lent.waker.wake_by_ref();
    }
}

/// The executor's waker, for as long as somebody wants it.
struct Kept {
    iteration: u64,
    task: WorkerId,
    waker: Waker,
}

impl Wake for Kept {
    fn wake(self: Arc<Self>) {
        if !tell(self.iteration, self.task) {
            return;
        }
        match Arc::try_unwrap(self) {
            Ok(kept) => kept.waker.wake(),
            Err(shared) => shared.waker.wake_by_ref(),
        }
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if tell(self.iteration, self.task) {
            self.waker.wake_by_ref();
        }
    }
}

/// True if the executor's waker is to be called.
fn tell(iteration: u64, task: WorkerId) -> bool {
    let engine = engine();
    // SAFETY: a set engine is live; no switch happens in here.
    unsafe {
        engine.is_null() || (*engine).iteration != iteration || outside(|| note_wake(engine, task))
    }
}
