//! One actor alone: its test sends, looks, and sends again. Nothing runs beside it.

use std::future::Future;
use std::ops::ControlFlow;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll, Waker};

use super::actor_ref::ActorRef;
use super::event::{Letter, SendOptions};
use super::inbox::{Held, Look};
use super::machine::{Accepts, HasState, Machine};
use super::run::{Event, Life};
use super::runtime::{Runtime, RuntimeFailure};

/// An actor that handles events when its test says so.
///
/// ```
/// use cct::actor::{Machine, TestKit};
///
/// struct Switch;
/// struct Off;
/// struct On;
///
/// struct Light {
///     switched: u32,
/// }
///
/// #[cct::machine(start = Off)]
/// impl Light {
///     #[on]
///     fn switch_on(&mut self, _: &mut Off, _: Switch) -> On {
///         self.switched += 1;
///         On
///     }
///     #[on]
///     fn switch_off(&mut self, _: &mut On, _: Switch) -> Off {
///         Off
///     }
/// }
///
/// let mut kit = TestKit::start(Light { switched: 0 });
/// kit.send(Switch);
/// assert!(kit.is_in::<On>());
/// assert_eq!(kit.actor().switched, 1);
/// ```
#[expect(missing_debug_implementations, reason = "its actor need not have one")]
pub struct TestKit<M: Machine> {
    me: ActorRef<M>,
    now: Now<M>,
}

enum Now<M: Machine> {
    /// It waits for its next event.
    Rests(Box<Life<M>>),
    /// A handler waits for something.
    Waits(Handling<M>),
    Halted,
}

type Handling<M> = Pin<Box<dyn Future<Output = (Box<Life<M>>, ControlFlow<()>)> + Send>>;

impl<M: Machine> TestKit<M> {
    /// Starts the actor: it enters its start state.
    #[track_caller]
    pub fn start(machine: M) -> TestKit<M> {
        let runtime = Runtime::on_executor(|_| {});
        let me = ActorRef(runtime.actor::<M>(None));
        let life = Life::new(machine, me.clone(), None, Location::caller());
        runtime.begin_work();
        let mut kit = TestKit {
            me,
            now: Now::Halted,
        };
        let mut life = Box::new(life);
        kit.go_on(Box::pin(async move {
            let goes = life.start().await;
            (life, goes)
        }));
        kit.handle_all();
        kit
    }

    /// Sends an event, and lets the actor handle all that it can.
    #[track_caller]
    pub fn send<E>(&mut self, event: E)
    where
        M: Accepts<E>,
    {
        self.send_with(event, SendOptions::default());
    }

    /// The same in some special way.
    #[track_caller]
    pub fn send_with<E>(&mut self, event: E, options: SendOptions)
    where
        M: Accepts<E>,
    {
        self.me.send_with(event, options);
        self.run();
    }

    /// Asks the actor to end, and lets it handle all that it can.
    #[track_caller]
    pub fn halt(&mut self) {
        self.me.halt();
        self.run();
    }

    /// Has the actor handle its default event once, which comes only when its test says so, and all that it
    /// can after that. False if its states have no handler for it. Panics as [`actor`](TestKit::actor).
    #[track_caller]
    pub fn default_event(&mut self) -> bool {
        if !self.life().handles_default() {
            return false;
        }
        self.take(Event::Default);
        self.handle_all();
        true
    }

    /// Lets the actor go on: what a handler waits for may have come.
    pub fn run(&mut self) {
        match std::mem::replace(&mut self.now, Now::Halted) {
            Now::Waits(handling) => self.go_on(handling),
            other => self.now = other,
        }
        self.handle_all();
    }

    /// The reference by which others send to it.
    pub fn actor_ref(&self) -> &ActorRef<M> {
        &self.me
    }

    /// The actor itself, whose methods and data are the test's as well. Panics while a handler waits, and
    /// after the end.
    #[track_caller]
    pub fn actor(&mut self) -> &mut M {
        &mut self.life().machine
    }

    /// The data of the state on top, if it is this one. Panics as [`actor`](TestKit::actor).
    #[track_caller]
    pub fn state<S>(&mut self) -> Option<&S>
    where
        M: HasState<S>,
    {
        <M as HasState<S>>::look(self.life().states.last()?)
    }

    /// True if the state on top is this one. Panics as [`actor`](TestKit::actor).
    #[track_caller]
    pub fn is_in<S>(&mut self) -> bool
    where
        M: HasState<S>,
    {
        self.state::<S>().is_some()
    }

    /// The names of the states that it is in, the latest last. Panics as [`actor`](TestKit::actor).
    #[track_caller]
    pub fn states(&mut self) -> Vec<&'static str> {
        let stack = &self.life().cx.stack;
        stack.iter().map(|&state| M::PLAN.states[state]).collect()
    }

    /// How many events are in the inbox: deferred ones, and all that came while a handler waits. Events that
    /// were raised and deferred count while none waits.
    pub fn inbox_len(&self) -> usize {
        let kinds = 0..=M::PLAN.events.len();
        let counts = kinds.map(|kind| self.me.0.inbox.machine.count(kind) as usize);
        let put_back = match &self.now {
            Now::Rests(life) => life.cx.held.put_back(),
            _ => 0,
        };
        counts.sum::<usize>() + put_back
    }

    /// True while a handler waits: for an event that it wants to receive, or for anything else.
    pub fn waits(&self) -> bool {
        matches!(self.now, Now::Waits(_))
    }

    /// True once it has ended.
    pub fn has_halted(&self) -> bool {
        matches!(self.now, Now::Halted)
    }

    /// The first failure.
    #[track_caller]
    pub fn failure(&self) -> Option<RuntimeFailure> {
        self.me.0.runtime.failure()
    }

    #[track_caller]
    fn life(&mut self) -> &mut Life<M> {
        match &mut self.now {
            Now::Rests(life) => life,
            Now::Waits(_) => panic!("a handler of {:?} waits, which has the actor", self.me),
            Now::Halted => panic!("{:?} has ended", self.me),
        }
    }

    /// Goes on with a handler that was under way.
    fn go_on(&mut self, mut handling: Handling<M>) {
        let mut cx = TaskContext::from_waker(Waker::noop());
        self.now = match handling.as_mut().poll(&mut cx) {
            Poll::Pending => Now::Waits(handling),
            Poll::Ready((life, ControlFlow::Continue(()))) => Now::Rests(life),
            Poll::Ready((life, ControlFlow::Break(()))) => {
                life.end();
                Now::Halted
            }
        };
    }

    /// Has the actor, which rests, handle this.
    fn take(&mut self, event: Event<M::Event>) {
        if let Now::Rests(mut life) = std::mem::replace(&mut self.now, Now::Halted) {
            self.go_on(Box::pin(async move {
                let goes = life.take(event).await;
                (life, goes)
            }));
        }
    }

    fn handle_all(&mut self) {
        loop {
            match std::mem::replace(&mut self.now, Now::Halted) {
                Now::Rests(mut life) => {
                    let event = life.next_at_hand();
                    self.now = Now::Rests(life);
                    match event {
                        Some(event) => self.take(event),
                        None => return,
                    }
                }
                other => {
                    self.now = other;
                    return;
                }
            }
        }
    }
}

/// An actor that does nothing but keep what it is sent: in place of one that the actor under test sends to.
#[expect(missing_debug_implementations, reason = "events need not have one")]
pub struct Mock<M: Machine> {
    me: ActorRef<M>,
    held: Held<M>,
}

impl<M: Machine> Mock<M> {
    /// A mock, which lives as long as this.
    pub fn new() -> Mock<M> {
        let runtime = Runtime::on_executor(|_| {});
        Mock {
            me: ActorRef(runtime.actor::<M>(None)),
            held: Held::new(),
        }
    }

    /// The reference to send to.
    pub fn actor_ref(&self) -> ActorRef<M> {
        self.me.clone()
    }

    /// The first event that it was sent and that was not taken.
    pub fn take(&mut self) -> Option<M::Event> {
        self.held.collect(&self.me.0.inbox);
        let envelope = self
            .held
            .take_by_rules(&self.me.0.inbox, None, &|_| Look::Take)?;
        match envelope.letter {
            Letter::Event(event) => Some(event),
            Letter::Halt => None,
        }
    }
}

impl<M: Machine> Default for Mock<M> {
    fn default() -> Self {
        Mock::new()
    }
}

impl<M: Machine> Drop for Mock<M> {
    fn drop(&mut self) {
        self.me.0.inbox.machine.shut(&|| {});
    }
}
