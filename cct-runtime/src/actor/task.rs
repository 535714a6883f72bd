//! An actor's life as a future, and who polls it.

use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use super::runtime::{BoxFuture, Runtime};
use crate::engine::message_of;
use crate::primitive::InboxMachine;

/// Runs the future on the engine's worker that calls, until it is ready or the inbox is closed. It waits
/// where the inbox is.
pub(super) fn block_on(
    inbox: &Arc<InboxMachine>,
    future: impl Future<Output = ()>,
    site: &'static Location<'static>,
) {
    let waker = waker_of(inbox);
    let mut cx = Context::from_waker(&waker);
    let mut future = pin!(future);
    while future.as_mut().poll(&mut cx).is_pending() && !inbox.is_closed() {
        inbox.wait_for_notice(site);
    }
}

/// Not generic, so that its count is no step.
#[inline(never)]
fn waker_of(inbox: &Arc<InboxMachine>) -> Waker {
    Waker::from(Arc::clone(inbox))
}

/// The future of an actor: it ends when the inbox is closed, and its panics are the runtime's.
pub(super) fn guarded(
    runtime: Runtime,
    actor: String,
    inbox: Arc<InboxMachine>,
    life: BoxFuture,
) -> impl Future<Output = ()> + Send {
    let mut life = Some(life);
    let mut ender: Option<Waker> = None;
    poll_fn(move |cx| {
        let Some(running) = &mut life else {
            return Poll::Ready(());
        };
        let polled = catch_unwind(AssertUnwindSafe(|| running.as_mut().poll(cx)));
        if !ender.as_ref().is_some_and(|it| it.will_wake(cx.waker())) {
            ender = Some(cx.waker().clone());
            inbox.wake_at_end(cx.waker());
        }
        if let Ok(Poll::Pending) = polled
            && !inbox.is_closed()
        {
            return Poll::Pending;
        }
        // The drops of its values are the actor's, too.
        let dropped = catch_unwind(AssertUnwindSafe(|| drop(life.take())));
        if let Some(panic) = polled.err().or(dropped.err()) {
            runtime.note_failure(&actor, message_of(&*panic));
            // Work that ends by a panic is still under way.
            if !inbox.is_idle() {
                runtime.end_work();
            }
        }
        Poll::Ready(())
    })
}
