//! The life of an actor: from its start state to its end, event by event.

use std::future::poll_fn;
use std::ops::ControlFlow;
use std::panic::Location;
use std::task::Poll;

use super::actor_ref::ActorRef;
use super::context::Context;
use super::covered::{Cause, Table};
use super::event::{Envelope, IsDeferred, Letter, column, name_of};
use super::group::EventGroup;
use super::inbox::{Found, Held, Look, PUT_BACK, Waits};
use super::machine::{Machine, Outcome, Rule};
use super::runtime::Runtime;
use super::then::Next;
use super::told::told;
use super::unwinding::{catch, unwind, unwinds};
use super::{Failure, Then};
use crate::covered::{Fate, On, To};
use crate::engine;
use crate::operation::Operation;
use crate::trace::Did;

/// An actor that runs.
pub(super) struct Life<M: Machine> {
    pub(super) machine: M,
    /// The states that it is in, the latest on top.
    pub(super) states: Vec<M::State>,
    pub(super) cx: Context<M>,
    site: &'static Location<'static>,
    is_over: bool,
    /// How many events it has waited for.
    events: u32,
    /// The number of the event that was taken last.
    number: Option<u64>,
    /// The handler that was called last, exits aside, and where it is.
    cause: Cause,
    handler: &'static Location<'static>,
    /// The last to be dropped: what the others do then is work.
    work: Work,
}

/// The work that an actor is, unless it is at rest. It was begun by who made the life.
///
/// Work that ends by a panic is ended by who catches it, once the failure is noted.
struct Work {
    runtime: Runtime,
    is_at_rest: bool,
}

impl Drop for Work {
    fn drop(&mut self) {
        if !self.is_at_rest && !unwinds() {
            self.runtime.end_work();
        }
    }
}

/// After so many events an actor gives way to others, and with each transition after so many of one event.
const IN_A_ROW: u32 = 128;

/// It goes on, or has ended.
type Goes = ControlFlow<()>;

/// A handler's number and the level of the state that it belongs to.
type Handled = (usize, Option<usize>);

/// The next thing for an actor: an event that is to be handled.
pub(super) enum Event<E> {
    Letter(Letter<E>),
    /// There is none.
    Default,
}

impl<E> Event<E> {
    /// None for those that have no value.
    fn inner(self) -> Option<E> {
        match self {
            Event::Letter(Letter::Event(event)) => Some(event),
            Event::Letter(Letter::Halt) | Event::Default => None,
        }
    }
}

/// The column of the event in tables of rules.
fn column_of<M: Machine>(event: &Event<M::Event>) -> usize {
    match event {
        Event::Letter(letter) => column::<M>(letter),
        Event::Default => M::PLAN.default(),
    }
}

impl<M: Machine> Life<M> {
    pub(super) fn new(
        machine: M,
        me: ActorRef<M>,
        group: Option<EventGroup>,
        site: &'static Location<'static>,
    ) -> Life<M> {
        let work = Work {
            runtime: me.0.runtime.clone(),
            is_at_rest: false,
        };
        me.0.table.created();
        Life {
            machine,
            states: Vec::new(),
            cx: Context::new(me, group),
            site,
            handler: site,
            is_over: false,
            events: 0,
            number: None,
            cause: (None, On::Entry),
            work,
        }
    }

    /// The whole life. `blocks` if the actor has a worker of its own.
    pub(super) async fn run(mut self, blocks: bool) {
        let mut goes = self.start().await;
        while goes.is_continue() {
            match self.next(blocks).await {
                Some(event) => goes = self.take(event).await,
                // The runtime has stopped.
                None => return,
            }
        }
        self.end();
    }

    /// Enters the start state.
    pub(super) async fn start(&mut self) -> Goes {
        if engine::heeds_chains() {
            self.cx.me.0.inbox.machine.begins();
        }
        match self.machine.start() {
            Some(state) => {
                self.note(|| format!("begin in {}", M::PLAN.states[M::state_index(&state)]));
                self.enter(state);
                self.go(Then::stay(), true).await
            }
            None => Goes::Continue(()),
        }
    }

    /// Waits for an event that is not deferred; none comes after the runtime has stopped.
    async fn next(&mut self, blocks: bool) -> Option<Event<M::Event>> {
        self.events = self.events.wrapping_add(1);
        if self.events.is_multiple_of(IN_A_ROW) && !engine::is_controlled() {
            give_way().await;
        }
        if self.handles_default() {
            if let Some(event) = self.next_at_hand() {
                return Some(event);
            }
            // The default event is of no group, and an actor that waits keeps none from its end.
            self.cx.group = None;
            give_way().await;
            let is_open = !self.cx.me.0.inbox.machine.is_closed();
            return is_open.then_some(Event::Default);
        }
        let envelope = poll_fn(|cx| {
            if let Some(envelope) = self.next_at_once() {
                return Poll::Ready(Some(envelope));
            }
            // An actor at rest keeps no group from its end.
            self.cx.group = None;
            let waits = if blocks {
                Waits::Blocks
            } else {
                Waits::Polled(cx.waker())
            };
            self.poll_next(waits)
        })
        .await?;
        Some(self.taken(envelope))
    }

    /// In production: the next event, if it is at hand and is to be taken. That is how most come.
    #[inline]
    fn next_at_once(&mut self) -> Option<Envelope<M::Event>> {
        let (inbox, stack) = (&self.cx.me.0.inbox, &self.cx.stack);
        if engine::is_controlled() || inbox.machine.is_closed() {
            return None;
        }
        (self.cx.held).take_next(inbox, |envelope| look::<M>(stack, envelope))
    }

    #[inline]
    fn taken(&mut self, envelope: Envelope<M::Event>) -> Event<M::Event> {
        self.number = Some(envelope.number);
        self.cx.group = envelope.group;
        Event::Letter(envelope.letter)
    }

    /// The first event in the inbox that is not deferred.
    pub(super) fn next_at_hand(&mut self) -> Option<Event<M::Event>> {
        let state = self.cx.state_name();
        let (inbox, stack) = (&self.cx.me.0.inbox, &self.cx.stack);
        inbox.machine.look(self.site).done();
        if !self.cx.held.collect(inbox) {
            return None;
        }
        let envelope = self
            .cx
            .held
            .take_by_rules(inbox, state, &|envelope| look::<M>(stack, envelope));
        if let Some(envelope) = &envelope {
            self.place(envelope);
        }
        self.tell_news();
        envelope.map(|envelope| self.taken(envelope))
    }

    fn poll_next(&mut self, waits: Waits<'_>) -> Poll<Option<Envelope<M::Event>>> {
        loop {
            let waits = (waits, self.cx.state_name());
            let (me, stack) = (&self.cx.me.0, &self.cx.stack);
            let look = |envelope: &_| look::<M>(stack, envelope);
            let rest = || me.runtime.end_work();
            let polled = (self.cx.held).poll(&me.inbox, waits, self.site, &look, Some(&rest));
            if let Poll::Ready(Found::Event(envelope)) = &polled {
                self.place(envelope);
            }
            self.tell_news();
            return match polled {
                Poll::Ready(Found::Event(envelope)) => Poll::Ready(Some(envelope)),
                Poll::Ready(Found::News) => continue,
                Poll::Ready(Found::End) => Poll::Ready(None),
                Poll::Pending => Poll::Pending,
            };
        }
    }

    /// The event has been taken: in records that is where its handler is.
    fn place(&self, envelope: &Envelope<M::Event>) {
        if engine::records()
            && let Some((handler, _)) = self.handler(column::<M>(&envelope.letter))
        {
            engine::step_under_way().at(M::PLAN.handlers[handler].site);
        }
    }

    /// Tells the actor of events that were ignored or deferred.
    #[inline]
    fn tell_news(&mut self) {
        if self.cx.held.has_news() {
            self.tell_all_news();
        }
    }

    #[inline(never)]
    fn tell_all_news(&mut self) {
        let (ignored, defers) = self.cx.held.take_news();
        for event in ignored {
            self.count(M::event_index(&event), Fate::Ignored);
            self.machine.event_ignored(&event, &mut self.cx);
        }
        if defers {
            let mut held = std::mem::replace(&mut self.cx.held, Held::new());
            held.tell_deferred(|event| {
                self.count(M::event_index(event), Fate::Deferred);
                self.machine.event_deferred(event, &mut self.cx);
            });
            self.cx.held = held;
        }
    }

    /// Handles one event, and all that it leads to.
    pub(super) async fn take(&mut self, event: Event<M::Event>) -> Goes {
        let name = match &event {
            Event::Letter(letter) => name_of::<M>(letter),
            Event::Default => "DefaultEvent",
        };
        if let Event::Letter(letter) = &event {
            let me = &self.cx.me.0;
            me.tell_taken(letter, self.number);
            if me.table.is_kept() {
                me.runtime.event_taken();
            }
        }
        if let Event::Letter(Letter::Event(event)) = &event {
            self.machine.event_dequeued(event, &mut self.cx);
        }
        // Most have a handler, and it leads to nothing that would have to be awaited: two futures less
        // for each.
        let then = match self.begin(column_of::<M>(&event)) {
            Some(handled) => self.call(handled, event.inner()).await,
            None => self.handle(event).await,
        };
        let goes = match then {
            Ok(then) => match self.go_at_once(then) {
                Some(then) => self.go(then, false).await,
                None => Goes::Continue(()),
            },
            Err(goes) => return goes,
        };
        if goes.is_continue() {
            self.machine.event_handled(name, &mut self.cx);
        }
        goes
    }

    /// Stays, or goes to another state where neither an exit nor an entry is to be run; gives anything
    /// else back.
    fn go_at_once(&mut self, then: Then<M>) -> Option<Then<M>> {
        match then.0 {
            Next::Stay => None,
            Next::Goto(state)
                if M::PLAN.entries[M::state_index(&state)].is_none()
                    && (self.cx.stack.last())
                        .is_some_and(|&left| M::PLAN.exits[left].is_none()) =>
            {
                self.pop();
                self.went(To::Goto(M::state_index(&state) as u32));
                self.enter(state);
                None
            }
            next => Some(Then(next)),
        }
    }

    /// Does what a handler has returned; then what the entries of new states return, and so on.
    async fn go(&mut self, then: Then<M>, enters: bool) -> Goes {
        let mut then = then;
        let mut enters = enters;
        let mut rounds = 0_u32;
        loop {
            rounds = rounds.saturating_add(1);
            if rounds > IN_A_ROW {
                give_way().await;
            }
            if enters {
                enters = false;
                then = match self.run_entry().await {
                    Ok(then) => then,
                    Err(goes) => return goes,
                };
                continue;
            }
            match then.0 {
                Next::Stay => return Goes::Continue(()),
                Next::Halt => {
                    self.went(To::Halt);
                    return Goes::Break(());
                }
                Next::Goto(state) => {
                    self.leave().await?;
                    self.went(To::Goto(M::state_index(&state) as u32));
                    self.enter(state);
                    enters = true;
                    then = Then::stay();
                }
                Next::Push(state) => {
                    self.went(To::Push(M::state_index(&state) as u32));
                    self.enter(state);
                    enters = true;
                    then = Then::stay();
                }
                Next::Pop => {
                    assert!(
                        self.states.len() > 1,
                        "{} popped the state that it began with",
                        self.cx.me.0.title()
                    );
                    self.leave().await?;
                    self.went(To::Pop);
                    then = Then::stay();
                }
                Next::Raise(event) => match self.raise(event).await {
                    Ok(next) => then = next,
                    Err(goes) => return goes,
                },
            }
        }
    }

    /// Handles an event before those in the inbox. One that is deferred goes to their front.
    async fn raise(&mut self, event: M::Event) -> Result<Then<M>, Goes> {
        if let Some(payload) = told(|| M::describe(&event)) {
            let did = (Did::Raised, None);
            (self.table()).tell(did, M::event_index(&event), Some(&payload));
            self.note(|| format!("raise {payload}"));
        }
        match self.rule(M::event_index(&event)) {
            Some((Rule::Ignore, _)) => {
                self.count(M::event_index(&event), Fate::Ignored);
                self.machine.event_ignored(&event, &mut self.cx);
                Ok(Then::stay())
            }
            Some((Rule::Defer, _)) => {
                self.count(M::event_index(&event), Fate::Deferred);
                self.machine.event_deferred(&event, &mut self.cx);
                self.cx.held.put_first(Envelope {
                    letter: Letter::Event(event),
                    number: PUT_BACK,
                    group: self.cx.group.clone(),
                    must_handle: false,
                    is_deferred: IsDeferred::Told,
                });
                Ok(Then::stay())
            }
            _ => self.handle(Event::Letter(Letter::Event(event))).await,
        }
    }

    /// Calls the event's handler; leaves states that have none, from the top. A machine that is left in no
    /// state, or a failure, ends this.
    async fn handle(&mut self, event: Event<M::Event>) -> Result<Then<M>, Goes> {
        let column = column_of::<M>(&event);
        let (came_in, top) = (self.cx.state_name(), self.cx.stack.last().copied());
        loop {
            if let Some(handled) = self.begin(column) {
                return self.call(handled, event.inner()).await;
            }
            let event = match &event {
                Event::Letter(Letter::Event(event)) => Some(event),
                Event::Letter(Letter::Halt) if !self.is_handled_below(column) => {
                    return Err(Goes::Break(()));
                }
                Event::Letter(Letter::Halt) => None,
                Event::Default => return Ok(Then::stay()),
            };
            if let (true, Some(event)) = (self.states.is_empty(), event) {
                self.table().event(top, column, Fate::Unhandled);
                self.machine.event_unhandled(event, &mut self.cx);
                let event = M::PLAN.events[column];
                let state = came_in;
                let goes = self.fail(&Failure::Unhandled { event, state });
                let is_machine = !M::PLAN.states.is_empty();
                return Err(if is_machine { Goes::Break(()) } else { goes });
            }
            if let Goes::Break(()) = self.leave().await {
                return Err(Goes::Break(()));
            }
        }
    }

    /// The rule of the states, from the top, for an event of this column.
    fn rule(&self, column: usize) -> Option<(Rule, Option<usize>)> {
        rule::<M>(&self.cx.stack, column)
    }

    /// True if an event that is none is handled.
    pub(super) fn handles_default(&self) -> bool {
        self.rule(M::PLAN.default()).is_some()
    }

    /// The handler of the states for an event of this column.
    fn handler(&self, column: usize) -> Option<Handled> {
        match self.rule(column) {
            Some((Rule::Do(handler) | Rule::Leave(handler), level)) => Some((handler, level)),
            _ => None,
        }
    }

    /// True if a state below that on top has a transition for an event of this column.
    fn is_handled_below(&self, column: usize) -> bool {
        let below = self.cx.stack.iter().rev().skip(1);
        below
            .map(|&state| M::PLAN.rules[state][column])
            .any(|rule| matches!(rule, Rule::Leave(_)))
    }

    /// The same, which is about to be called.
    fn begin(&mut self, column: usize) -> Option<Handled> {
        let (handler, level) = self.handler(column)?;
        let state = self.owner(level);
        self.table().event(state, column, Fate::Handled);
        self.calls(handler, (state, On::Event(column as u32)));
        Some((handler, level))
    }

    async fn call(
        &mut self,
        (handler, level): Handled,
        event: Option<M::Event>,
    ) -> Result<Then<M>, Goes> {
        let state = level.map(|level| &mut self.states[level]);
        let then = self
            .machine
            .handle(handler, state, event, &mut self.cx)
            .await;
        then.or_else(|failure| match self.fail(&failure) {
            Goes::Continue(()) => Ok(Then::stay()),
            Goes::Break(()) => Err(Goes::Break(())),
        })
    }

    fn table(&self) -> Table {
        self.cx.me.0.table
    }

    /// The state to which a rule of this level belongs; that on top has those of the machine.
    fn owner(&self, level: Option<usize>) -> Option<usize> {
        let stack = &self.cx.stack;
        level.map(|level| stack[level]).or(stack.last().copied())
    }

    /// An event of this column is left where it is, or dropped.
    fn count(&self, column: usize, fate: Fate) {
        let level = self.rule(column).and_then(|(_, level)| level);
        self.table().event(self.owner(level), column, fate);
    }

    /// The handler, of this state and event, is the reason for what comes next.
    fn calls(&mut self, handler: usize, cause: Cause) {
        (self.cause, self.handler) = (cause, M::PLAN.handlers[handler].site);
    }

    /// The transition that the last handler has returned is made.
    fn went(&self, to: To) {
        self.table().transition(self.cause, to);
        self.note(|| {
            let name = |state: usize| M::PLAN.states[state];
            match to {
                To::Goto(state) => format!("goto {}", name(state as usize)),
                To::Push(state) => format!("push {}", name(state as usize)),
                To::Pop => format!("pop to {}", self.cx.state_name().unwrap_or_default()),
                To::Halt => "halt".to_owned(),
            }
        });
    }

    fn enter(&mut self, state: M::State) {
        let number = M::state_index(&state);
        self.table().entered(number);
        self.cx.stack.push(number);
        self.cx.held.unsettle();
        self.states.push(state);
    }

    async fn run_entry(&mut self) -> Result<Then<M>, Goes> {
        let top = self.states.len() - 1;
        let state = self.cx.stack[top];
        match M::PLAN.entries[state] {
            Some(handler) => {
                self.calls(handler, (Some(state), On::Entry));
                self.call((handler, Some(top)), None).await
            }
            None => Ok(Then::stay()),
        }
    }

    /// Leaves the state on top.
    async fn leave(&mut self) -> Goes {
        let top = self.states.len() - 1;
        let mut goes = Goes::Continue(());
        if let Some(handler) = M::PLAN.exits[self.cx.stack[top]] {
            match self.call((handler, Some(top)), None).await {
                Ok(Then(Next::Halt)) => {
                    self.calls(handler, (Some(self.cx.stack[top]), On::Exit));
                    self.went(To::Halt);
                    goes = Goes::Break(());
                }
                Err(Goes::Break(())) => goes = Goes::Break(()),
                Ok(_) | Err(Goes::Continue(())) => {}
            }
        }
        self.pop();
        goes
    }

    fn pop(&mut self) {
        self.states.pop();
        self.cx.stack.pop();
        self.cx.held.unsettle();
    }

    /// Notes what the last handler leads to, where it is.
    fn note(&self, text: impl FnOnce() -> String) {
        if let Some(text) = told(text) {
            engine::note(Operation::Transition, &text, self.handler);
        }
    }

    /// The consequence of a failure.
    fn fail(&mut self, failure: &Failure) -> Goes {
        match self.machine.failed(failure, &mut self.cx) {
            Outcome::Handled => Goes::Continue(()),
            Outcome::Halt => Goes::Break(()),
            Outcome::Fail => {
                let me = &self.cx.me.0;
                me.runtime.fail(&me.title(), failure, self.handler);
                Goes::Break(())
            }
        }
    }

    /// The end that the actor has come to by itself.
    pub(super) fn end(mut self) {
        self.close();
        self.table().halted();
        self.machine.halted(&mut self.cx);
        self.finish();
    }

    /// Nothing more comes in, and what is in is dropped.
    fn close(&mut self) {
        let me = self.cx.me.clone();
        for timer in self.cx.timers.drain(..) {
            timer.end();
        }
        let (arrived, was_idle) = me.0.inbox.close(self.site);
        let is_cut_short = me.0.runtime.has_stopped() || me.0.crashed.get();
        self.work.is_at_rest |= was_idle;
        for envelope in self.cx.held.drain().into_iter().chain(arrived) {
            let event = name_of::<M>(&envelope.letter);
            if !is_cut_short {
                let top = self.cx.stack.last().copied();
                self.table()
                    .event(top, column::<M>(&envelope.letter), Fate::Dropped);
            }
            if envelope.must_handle && !is_cut_short {
                (me.0.runtime).fail(&me.0.title(), &Failure::Dropped { event }, self.site);
            }
            me.0.runtime.note_dropped(event, me.0.id);
        }
    }

    fn finish(&mut self) {
        self.is_over = true;
        let me = &self.cx.me.0;
        drop(me.runtime.forget(me.id));
    }
}

/// However it ends: a panic, or the runtime's stop.
impl<M: Machine> Drop for Life<M> {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        // Hooks and events of others may panic, in a panic too.
        let closed = catch(|| self.close());
        let finished = catch(|| self.finish());
        if let Err(panic) = closed.and(finished)
            && !unwinds()
        {
            unwind(panic);
        }
    }
}

/// The rule of the states of this stack, from the top, for an event of this column, and the level of the one
/// that does.
fn rule<M: Machine>(stack: &[usize], column: usize) -> Option<(Rule, Option<usize>)> {
    let plan = M::PLAN;
    let of_row = |row: &[Rule]| match row[column] {
        Rule::None if column < plan.events.len() => row[plan.any()],
        rule => rule,
    };
    for (level, &state) in stack.iter().enumerate().rev() {
        match of_row(plan.rules[state]) {
            // A transition of a state is its own.
            Rule::Leave(_) if level + 1 < stack.len() => {}
            Rule::None => {}
            rule => return Some((rule, Some(level))),
        }
    }
    match of_row(plan.fallback) {
        Rule::None => None,
        rule => Some((rule, None)),
    }
}

/// The verdict of an actor in these states on an event of its inbox.
fn look<M: Machine>(stack: &[usize], envelope: &Envelope<M::Event>) -> Look {
    let Letter::Event(event) = &envelope.letter else {
        return Look::Take;
    };
    match rule::<M>(stack, M::event_index(event)) {
        Some((Rule::Defer, _)) => Look::Defer,
        Some((Rule::Ignore, _)) => Look::Drop,
        _ => Look::Take,
    }
}

/// Lets others go first, if there are any. Under the engine that is a step.
async fn give_way() {
    if engine::is_controlled() {
        engine::give_way(Operation::YieldNow);
        return;
    }
    let mut is_over = false;
    poll_fn(|cx| {
        if std::mem::replace(&mut is_over, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
