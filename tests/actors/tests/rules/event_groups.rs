//! Event groups, which flow with events.

use actors::Log;
use cct::actor::{
    ActorRef, AwaitableGroup, Context, DefaultEvent, EventGroup, Goto, Halt, Raise, Runtime,
    SendOptions,
};

struct Job;
struct Pass;
struct Raised;
struct Wanted;
struct Silent;
struct Create;
struct Move;

/// Notes the group of what it gets.
struct Noter(Log);

#[cct::actor]
impl Noter {
    #[on]
    fn job(&mut self, _: Job, cx: &mut Context<Self>) {
        self.0.add(name(cx));
    }
}

fn name<M: cct::actor::Machine>(cx: &Context<M>) -> String {
    let name = cx.group().map(|group| group.name().unwrap_or("unnamed"));
    name.unwrap_or("none").to_owned()
}

struct Quiet;
struct Loud;

struct Passer {
    log: Log,
    noter: ActorRef<Noter>,
}

#[cct::machine(start = Quiet, events(Wanted))]
impl Passer {
    #[on]
    fn pass(&mut self, _: Pass, cx: &mut Context<Self>) {
        cx.send(&self.noter, Job);
    }

    #[on]
    fn silent(&mut self, _: Silent, cx: &mut Context<Self>) {
        cx.set_group(None);
        cx.send(&self.noter, Job);
        cx.set_group(Some(EventGroup::named("other")));
        cx.send(&self.noter, Job);
        cx.send_with(
            &self.noter,
            Job,
            SendOptions::new().in_group(EventGroup::named("own")),
        );
    }

    #[on]
    fn create(&mut self, _: Create, cx: &mut Context<Self>) {
        cx.create(Child(self.log.clone()));
    }

    #[on]
    fn raise(&mut self, _: Raised) -> Raise<Pass> {
        Raise(Pass)
    }

    #[on]
    fn go(&mut self, _: &mut Quiet, _: Move) -> Goto<Loud> {
        Goto(Loud)
    }

    #[entry]
    fn loud(&mut self, _: &mut Loud, cx: &mut Context<Self>) {
        cx.send(&self.noter, Job);
    }

    #[on]
    async fn receive(&mut self, _: Job, cx: &mut Context<Self>) {
        self.log.add(name(cx));
        let _: Wanted = cx.receive().await;
        self.log.add(name(cx));
    }
}

struct Child(Log);
struct Born;

#[cct::machine(start = Born)]
impl Child {
    #[entry]
    fn born(&mut self, _: &mut Born, cx: &mut Context<Self>) -> Halt {
        self.0.add(format!("born in {}", name(cx)));
        Halt
    }
}

fn passer(runtime: &Runtime, log: &Log) -> ActorRef<Passer> {
    let noter = runtime.create(Noter(log.clone()));
    runtime.create(Passer {
        log: log.clone(),
        noter,
    })
}

fn in_group(name: &str) -> SendOptions {
    SendOptions::new().in_group(EventGroup::named(name))
}

#[test]
fn a_group_flows_through_sends() {
    let log = Log::new();
    let runtime = Runtime::new();
    let passer = passer(&runtime, &log);
    passer.send_with(Pass, in_group("g"));
    passer.send(Pass);
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "g none");
    runtime.stop();
}

#[test]
fn a_group_flows_to_created_actors() {
    let log = Log::new();
    let runtime = Runtime::new();
    passer(&runtime, &log).send_with(Create, in_group("g"));
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "born in g");
    runtime.create_in(EventGroup::named("mine"), Child(log.clone()));
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "born in g born in mine");
    runtime.stop();
}

#[test]
fn a_group_flows_through_raised_events() {
    let log = Log::new();
    let runtime = Runtime::new();
    passer(&runtime, &log).send_with(Raised, in_group("g"));
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "g");
    runtime.stop();
}

#[test]
fn a_group_flows_to_the_entry_of_the_next_state() {
    let log = Log::new();
    let runtime = Runtime::new();
    passer(&runtime, &log).send_with(Move, in_group("g"));
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "g");
    runtime.stop();
}

#[test]
fn a_received_event_brings_its_group() {
    let log = Log::new();
    let runtime = Runtime::new();
    let passer = passer(&runtime, &log);
    passer.send_with(Job, in_group("g"));
    passer.send_with(Wanted, in_group("h"));
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "g h");
    runtime.stop();
}

#[test]
fn a_handler_may_stop_the_group_or_change_it() {
    let log = Log::new();
    let runtime = Runtime::new();
    passer(&runtime, &log).send_with(Silent, in_group("g"));
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "none other own");
    runtime.stop();
}

#[test]
fn groups_are_equal_to_themselves_alone() {
    let group = EventGroup::named("a");
    assert_eq!(group, group.clone());
    assert_ne!(group, EventGroup::named("a"));
    assert_eq!(group.set_result(1), Err(1));
}

/// Completes a group; or drops it.
struct Completer;
struct Complete(u32);
struct Drops;

#[cct::actor]
impl Completer {
    #[on]
    fn complete(&mut self, Complete(value): Complete, cx: &mut Context<Self>) {
        let group = cx.group().unwrap();
        assert_eq!(group.set_result("another type"), Err("another type"));
        assert_eq!(group.set_result(value), Ok(()));
        assert_eq!(group.set_result(value), Err(value));
    }

    #[on]
    fn drops(&mut self, _: Drops, cx: &mut Context<Self>) {
        assert!(cx.group().is_some());
    }
}

#[test]
fn an_awaitable_group_has_the_first_result() {
    let runtime = Runtime::new();
    let completer = runtime.create(Completer);
    let group = AwaitableGroup::<u32>::new();
    completer.send_with(Complete(3), SendOptions::new().in_group(group.group()));
    assert_eq!(group.wait(), Some(3));
    runtime.wait_until_idle().unwrap();
    runtime.stop();
}

/// Has something to do for ever, which belongs to no group.
struct Restless;

#[cct::actor]
impl Restless {
    #[on]
    fn drops(&mut self, _: Drops, cx: &mut Context<Self>) {
        assert!(cx.group().is_some());
    }

    #[on]
    fn goes_on(&mut self, _: DefaultEvent, cx: &mut Context<Self>) {
        assert!(cx.group().is_none());
    }
}

#[test]
fn a_default_event_is_of_no_group() {
    let runtime = Runtime::new();
    let restless = runtime.create(Restless);
    let group = AwaitableGroup::<u32>::new();
    restless.send_with(Drops, SendOptions::new().in_group(group.group()));
    assert_eq!(group.wait(), None);
    runtime.stop();
}

#[test]
fn an_awaitable_group_that_nobody_completes_has_none() {
    let runtime = Runtime::new();
    let completer = runtime.create(Completer);
    let group = AwaitableGroup::<u32>::new();
    completer.send_with(Drops, SendOptions::new().in_group(group.group()));
    assert_eq!(group.wait(), None);
    runtime.wait_until_idle().unwrap();
    runtime.stop();
}
