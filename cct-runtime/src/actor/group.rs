//! Event groups: what belongs together flows with the events.

use std::any::Any;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use super::reply::{Answer, Reply, reply};

/// Events that belong together, such as all that come of one request.
///
/// An event that a handler sends has the group of the event that it handles, and so has an actor that it
/// creates, until it [says otherwise](super::Context::set_group).
#[derive(Clone)]
pub struct EventGroup(Arc<Inner>);

struct Inner {
    id: u64,
    name: Option<String>,
    /// The [`Reply`] of an awaitable group.
    result: Option<Box<dyn Any + Send + Sync>>,
}

impl EventGroup {
    /// A group of its own.
    pub fn new() -> EventGroup {
        EventGroup::with(None, None)
    }

    /// A group with a name.
    pub fn named(name: impl Into<String>) -> EventGroup {
        EventGroup::with(Some(name.into()), None)
    }

    fn with(name: Option<String>, result: Option<Box<dyn Any + Send + Sync>>) -> EventGroup {
        let id = next_id();
        EventGroup(Arc::new(Inner { id, name, result }))
    }

    /// Its name, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.0.name.as_deref()
    }

    /// Completes the group, if it is an [`AwaitableGroup`] for such a value that is not complete; gives the
    /// value back otherwise.
    pub fn set_result<T: Send + 'static>(&self, value: T) -> Result<(), T> {
        let result = self.0.result.as_ref();
        match result.and_then(|result| result.downcast_ref::<Reply<T>>()) {
            Some(reply) => reply.set(value),
            None => Err(value),
        }
    }
}

#[inline(never)]
fn next_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Default for EventGroup {
    fn default() -> Self {
        EventGroup::new()
    }
}

/// Two are equal if they are the same group.
impl PartialEq for EventGroup {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for EventGroup {}

impl fmt::Debug for EventGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut tuple = f.debug_tuple("EventGroup");
        match &self.0.name {
            Some(name) => tuple.field(name),
            None => tuple.field(&self.0.id),
        };
        tuple.finish()
    }
}

/// A group whose events lead to a result, which somebody waits for: by `.await`, or as a thread by
/// [`wait`](AwaitableGroup::wait).
#[derive(Debug)]
pub struct AwaitableGroup<T> {
    group: EventGroup,
    answer: Answer<T>,
}

impl<T: Send + 'static> AwaitableGroup<T> {
    /// A group that is not complete.
    #[expect(clippy::new_without_default, reason = "each is another one")]
    #[track_caller]
    pub fn new() -> AwaitableGroup<T> {
        let (reply, answer) = reply::<T>();
        let group = EventGroup::with(None, Some(Box::new(reply)));
        AwaitableGroup { group, answer }
    }

    /// The group, to be sent with an event.
    pub fn group(&self) -> EventGroup {
        self.group.clone()
    }

    /// Waits for the result, as a thread. None if it cannot come any more.
    #[track_caller]
    pub fn wait(self) -> Option<T> {
        drop(self.group);
        self.answer.wait()
    }
}

impl<T: Send + 'static> Future for AwaitableGroup<T> {
    type Output = Option<T>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<T>> {
        Pin::new(&mut self.answer).poll(cx)
    }
}
