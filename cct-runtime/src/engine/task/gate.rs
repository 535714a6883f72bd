//! Await points.

use std::panic::Location;
use std::task::{Context, Poll};

use super::hold::{is_same, may_go_on};
use super::naps::Nap;
use super::types::{has_own_points, is_body, leads_to};
use crate::claim::Exception;
use crate::engine::decide::tasks::DROPPED;
use crate::engine::decide::{Engine, outside};
use crate::engine::observe::record::Note;
use crate::engine::state::driven::Driven;
use crate::engine::state::worker::Worker;
use crate::engine::worker::{on_worker, point_at};
use crate::object::ObjectId;
use crate::operation::Operation;
use crate::strategy::WorkerId;

/// An await point: where a task may be held back before it polls what it awaits.
///
/// It acts only if the await belongs to the task itself: between the task and this await are only async
/// bodies that await each other. Something in between that polls by itself (`select`, `join`, a timeout,
/// a test that polls by hand) could tell a task that was held back from one whose future is not ready;
/// there it is a scheduling point of the thread, and `inner` is polled at once. Nor does it act if the future
/// is an async body of the same crate: that is ready unless one of its own awaits is not. The same is true of
/// those of other crates, whose awaits are not seen, so where tasks change threads it is a point of the
/// thread, as any thread may be held up there; a single thread takes turns instead, as several would.
#[derive(Debug, Default)]
pub struct Gate {
    is_passed: bool,
    nap: Nap,
    /// The await's place and its task, if the future was not ready when it was polled last.
    unready: Option<(&'static Location<'static>, WorkerId)>,
}

impl Gate {
    /// One that nobody has come to yet.
    #[must_use]
    pub const fn new() -> Gate {
        Gate {
            is_passed: false,
            nap: Nap::none(),
            unready: None,
        }
    }

    /// Polls what is awaited.
    ///
    /// `body` is the name of the async body in which the await stands, and `future` that of the type that
    /// is awaited.
    pub fn poll<R>(
        &mut self,
        body: &'static str,
        future: &'static str,
        site: &'static Location<'static>,
        context: &mut Context<'_>,
        inner: impl FnOnce(&mut Context<'_>) -> Poll<R>,
    ) -> Poll<R> {
        let Some((engine, on)) = on_worker() else {
            return inner(context);
        };
        // SAFETY: a set engine is live, and its current worker too; no reference is kept across a switch.
        unsafe {
            if (*engine).aside.onlooker().is_some() {
                return inner(context);
            }
            (*engine).time.early.hears_of_awaits = true;
            let task = (*engine).roster.current;
            let before = match &(*task).task {
                Some(driven) => driven.polls,
                None => "",
            };
            let is_direct = (*engine).tasks.leads.of(before, body, leads_to);
            if !std::mem::replace(&mut self.is_passed, true) {
                if !is_direct {
                    if (*task).task.is_some() {
                        (*engine).leave_out(Exception::NestedAwaits);
                    }
                    point_at(Operation::Await, ObjectId::NONE, site).done();
                } else if (*engine).tasks.bodies.of(future, body, has_own_points) {
                    // Its own awaits are points.
                } else if (*engine).tasks.change_threads
                    && (*engine).tasks.any_bodies.of(future, "", is_body)
                {
                    point_at(Operation::Await, ObjectId::NONE, site).done();
                } else if !may_go_on((engine, on), Operation::Await, site, context.waker()) {
                    note_await(engine, task, true, site, body);
                    return Poll::Pending;
                }
            }
            self.nap.begin(engine, future);
            if (*task).task.is_none() {
                let result = inner(context);
                if result.is_ready() {
                    self.nap.end(true);
                }
                return result;
            }
            let part = Driven::of(task);
            (*part).polls = if is_direct { future } else { "" };
            let depth = (*part).depth;
            (*part).depth = depth + 1;
            let result = inner(context);
            (*part).depth = depth;
            if result.is_ready() {
                self.nap.end(true);
            }
            (*part).polls = before;
            (*part).polls_executor = false;
            self.unready = result.is_pending().then_some((site, (*task).id));
            if result.is_pending() {
                note_await(engine, task, (*part).awaits.is_none(), site, body);
                (*part).awaits.get_or_insert(site);
            }
            result
        }
    }
}

impl Drop for Gate {
    /// The future is dropped before it is ready, as by a `select`: somebody may want to know, unless
    /// the whole task is dropped.
    #[inline]
    fn drop(&mut self) {
        if let Some(unready) = self.unready {
            note_drop(unready);
        }
    }
}

#[cold]
fn note_drop((site, task): (&'static Location<'static>, WorkerId)) {
    let Some((engine, _)) = on_worker() else {
        return;
    };
    // SAFETY: a set engine is live, and its current worker too.
    unsafe {
        let current = (*engine).roster.current;
        if (*engine).aside.onlooker().is_none() && (*current).id == task {
            // The task does not wait there any more; it may have to wait elsewhere in this very poll.
            let awaits = &mut (*Driven::of(current)).awaits;
            awaits.take_if(|other| is_same(other, site));
            if let Some(recorder) = &mut (*engine).observers.recorder {
                outside(|| recorder.drop_await(task, site));
            }
            let note = Note::of(Operation::Await, site).saying(DROPPED);
            outside(|| (*engine).record_note(current, &note));
        }
    }
}

/// An await of the task is not ready, the innermost if it `is_first`; somebody may want to know.
///
/// # Safety
///
/// The engine is live, and the worker is one of its tasks.
#[inline]
unsafe fn note_await(
    engine: *mut Engine,
    task: *mut Worker,
    is_first: bool,
    site: &'static Location<'static>,
    body: &'static str,
) {
    // SAFETY: the caller's; no switch happens in here.
    unsafe {
        let depth = (*Driven::of(task)).depth;
        let id = (*task).id;
        if let Some(recorder) = &mut (*engine).observers.recorder {
            outside(|| recorder.await_point(id, is_first, (depth, site, body)));
        }
    }
}
