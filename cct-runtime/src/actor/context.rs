//! The things that a handler can do.

use std::fmt;
use std::future::{Future, poll_fn};
use std::panic::Location;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use super::actor_ref::{ActorRef, Target, grouped, sent_by};
use super::due::Due;
use super::event::{Envelope, Letter, SendOptions, column};
use super::group::EventGroup;
use super::inbox::{Found, Held, Look, Waits};
use super::machine::{Accepts, Machine};
use super::runtime::Runtime;
use super::timer::{Tick, Timer};
use super::{Answer, Reply, reply};
use crate::covered::Fate;

/// The actor's side of the runtime, given to each handler.
pub struct Context<M: Machine> {
    pub(super) me: ActorRef<M>,
    pub(super) group: Option<EventGroup>,
    pub(super) held: Held<M>,
    pub(super) stack: Vec<usize>,
    pub(super) timers: Vec<Timer>,
    /// Made with the first timer.
    due: Option<Arc<Due>>,
    pub(super) receives: bool,
}

impl<M: Machine> Context<M> {
    pub(super) fn new(me: ActorRef<M>, group: Option<EventGroup>) -> Context<M> {
        Context {
            me,
            group,
            held: Held::new(),
            stack: Vec::new(),
            timers: Vec::new(),
            due: None,
            receives: false,
        }
    }

    /// A reference to the actor itself.
    pub fn me(&self) -> &ActorRef<M> {
        &self.me
    }

    /// The runtime that it runs in.
    pub fn runtime(&self) -> &Runtime {
        &self.me.0.runtime
    }

    /// True once its node has crashed.
    pub(super) fn has_crashed(&self) -> bool {
        self.me.0.crashed.get()
    }

    /// The name of the state on top; none for an actor without states.
    pub fn state_name(&self) -> Option<&'static str> {
        self.stack.last().map(|&state| M::PLAN.states[state])
    }

    /// Sends an event, with the group of the event that is handled.
    #[track_caller]
    pub fn send<E>(&self, to: &impl Target<E>, event: E) {
        self.send_with(to, event, SendOptions::default());
    }

    /// The same in some special way.
    #[track_caller]
    pub fn send_with<E>(&self, to: &impl Target<E>, event: E, options: SendOptions) {
        let options = sent_by(&self.me.0.crashed, options);
        to.take(
            event,
            grouped(options, self.group.as_ref()),
            Location::caller(),
        );
    }

    /// Sends a request, made with the place for its answer: see [`ActorRef::ask`].
    #[track_caller]
    pub fn ask<E, T: Send + 'static>(
        &self,
        to: &impl Target<E>,
        request: impl FnOnce(Reply<T>) -> E,
    ) -> Answer<T> {
        let (reply, answer) = reply();
        self.send(to, request(reply));
        answer
    }

    /// Creates an actor, with the group of the event that is handled.
    #[track_caller]
    pub fn create<N: Machine>(&self, machine: N) -> ActorRef<N> {
        let site = Location::caller();
        (self.runtime()).create_at(machine, None, self.group.clone(), site)
    }

    /// Waits for an event of this type and takes it, whatever comes before it in the inbox.
    ///
    /// Handlers of the state play no part in it.
    #[track_caller]
    pub fn receive<E>(&mut self) -> impl Future<Output = E>
    where
        M: Accepts<E>,
    {
        self.receive_if(|_: &E| true)
    }

    /// The same for an event of which this is true.
    #[track_caller]
    pub fn receive_if<E>(&mut self, is_meant: impl Fn(&E) -> bool) -> impl Future<Output = E>
    where
        M: Accepts<E>,
    {
        let site = Location::caller();
        async move {
            let is_one = |event: &_| <M as Accepts<E>>::look(event).is_some_and(&is_meant);
            let event = self.receive_at(is_one, site).await;
            M::try_event(event).unwrap_or_else(|_| unreachable!("it was looked at"))
        }
    }

    /// The same for any event of which this is true.
    #[track_caller]
    pub fn receive_any(
        &mut self,
        is_meant: impl Fn(&M::Event) -> bool,
    ) -> impl Future<Output = M::Event> {
        self.receive_at(is_meant, Location::caller())
    }

    async fn receive_at(
        &mut self,
        is_meant: impl Fn(&M::Event) -> bool,
        site: &'static Location<'static>,
    ) -> M::Event {
        let actor = self.me.clone();
        let look = |envelope: &Envelope<M::Event>| match &envelope.letter {
            Letter::Event(event) if is_meant(event) => Look::Take,
            _ => Look::Pass,
        };
        self.receives = true;
        let state = self.state_name();
        let envelope = poll_fn(|cx| {
            let waits = Waits::Polled(cx.waker());
            let inbox = &actor.0.inbox;
            match self.held.poll(inbox, (waits, state), site, &look, None) {
                Poll::Ready(Found::Event(envelope)) => Poll::Ready(envelope),
                // Nothing comes any more: who runs the actor sees that, too.
                Poll::Ready(Found::End | Found::News) | Poll::Pending => Poll::Pending,
            }
        })
        .await;
        self.receives = false;
        let (state, event) = (self.stack.last().copied(), column::<M>(&envelope.letter));
        self.me
            .0
            .tell_taken(&envelope.letter, Some(envelope.number));
        self.me.0.table.event(state, event, Fate::Received);
        self.group = envelope.group;
        match envelope.letter {
            Letter::Event(event) => event,
            Letter::Halt => unreachable!("it was looked at"),
        }
    }

    /// The group of the event that is handled.
    pub fn group(&self) -> Option<&EventGroup> {
        self.group.as_ref()
    }

    /// The actor's doings from here on, until it takes another event, belong to this group, or to none.
    pub fn set_group(&mut self, group: Option<EventGroup>) {
        self.group = group;
    }

    /// Sends the actor this event once the time is over.
    ///
    /// Under control, time is virtual, and the strategy chooses when the timer runs out: at once,
    /// unless one of this actor is due before, or when nobody can go on.
    #[track_caller]
    pub fn start_timer<E: Send + 'static>(&mut self, due: Duration, event: E) -> Timer
    where
        M: Accepts<E>,
    {
        let mut event = Some(event);
        self.add_timer(due, None, move || event.take())
    }

    /// Sends the actor an event once the time is over, and again each time that the period is. Panics if the
    /// period is zero.
    #[track_caller]
    pub fn start_periodic_timer<E: Clone + Send + 'static>(
        &mut self,
        due: Duration,
        period: Duration,
        event: E,
    ) -> Timer
    where
        M: Accepts<E>,
    {
        assert!(!period.is_zero(), "the period of a timer is zero");
        self.add_timer(due, Some(period), move || Some(event.clone()))
    }

    #[track_caller]
    fn add_timer<E: Send + 'static>(
        &mut self,
        due: Duration,
        period: Option<Duration>,
        mut make: impl FnMut() -> Option<E> + Send + 'static,
    ) -> Timer
    where
        M: Accepts<E>,
    {
        let site = Location::caller();
        let to = self.me.clone();
        let group = self.group.clone();
        let kind = std::cell::Cell::new(None);
        let tick = move |act| match act {
            Tick::Deliver => {
                if let Some(event) = make() {
                    let event = M::event(event);
                    kind.set(Some(M::event_index(&event)));
                    let options = grouped(SendOptions::default(), group.as_ref());
                    to.deliver(Letter::Event(event), options, site);
                }
                true
            }
            Tick::IsTaken => {
                let count = |kind| to.0.inbox.machine.count(kind);
                kind.get().map_or(0, count) == 0
            }
        };
        let name = format!("timer of {}", self.me.0.title());
        let timer = Timer::start(
            (&self.me.0.runtime, self.due.get_or_insert_default()),
            &name,
            (due, period),
            Box::new(tick),
            site,
        );
        self.timers.retain(Timer::runs);
        self.timers.push(timer.clone());
        timer
    }
}

impl<M: Machine> fmt::Debug for Context<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("me", &self.me)
            .field("state", &self.state_name())
            .field("group", &self.group)
            .finish_non_exhaustive()
    }
}
