//! An actor's life as a future, and who polls it.

use std::future::Future;
use std::panic::Location;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use super::actor_ref::Title;
use super::runtime::{BoxFuture, Runtime};
use super::unwinding::catch;
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
pub(super) struct Guarded {
    runtime: Runtime,
    title: Title,
    inbox: Arc<InboxMachine>,
    life: Option<BoxFuture>,
    /// The waker that the inbox has for its end.
    ender: Option<Waker>,
}

impl Guarded {
    pub(super) fn new(
        runtime: Runtime,
        title: Title,
        inbox: Arc<InboxMachine>,
        life: BoxFuture,
    ) -> Guarded {
        Guarded {
            runtime,
            title,
            inbox,
            life: Some(life),
            ender: None,
        }
    }
}

impl Future for Guarded {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = &mut *self;
        let Some(running) = &mut this.life else {
            return Poll::Ready(());
        };
        let polled = catch(|| running.as_mut().poll(cx));
        if !this
            .ender
            .as_ref()
            .is_some_and(|it| it.will_wake(cx.waker()))
        {
            this.ender = Some(cx.waker().clone());
            this.inbox.wake_at_end(cx.waker());
        }
        if let Ok(Poll::Pending) = polled
            && !this.inbox.is_closed()
        {
            return Poll::Pending;
        }
        // The drops of its values are the actor's, too.
        let dropped = catch(|| drop(this.life.take()));
        if let Some(panic) = polled.err().or(dropped.err()) {
            (this.runtime).note_failure(&this.title.to_string(), message_of(&*panic));
            // Work that ends by a panic is still under way.
            if !this.inbox.is_idle() {
                this.runtime.end_work();
            }
        }
        Poll::Ready(())
    }
}
