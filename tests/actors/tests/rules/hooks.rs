//! Hooks: when each is called.

use actors::Log;
use cct::actor::{Context, Goto, HaltEvent, Raise, Runtime};

struct Job;
struct Noise;
struct Later;
struct Move;
struct Raised;

struct Idle;
struct Next;

struct Observed(Log);

#[cct::machine(start = Idle)]
#[ignore(Idle: Noise)]
#[defer(Idle: Later)]
impl Observed {
    #[on]
    fn job(&mut self, _: &mut Idle, _: Job) {
        self.0.add("job");
    }

    #[on]
    fn go(&mut self, _: &mut Idle, _: Move) -> Goto<Next> {
        self.0.add("go");
        Goto(Next)
    }

    #[on]
    fn raise(&mut self, _: &mut Idle, _: Raised) -> Raise<Noise> {
        self.0.add("raise");
        Raise(Noise)
    }

    #[entry]
    fn next(&mut self, _: &mut Next) {
        self.0.add("+next");
    }

    #[on]
    fn later(&mut self, _: &mut Next, _: Later) {
        self.0.add("later");
    }

    #[on]
    fn end(&mut self, _: &mut Next, _: HaltEvent) -> cct::actor::Halt {
        self.0.add("end");
        cct::actor::Halt
    }

    #[hook]
    fn event_dequeued(&mut self, event: &ObservedEvent, _: &mut Context<Self>) {
        self.0.add(format!("dequeued:{}", name(event)));
    }

    #[hook]
    fn event_handled(&mut self, name: &'static str, cx: &mut Context<Self>) {
        self.0
            .add(format!("handled:{name}:{}", cx.state_name().unwrap()));
    }

    #[hook]
    fn event_ignored(&mut self, event: &ObservedEvent, _: &mut Context<Self>) {
        self.0.add(format!("ignored:{}", name(event)));
    }

    #[hook]
    fn event_deferred(&mut self, event: &ObservedEvent, _: &mut Context<Self>) {
        self.0.add(format!("deferred:{}", name(event)));
    }

    #[hook]
    fn halted(&mut self, _: &mut Context<Self>) {
        self.0.add("halted");
    }
}

fn name(event: &ObservedEvent) -> &'static str {
    match event {
        ObservedEvent::Job(_) => "Job",
        ObservedEvent::Noise(_) => "Noise",
        ObservedEvent::Later(_) => "Later",
        ObservedEvent::Move(_) => "Move",
        ObservedEvent::Raised(_) => "Raised",
    }
}

#[test]
fn hooks_stand_around_the_handler() {
    let log = Log::new();
    let runtime = Runtime::new();
    runtime.create(Observed(log.clone())).send(Move);
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "dequeued:Move go +next handled:Move:Next");
    runtime.stop();
}

#[test]
fn ignored_events_are_told_before_the_actor_rests() {
    let log = Log::new();
    let runtime = Runtime::new();
    runtime.create(Observed(log.clone())).send(Noise);
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "ignored:Noise");
    runtime.stop();
}

#[test]
fn deferred_events_are_told_once_and_before_the_actor_rests() {
    let log = Log::new();
    let runtime = Runtime::new();
    let observed = runtime.create(Observed(log.clone()));
    observed.send(Later);
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "deferred:Later");
    observed.send(Job);
    runtime.wait_until_idle().unwrap();
    observed.send(Move);
    runtime.wait_until_idle().unwrap();
    let expected = "deferred:Later dequeued:Job job handled:Job:Idle dequeued:Move go +next \
                    handled:Move:Next dequeued:Later later handled:Later:Next";
    assert_eq!(log.text(), expected);
    runtime.stop();
}

#[test]
fn a_raised_event_is_not_dequeued_and_may_be_ignored() {
    let log = Log::new();
    let runtime = Runtime::new();
    runtime.create(Observed(log.clone())).send(Raised);
    runtime.wait_until_idle().unwrap();
    assert_eq!(
        log.text(),
        "dequeued:Raised raise ignored:Noise handled:Raised:Idle"
    );
    runtime.stop();
}

#[test]
fn an_event_that_ends_the_actor_is_not_told_as_handled() {
    let log = Log::new();
    let runtime = Runtime::new();
    let observed = runtime.create(Observed(log.clone()));
    observed.send(Move);
    observed.halt();
    runtime.wait_until_idle().unwrap();
    assert_eq!(
        log.text(),
        "dequeued:Move go +next handled:Move:Next end halted"
    );
}
