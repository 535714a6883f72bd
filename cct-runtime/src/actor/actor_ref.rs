//! References to actors, by which events are sent.

use std::fmt;
use std::panic::Location;
use std::sync::Arc;

use super::covered::Table;
use super::crashed::{Crashed, end_if_severed};
use super::event::{Letter, SendOptions, column, description, name_of};
use super::group::EventGroup;
use super::inbox::{Inbox, Sent};
use super::machine::{Accepts, Machine};
use super::runtime::{Runtime, Status};
use super::told::told;
use super::{Answer, Failure, Reply, reply};
use crate::covered::Fate;
use crate::engine;
use crate::trace::Did;

/// The number of an actor in its runtime.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ActorId(pub(super) u64);

impl fmt::Display for ActorId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A reference to an actor. It may be cloned, and outlive the actor.
pub struct ActorRef<M: Machine>(pub(super) Arc<Actor<M>>);

/// The part of an actor that others have.
pub(super) struct Actor<M: Machine> {
    pub(super) id: ActorId,
    pub(super) name: Option<String>,
    pub(super) inbox: Inbox<M>,
    pub(super) runtime: Runtime,
    pub(super) crashed: Crashed,
    /// Where it counts what it does.
    pub(super) table: Table,
}

impl<M: Machine> Actor<M> {
    /// Its node has crashed: nothing is handled from here on, and nothing that it does reaches others.
    pub(super) fn crash(&self) {
        self.crashed.set();
        self.inbox.machine.shut(&|| self.runtime.begin_work());
    }

    /// An event was taken out of the inbox, as the one with this number.
    pub(super) fn tell_taken(&self, letter: &Letter<M::Event>, number: Option<u64>) {
        if let Some(payload) = told(|| description::<M>(letter)) {
            let did = (Did::Dequeued, number);
            self.table.tell(did, column::<M>(letter), Some(&payload));
        }
    }

    /// `Server 3`, or its name.
    pub(super) fn title(&self) -> String {
        self.titled().to_string()
    }

    pub(super) fn titled(&self) -> Title {
        Title::of::<M>(self.name.as_ref(), self.id)
    }
}

/// An actor for people: `Server 3`, or its name.
pub(super) struct Title {
    kind: &'static str,
    id: ActorId,
    name: Option<String>,
}

impl Title {
    pub(super) fn of<M: Machine>(name: Option<&String>, id: ActorId) -> Title {
        Title {
            kind: M::PLAN.name,
            id,
            name: name.cloned(),
        }
    }
}

impl fmt::Display for Title {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => f.write_str(name),
            None => write!(f, "{} {}", self.kind, self.id),
        }
    }
}

impl<M: Machine> ActorRef<M> {
    /// The actor's number.
    pub fn id(&self) -> ActorId {
        self.0.id
    }

    /// The name that it was created with.
    pub fn name(&self) -> Option<&str> {
        self.0.name.as_deref()
    }

    /// Sends an event: it is in the inbox when this returns. If the actor has ended it is dropped, and the
    /// runtime [told](Runtime::on_event_dropped).
    ///
    /// A handler rather sends by its [`Context`](super::Context), which passes the group on.
    #[track_caller]
    pub fn send<E>(&self, event: E)
    where
        M: Accepts<E>,
    {
        self.send_with(event, SendOptions::default());
    }

    /// The same in some special way.
    #[track_caller]
    pub fn send_with<E>(&self, event: E, options: SendOptions)
    where
        M: Accepts<E>,
    {
        self.deliver(Letter::Event(M::event(event)), options, Location::caller());
    }

    /// Sends an event, which comes back if the actor has ended.
    #[track_caller]
    pub fn try_send<E>(&self, event: E) -> Result<(), E>
    where
        M: Accepts<E>,
    {
        let letter = Letter::Event(M::event(event));
        let site = Location::caller();
        match self.offer(letter, SendOptions::default(), site) {
            Sent::Halted(Letter::Event(event)) => {
                Err(M::try_event(event)
                    .unwrap_or_else(|_| unreachable!("an event stays what it is")))
            }
            Sent::Lost => {
                end_if_severed();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Sends a request, made with the place for its answer, and returns the answer to come. There is none if
    /// the actor ends without.
    ///
    /// A thread [waits](Answer::wait) for it; a handler that is `async` awaits it.
    #[track_caller]
    pub fn ask<E, T: Send + 'static>(&self, request: impl FnOnce(Reply<T>) -> E) -> Answer<T>
    where
        M: Accepts<E>,
    {
        let (reply, answer) = reply();
        self.send(request(reply));
        answer
    }

    /// Sends the event that ends the actor, after those that are in its inbox.
    #[track_caller]
    pub fn halt(&self) {
        self.deliver(Letter::Halt, SendOptions::default(), Location::caller());
    }

    /// The state of the actor's work.
    #[track_caller]
    pub fn status(&self) -> Status {
        let machine = &self.0.inbox.machine;
        machine.look_from_outside("status", Location::caller());
        if machine.is_closed() {
            Status::Halted
        } else if machine.is_idle() {
            Status::Idle
        } else {
            Status::Active
        }
    }

    /// The actor as one of those that take this event, whatever they are.
    pub fn recipient<E: Send + 'static>(&self) -> Recipient<E>
    where
        M: Accepts<E>,
    {
        Recipient(Arc::new(self.clone()))
    }

    #[track_caller]
    fn offer(
        &self,
        letter: Letter<M::Event>,
        options: SendOptions,
        site: &'static Location<'static>,
    ) -> Sent<Letter<M::Event>> {
        let begin_work = || self.0.runtime.begin_work();
        let event = column::<M>(&letter);
        // Told before it is stored.
        let payload = told(|| description::<M>(&letter));
        let label = (payload.as_ref())
            .and_then(|payload| told(|| format!("{payload} to {}", self.0.title())));
        let label = (site, label.as_deref());
        let sent = (self.0.inbox).send(letter, options, label, &begin_work);
        if let Sent::Stored(number) = sent {
            (self.0.table).tell((Did::Sent, Some(number)), event, payload.as_deref());
        }
        sent
    }

    pub(super) fn deliver(
        &self,
        letter: Letter<M::Event>,
        options: SendOptions,
        site: &'static Location<'static>,
    ) {
        let name = name_of::<M>(&letter);
        let (must_handle, most) = (options.must_handle, options.at_most);
        match self.offer(letter, options, site) {
            Sent::Stored(_) => {}
            Sent::Lost => end_if_severed(),
            Sent::Halted(letter) => {
                if must_handle && !self.0.runtime.has_stopped() {
                    let failure = Failure::Dropped { event: name };
                    self.0.runtime.fail(&self.0.title(), &failure, site);
                }
                if !self.0.runtime.has_stopped() {
                    self.0
                        .table
                        .event(None, column::<M>(&letter), Fate::Dropped);
                }
                self.0.runtime.note_dropped(name, self.0.id);
                drop(letter);
            }
            Sent::TooMany => {
                let most = most.unwrap_or(u32::MAX);
                let failure = Failure::TooMany { event: name, most };
                self.0.runtime.fail(&self.0.title(), &failure, site);
            }
        }
    }
}

/// The engine is told of what counts of references order, since it sees only some of their code.
impl<M: Machine> Drop for ActorRef<M> {
    fn drop(&mut self) {
        self.0.inbox.machine.let_go();
    }
}

impl<M: Machine> Drop for Actor<M> {
    fn drop(&mut self) {
        self.inbox.machine.was_let_go();
    }
}

impl<M: Machine> Clone for ActorRef<M> {
    fn clone(&self) -> Self {
        ActorRef(Arc::clone(&self.0))
    }
}

/// Two are equal if they refer to the same actor.
impl<M: Machine> PartialEq for ActorRef<M> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<M: Machine> Eq for ActorRef<M> {}

impl<M: Machine> std::hash::Hash for ActorRef<M> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.id.hash(state);
    }
}

/// By number: the order of creation.
impl<M: Machine> PartialOrd for ActorRef<M> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<M: Machine> Ord for ActorRef<M> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.id.cmp(&other.0.id)
    }
}

impl<M: Machine> fmt::Debug for ActorRef<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.title())
    }
}

/// A reference to an actor of some kind that takes this event.
pub struct Recipient<E>(Arc<dyn Takes<E>>);

trait Takes<E>: Send + Sync {
    fn take(&self, event: E, options: SendOptions, site: &'static Location<'static>);
    fn id(&self) -> ActorId;
    fn runtime(&self) -> &Runtime;
    fn title(&self) -> String;
}

impl<M: Accepts<E>, E> Takes<E> for ActorRef<M> {
    fn take(&self, event: E, options: SendOptions, site: &'static Location<'static>) {
        self.deliver(Letter::Event(M::event(event)), options, site);
    }

    fn id(&self) -> ActorId {
        self.0.id
    }

    fn runtime(&self) -> &Runtime {
        &self.0.runtime
    }

    fn title(&self) -> String {
        self.0.title()
    }
}

impl<E> Recipient<E> {
    /// The actor's number.
    pub fn id(&self) -> ActorId {
        self.0.id()
    }

    pub(super) fn runtime(&self) -> &Runtime {
        self.0.runtime()
    }

    /// Sends an event, as [`ActorRef::send`] does.
    #[track_caller]
    pub fn send(&self, event: E) {
        self.send_with(event, SendOptions::default());
    }

    /// The same in some special way.
    #[track_caller]
    pub fn send_with(&self, event: E, options: SendOptions) {
        self.0.take(event, options, Location::caller());
    }
}

impl<E> Clone for Recipient<E> {
    fn clone(&self) -> Self {
        Recipient(Arc::clone(&self.0))
    }
}

impl<E> fmt::Debug for Recipient<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.title())
    }
}

/// A taker of events, for [`Context::send`](super::Context::send).
pub trait Target<E> {
    #[doc(hidden)]
    fn take(&self, event: E, options: SendOptions, site: &'static Location<'static>);
}

impl<M: Accepts<E>, E> Target<E> for ActorRef<M> {
    fn take(&self, event: E, options: SendOptions, site: &'static Location<'static>) {
        Takes::take(self, event, options, site);
    }
}

impl<E> Target<E> for Recipient<E> {
    fn take(&self, event: E, options: SendOptions, site: &'static Location<'static>) {
        self.0.take(event, options, site);
    }
}

/// The group that an event is sent with: its own, or the sender's.
#[inline]
pub(super) fn grouped(mut options: SendOptions, group: Option<&EventGroup>) -> SendOptions {
    if let Some(group) = group {
        join(&mut options, group);
    }
    options
}

// Not where programs are built: its count is no step.
#[inline(never)]
fn join(options: &mut SendOptions, group: &EventGroup) {
    options.group.get_or_insert_with(|| group.clone());
}

/// An event of this sender, which is lost if the sender's node crashes before the step in which it is sent.
/// Outside of the engine that is known beforehand, more or less.
#[inline]
pub(super) fn sent_by(sender: &Crashed, mut options: SendOptions) -> SendOptions {
    if engine::is_controlled() || sender.get() {
        name_sender(&mut options, sender);
    }
    options
}

// As `join`.
#[inline(never)]
fn name_sender(options: &mut SendOptions, sender: &Crashed) {
    options.sender = Some(sender.clone());
}
