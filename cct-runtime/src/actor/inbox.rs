//! The events that an actor has not handled yet.
//!
//! Others put events into `arrivals`. The owner moves them into a queue of its own, in which it looks for the
//! first one that its state takes, so no code of the user's runs under the inbox's lock.

use std::cell::UnsafeCell;
use std::collections::VecDeque;
use std::panic::Location;
use std::sync::Arc;
use std::task::{Poll, Waker};

use super::crashed::Crashed;
use super::event::{Envelope, IsDeferred, Letter, SendOptions, column, description};
use super::machine::Machine;
use super::told::told;
use crate::engine;
use crate::primitive::{InboxMachine, Stored};

/// The side where events come in.
pub(super) struct Inbox<M: Machine> {
    pub(super) machine: Arc<InboxMachine>,
    arrivals: UnsafeCell<VecDeque<Envelope<M::Event>>>,
}

// SAFETY: arrivals are reached only in closures that the machine calls, one at a time, and events are `Send`.
unsafe impl<M: Machine> Sync for Inbox<M> {}
// SAFETY: as above.
unsafe impl<M: Machine> Send for Inbox<M> {}

/// The fate of an event that was sent.
pub(super) enum Sent<E> {
    /// It is in the inbox, as the one with this number.
    Stored(u64),
    /// The actor has ended.
    Halted(E),
    /// There are too many of the kind.
    TooMany,
    /// The sender had crashed.
    Lost,
}

impl<M: Machine> Inbox<M> {
    pub(super) fn new() -> Inbox<M> {
        Inbox {
            machine: Arc::new(InboxMachine::new(M::PLAN.halt() + 1)),
            arrivals: UnsafeCell::new(VecDeque::new()),
        }
    }

    /// Puts an event in, at this place and under this label in records; calls `begin_work` first if the owner
    /// was at rest.
    pub(super) fn send(
        &self,
        letter: Letter<M::Event>,
        options: SendOptions,
        label: (&'static Location<'static>, Option<&str>),
        begin_work: &dyn Fn(),
    ) -> Sent<Letter<M::Event>> {
        let column = column::<M>(&letter);
        let at_most = options.at_most.unwrap_or(u32::MAX);
        let sender = options.sender;
        let mut envelope = Some(Envelope {
            letter,
            number: 0,
            group: options.group,
            must_handle: options.must_handle,
            is_deferred: IsDeferred::No,
        });
        let mut stored_as = 0;
        let mut store = |number, was_idle| {
            if was_idle {
                begin_work();
            }
            stored_as = number;
            let mut envelope = envelope.take().expect("it is stored once");
            envelope.number = number;
            // SAFETY: the machine calls this while nobody else reaches the arrivals.
            unsafe { (*self.arrivals.get()).push_back(envelope) };
        };
        let is_lost = || sender.as_ref().is_some_and(Crashed::get) || engine::is_severed();
        let stored = (self.machine).send((column, at_most), label, &is_lost, &mut store);
        match stored {
            Stored::Stored => Sent::Stored(stored_as),
            Stored::TooMany => Sent::TooMany,
            Stored::Lost => Sent::Lost,
            Stored::Closed => Sent::Halted(envelope.expect("nothing was stored").letter),
        }
    }

    /// True if nothing has arrived since the last [`collect`](Held::collect).
    fn is_empty(&self) -> bool {
        // SAFETY: the machine calls this while nobody else reaches the arrivals.
        unsafe { (*self.arrivals.get()).is_empty() }
    }

    /// Nothing comes in from here on; returns what had arrived.
    /// Also whether the owner was at rest.
    pub(super) fn close(
        &self,
        site: &'static Location<'static>,
    ) -> (VecDeque<Envelope<M::Event>>, bool) {
        let mut left = VecDeque::new();
        // SAFETY: as in `is_empty`.
        let was_idle = (self.machine).close(site, &mut || unsafe {
            left = std::mem::take(&mut *self.arrivals.get());
        });
        (left, was_idle)
    }

    /// How many have arrived since the last look.
    pub(super) fn arrived(&self) -> usize {
        let mut number = 0;
        // SAFETY: as in `is_empty`.
        (self.machine).exclusively(&mut || unsafe { number = (*self.arrivals.get()).len() });
        number
    }
}

/// The step of an event that was taken in a state, after some had been ignored.
fn as_taken(state: Option<&str>, event: String, ignored: &[String]) -> String {
    let event = match state {
        Some(state) => format!("in {state}: {event}"),
        None => event,
    };
    if ignored.is_empty() {
        event
    } else {
        format!("{event}, ignoring {}", ignored.join(", "))
    }
}

/// The owner's side: what has arrived and is not handled.
pub(super) struct Held<M: Machine> {
    queue: VecDeque<Envelope<M::Event>>,
    /// Events that were dropped, of which the owner is to be told.
    dropped: Vec<M::Event>,
    /// Some of the queue were deferred of which the owner is to be told.
    defers: bool,
    /// So many in front are known to be deferred by the owner's states, and are not looked at again.
    settled: usize,
}

/// The owner's verdict on an event that it looks at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Look {
    Take,
    Defer,
    Drop,
    /// It waits for another one.
    Pass,
}

/// How a wait for an event has ended.
pub(super) enum Found<E> {
    Event(E),
    /// There are events of which the owner is to be told before it goes to rest.
    News,
    /// The inbox was closed.
    End,
}

/// How the owner waits for events.
#[derive(Clone, Copy)]
pub(super) enum Waits<'a> {
    /// On its own worker: it blocks.
    Blocks,
    /// As a future.
    Polled(&'a Waker),
}

impl<M: Machine> Held<M> {
    pub(super) fn new() -> Held<M> {
        Held {
            queue: VecDeque::new(),
            dropped: Vec::new(),
            defers: false,
            settled: 0,
        }
    }

    /// The owner is in other states: events that were deferred may be taken now.
    pub(super) fn unsettle(&mut self) {
        self.settled = 0;
    }

    /// How many were put back: the inbox does not count them any more.
    pub(super) fn put_back(&self) -> usize {
        let is_back = |envelope: &&Envelope<M::Event>| envelope.number == PUT_BACK;
        self.queue.iter().filter(is_back).count()
    }

    /// Puts an event before all others.
    pub(super) fn put_first(&mut self, envelope: Envelope<M::Event>) {
        self.settled = 0;
        self.queue.push_front(envelope);
    }

    /// Takes what is left.
    pub(super) fn drain(&mut self) -> VecDeque<Envelope<M::Event>> {
        self.settled = 0;
        std::mem::take(&mut self.queue)
    }

    /// The events that were dropped since the last time, and whether some were deferred.
    pub(super) fn take_news(&mut self) -> (Vec<M::Event>, bool) {
        let defers = std::mem::take(&mut self.defers);
        (std::mem::take(&mut self.dropped), defers)
    }

    /// True if there are any.
    pub(super) fn has_news(&self) -> bool {
        !self.dropped.is_empty() || self.defers
    }

    /// Calls `tell` for each event of the queue that is deferred, once.
    pub(super) fn tell_deferred(&mut self, mut tell: impl FnMut(&M::Event)) {
        for envelope in &mut self.queue {
            if envelope.is_deferred == IsDeferred::Untold {
                envelope.is_deferred = IsDeferred::Told;
                if let Letter::Event(event) = &envelope.letter {
                    tell(event);
                }
            }
        }
    }

    /// Takes the first of the collected events that the rules of the owner's states, `look`, take, and drops
    /// those before it that they drop; in records, in this state.
    pub(super) fn take_by_rules(
        &mut self,
        inbox: &Inbox<M>,
        state: Option<&str>,
        look: &dyn Fn(&Envelope<M::Event>) -> Look,
    ) -> Option<Envelope<M::Event>> {
        let (taken, at) = self.take(inbox, (state, self.settled), look);
        self.settled = at;
        taken
    }

    /// The same in production, where the first of those that are not settled is taken, or none.
    #[inline]
    pub(super) fn take_next(
        &mut self,
        inbox: &Inbox<M>,
        look: impl Fn(&Envelope<M::Event>) -> Look,
    ) -> Option<Envelope<M::Event>> {
        if self.settled == self.queue.len() {
            self.collect(inbox);
        }
        let next = self.queue.get(self.settled)?;
        if look(next) != Look::Take {
            return None;
        }
        let envelope = self.remove(self.settled);
        count_taken(inbox, &envelope);
        Some(envelope)
    }

    fn remove(&mut self, at: usize) -> Envelope<M::Event> {
        let removed = match at {
            0 => self.queue.pop_front(),
            _ => self.queue.remove(at),
        };
        removed.expect("it was looked at")
    }

    /// The same by any `look`, from this event on. Returns how many were left before it; without one, all.
    fn take(
        &mut self,
        inbox: &Inbox<M>,
        (state, from): (Option<&str>, usize),
        look: &dyn Fn(&Envelope<M::Event>) -> Look,
    ) -> (Option<Envelope<M::Event>>, usize) {
        let mut at = from;
        let mut ignored = Vec::new();
        while at < self.queue.len() {
            let verdict = look(&self.queue[at]);
            match verdict {
                Look::Pass => at += 1,
                Look::Defer => {
                    let envelope = &mut self.queue[at];
                    if envelope.is_deferred == IsDeferred::No {
                        envelope.is_deferred = IsDeferred::Untold;
                        self.defers = true;
                    }
                    at += 1;
                }
                Look::Take | Look::Drop => {
                    let envelope = self.remove(at);
                    count_taken(inbox, &envelope);
                    if engine::heeds_chains() {
                        inbox.machine.leaves(envelope.number, verdict == Look::Take);
                    }
                    let event = told(|| description::<M>(&envelope.letter));
                    if let (Look::Drop, Some(event)) = (verdict, &event) {
                        ignored.push(event.clone());
                    }
                    if let (Look::Take, Some(event)) = (verdict, event) {
                        engine::step_under_way().named(&as_taken(state, event, &ignored));
                    }
                    if verdict == Look::Take {
                        return (Some(envelope), at);
                    }
                    if let Letter::Event(event) = envelope.letter {
                        self.dropped.push(event);
                    }
                }
            }
        }
        if !ignored.is_empty() {
            let ignored = format!("ignore {}", ignored.join(", "));
            engine::step_under_way().named(&as_taken(state, ignored, &[]));
        }
        (None, at)
    }

    /// Moves arrivals into the queue. False once the inbox is closed.
    pub(super) fn collect(&mut self, inbox: &Inbox<M>) -> bool {
        // SAFETY: the machine calls this while nobody else reaches the arrivals.
        (inbox.machine).fetch(&mut || unsafe {
            let arrivals = &mut *inbox.arrivals.get();
            if self.queue.is_empty() {
                std::mem::swap(&mut self.queue, arrivals);
            } else {
                self.queue.append(arrivals);
            }
        })
    }

    /// Waits for the first event that `look` takes. `rest` is called when the owner goes to rest, and is none
    /// for one who waits in a handler, where `look` is not that of its states.
    pub(super) fn poll(
        &mut self,
        inbox: &Inbox<M>,
        (waits, state): (Waits<'_>, Option<&str>),
        site: &'static Location<'static>,
        look: &dyn Fn(&Envelope<M::Event>) -> Look,
        rest: Option<&dyn Fn()>,
    ) -> Poll<Found<Envelope<M::Event>>> {
        let mut is_first = true;
        // So many events stay in the queue, in front.
        let mut stay = if rest.is_some() { self.settled } else { 0 };
        loop {
            let takes = |held: &Envelope<_>| matches!(look(held), Look::Take | Look::Drop);
            if engine::heeds_chains() {
                self.collect(inbox);
                let is_next = |held: &&Envelope<_>| look(held) == Look::Take;
                if let Some(next) = self.queue.iter().skip(stay).find(is_next) {
                    inbox.machine.leaves(next.number, true);
                }
            }
            if engine::is_controlled() && std::mem::take(&mut is_first) {
                if inbox.arrived() > 0 || self.queue.iter().skip(stay).any(&takes) {
                    inbox.machine.look(site).done();
                } else {
                    engine::declare_wait();
                }
            }
            // Arrivals come behind those at hand, and are fetched when these are used up.
            let fetches = engine::is_controlled() || stay == self.queue.len();
            let is_open = if fetches {
                self.collect(inbox)
            } else {
                !inbox.machine.is_closed()
            };
            if !is_open {
                return Poll::Ready(Found::End);
            }
            let (next, before) = self.take(inbox, (state, stay), look);
            stay = before;
            self.settled = if rest.is_some() { before } else { 0 };
            if let Some(envelope) = next {
                return Poll::Ready(Found::Event(envelope));
            }
            if self.has_news() {
                return Poll::Ready(Found::News);
            }
            if !fetches {
                continue;
            }
            let is_empty = || inbox.is_empty();
            let waker = match waits {
                Waits::Blocks => None,
                Waits::Polled(waker) => Some(waker),
            };
            let is_at_rest = inbox.machine.rest((waker, rest.is_some()), &is_empty);
            if !is_at_rest {
                continue;
            }
            if let Some(rest) = rest {
                rest();
            }
            match waits {
                Waits::Polled(_) => return Poll::Pending,
                Waits::Blocks => inbox.machine.wait(site),
            }
        }
    }
}

/// The inbox has one less.
fn count_taken<M: Machine>(inbox: &Inbox<M>, envelope: &Envelope<M::Event>) {
    // An event that was put back has been counted already.
    if envelope.number != PUT_BACK {
        (inbox.machine).taken(column::<M>(&envelope.letter), envelope.number);
    }
}

/// The number of an event that its owner has put into its own queue.
pub(super) const PUT_BACK: u64 = u64::MAX;
