//! How actors end, and what becomes of what is sent to them.

use actors::Log;
use cct::actor::{Context, Halt, HaltEvent, Runtime, Status};
use std::sync::mpsc;
use std::time::Duration;

struct Job;
struct End;
struct Tick;

struct Mortal(Log);

#[cct::actor]
impl Mortal {
    #[on]
    fn job(&mut self, _: Job) {
        self.0.add("job");
    }

    #[on]
    fn end(&mut self, _: End) -> Halt {
        Halt
    }

    #[hook]
    fn halted(&mut self, _: &mut Context<Self>) {
        self.0.add("halted");
    }
}

#[test]
fn halt_comes_after_what_was_sent_before() {
    let log = Log::new();
    let runtime = Runtime::new();
    let mortal = runtime.create(Mortal(log.clone()));
    mortal.send(Job);
    mortal.halt();
    mortal.send(Job);
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "job halted");
    assert_eq!(mortal.status(), Status::Halted);
}

#[test]
fn events_left_in_the_inbox_are_dropped_and_told() {
    let log = Log::new();
    let runtime = Runtime::new();
    let dropped = log.clone();
    runtime.on_event_dropped(move |event, by| dropped.add(format!("dropped {event} by {by}")));
    let mortal = runtime.create(Mortal(log.clone()));
    mortal.send(End);
    mortal.send(Job);
    mortal.send(End);
    runtime.wait_until_idle().unwrap();
    let text = log.text();
    // They are dropped when it ends, or when they come.
    assert_eq!(text.matches("dropped Job by 0").count(), 1, "{text}");
    assert_eq!(text.matches("dropped End by 0").count(), 1, "{text}");
    assert_eq!(text.matches("halted").count(), 1, "{text}");
}

#[test]
fn an_event_to_an_ended_actor_is_dropped_and_told() {
    let log = Log::new();
    let runtime = Runtime::new();
    let dropped = log.clone();
    runtime.on_event_dropped(move |event, _| dropped.add(format!("dropped {event}")));
    let mortal = runtime.create(Mortal(log.clone()));
    mortal.halt();
    runtime.wait_until_idle().unwrap();
    mortal.send(Job);
    assert!(mortal.try_send(Job).is_err());
    mortal.halt();
    assert_eq!(log.text(), "halted dropped Job dropped HaltEvent");
    runtime.wait_until_idle().unwrap();
}

/// Handles the end.
struct Undying(Log);

#[cct::actor]
impl Undying {
    #[on]
    fn asked_to_end(&mut self, _: HaltEvent) {
        self.0.add("no");
    }

    #[on]
    fn job(&mut self, _: Job) {
        self.0.add("job");
    }

    #[on]
    fn end(&mut self, _: End) -> Halt {
        self.0.add("end");
        Halt
    }
}

#[test]
fn a_halt_event_that_is_handled_ends_nothing() {
    let log = Log::new();
    let runtime = Runtime::new();
    let undying = runtime.create(Undying(log.clone()));
    undying.halt();
    undying.send(Job);
    undying.send(End);
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "no job end");
}

/// Handles the end in one state; in the other it is the end.
struct Partly(Log);
struct Safe;
struct Exposed;

#[cct::machine(start = Safe)]
impl Partly {
    #[on]
    fn go(&mut self, _: &mut Safe, _: HaltEvent) -> Exposed {
        self.0.add("go");
        Exposed
    }

    #[exit(Exposed)]
    fn never(&mut self) {
        self.0.add("never");
    }
}

#[test]
fn a_halt_event_is_handled_by_state() {
    let log = Log::new();
    let runtime = Runtime::new();
    let partly = runtime.create(Partly(log.clone()));
    partly.halt();
    partly.halt();
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "go");
    assert_eq!(partly.status(), Status::Halted);
}

#[test]
fn a_name_is_taken_until_its_actor_has_ended() {
    let runtime = Runtime::new();
    let log = Log::new();
    let first = runtime.create_named("clerk", Mortal(log.clone())).unwrap();
    assert_eq!(first.name(), Some("clerk"));
    assert_eq!(runtime.find::<Mortal>("clerk"), Some(first.clone()));
    assert!(runtime.find::<Undying>("clerk").is_none());
    let taken = runtime
        .create_named("clerk", Mortal(log.clone()))
        .unwrap_err();
    assert_eq!(taken.to_string(), "there is an actor called `clerk`");
    first.halt();
    runtime.wait_until_idle().unwrap();
    assert!(runtime.find::<Mortal>("clerk").is_none());
    let second = runtime.create_named("clerk", Mortal(log)).unwrap();
    assert_ne!(first, second);
    second.halt();
    runtime.wait_until_idle().unwrap();
}

#[test]
fn on_actor_halted_the_name_is_free() {
    let runtime = Runtime::new();
    let (sender, receiver) = mpsc::channel();
    let inner = runtime.clone();
    runtime.on_actor_halted(move |id| {
        sender
            .send((id, inner.find::<Mortal>("clerk").is_none()))
            .unwrap();
    });
    let clerk = runtime.create_named("clerk", Mortal(Log::new())).unwrap();
    clerk.halt();
    runtime.wait_until_idle().unwrap();
    assert_eq!(receiver.recv(), Ok((clerk.id(), true)));
}

/// Starts timers and ends.
struct Timed(Log);

#[cct::actor]
impl Timed {
    #[on]
    fn job(&mut self, _: Job, cx: &mut Context<Self>) {
        let period = Duration::from_millis(1);
        cx.start_timer(Duration::from_secs(3600), Tick);
        cx.start_periodic_timer(period, period, Many);
        self.0.add("started");
    }

    #[on]
    fn tick(&mut self, _: Tick) {
        self.0.add("tick");
    }

    #[on]
    fn many(&mut self, _: Many) -> Halt {
        Halt
    }
}

#[derive(Clone)]
struct Many;

#[test]
fn timers_end_with_their_actor() {
    let log = Log::new();
    let runtime = Runtime::new();
    let timed = runtime.create(Timed(log.clone()));
    timed.send(Job);
    timed.halt();
    // It does not wait for an hour, unless time leaps.
    runtime.wait_until_idle().unwrap();
    assert!(["started", "started tick"].contains(&log.text().as_str()));
    assert_eq!(runtime.count(), 0);
}
