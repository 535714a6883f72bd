//! Unhandled events, errors and panics, and what comes of them.

use actors::Log;
use cct::actor::{Context, Failure, Goto, Outcome, Pop, Push, Runtime, Status};

struct Job;
struct Bad;
struct Up;
struct Error(&'static str);
struct Panic;

struct Low;
struct High;

struct Fragile {
    log: Log,
    outcome: Outcome,
}

#[cct::machine(start = Low, events(Bad))]
impl Fragile {
    #[on]
    fn up(&mut self, _: &mut Low, _: Up) -> Push<High> {
        Push(High)
    }

    #[on]
    fn down(&mut self, _: &mut High, _: Job) -> Pop {
        Pop
    }

    #[on]
    fn job(&mut self, _: &mut Low, _: Job) {
        self.log.add("job");
    }

    #[on]
    fn error(&mut self, Error(text): Error) -> Result<(), &'static str> {
        Err(text)
    }

    #[on]
    fn panic(&mut self, _: Panic) {
        panic!("as it was told");
    }

    #[exit(Low, High)]
    fn left(&mut self, cx: &mut Context<Self>) {
        self.log.add(format!("-{}", cx.state_name().unwrap()));
    }

    #[hook]
    fn event_unhandled(&mut self, event: &FragileEvent, cx: &mut Context<Self>) {
        assert!(matches!(event, FragileEvent::Bad(_)));
        assert_eq!(cx.state_name(), None);
        self.log.add("unhandled");
    }

    #[hook]
    fn failed(&mut self, failure: &Failure, _: &mut Context<Self>) -> Outcome {
        self.log.add(failure.to_string());
        self.outcome
    }

    #[hook]
    fn halted(&mut self, _: &mut Context<Self>) {
        self.log.add("halted");
    }
}

fn fragile(runtime: &Runtime, log: &Log, outcome: Outcome) -> cct::actor::ActorRef<Fragile> {
    let log = log.clone();
    runtime.create(Fragile { log, outcome })
}

#[test]
fn an_unhandled_event_leaves_all_states_and_is_told() {
    let log = Log::new();
    let runtime = Runtime::new();
    let fragile = fragile(&runtime, &log, Outcome::Halt);
    fragile.send(Up);
    fragile.send(Bad);
    fragile.send(Job);
    runtime.wait_until_idle().unwrap();
    let failure = "it got the event `Bad` in the state `High`, which cannot handle it";
    assert_eq!(log.text(), format!("-High -Low unhandled {failure} halted"));
    assert_eq!(fragile.status(), Status::Halted);
}

#[test]
fn a_machine_in_no_state_ends_even_if_the_failure_is_handled() {
    let log = Log::new();
    let runtime = Runtime::new();
    let fragile = fragile(&runtime, &log, Outcome::Handled);
    fragile.send(Bad);
    fragile.send(Job);
    runtime.wait_until_idle().unwrap();
    let failure = "it got the event `Bad` in the state `Low`, which cannot handle it";
    assert_eq!(log.text(), format!("-Low unhandled {failure} halted"));
}

#[test]
#[should_panic(expected = "it got the event `Bad` in the state `Low`, which cannot handle it")]
fn an_unhandled_event_is_a_failure() {
    let runtime = Runtime::new();
    fragile(&runtime, &Log::new(), Outcome::Fail).send(Bad);
    runtime.wait_until_idle().unwrap();
}

#[test]
#[should_panic(expected = "a handler returned an error: no luck")]
fn an_error_is_a_failure() {
    let runtime = Runtime::new();
    fragile(&runtime, &Log::new(), Outcome::Fail).send(Error("no luck"));
    runtime.wait_until_idle().unwrap();
}

#[test]
fn after_an_error_that_is_handled_the_actor_goes_on() {
    let log = Log::new();
    let runtime = Runtime::new();
    let fragile = fragile(&runtime, &log, Outcome::Handled);
    fragile.send(Error("bad"));
    fragile.send(Job);
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "a handler returned an error: bad job");
    runtime.stop();
}

#[test]
fn an_error_may_end_the_actor() {
    let log = Log::new();
    let runtime = Runtime::new();
    let fragile = fragile(&runtime, &log, Outcome::Halt);
    fragile.send(Error("bad"));
    fragile.send(Job);
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "a handler returned an error: bad halted");
    assert_eq!(fragile.status(), Status::Halted);
}

#[test]
#[should_panic(expected = "as it was told")]
fn a_panic_is_a_failure_whatever_the_hook_says() {
    let runtime = Runtime::new();
    fragile(&runtime, &Log::new(), Outcome::Handled).send(Panic);
    runtime.wait_until_idle().unwrap();
}

struct Plain;

#[cct::actor(events(Bad))]
impl Plain {
    #[on]
    fn job(&mut self, _: Job) {}
}

#[test]
#[should_panic(expected = "it got the event `Bad`, which it cannot handle")]
fn an_actor_without_states_fails_as_well() {
    let runtime = Runtime::new();
    runtime.create(Plain).send(Bad);
    runtime.wait_until_idle().unwrap();
}

struct Careless(Log);

#[cct::actor(events(Bad))]
impl Careless {
    #[on]
    fn job(&mut self, _: Job) {
        self.0.add("job");
    }

    #[hook]
    fn failed(&mut self, _: &Failure, _: &mut Context<Self>) -> Outcome {
        Outcome::Handled
    }
}

#[test]
fn an_actor_without_states_may_go_on_after_an_unhandled_event() {
    let log = Log::new();
    let runtime = Runtime::new();
    let careless = runtime.create(Careless(log.clone()));
    careless.send(Bad);
    careless.send(Job);
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "job");
    runtime.stop();
}

struct Exits(Log);
struct In;
struct Out;

#[cct::machine(start = In)]
impl Exits {
    #[on]
    fn go(&mut self, _: &mut In, _: Job) -> Goto<Out> {
        Goto(Out)
    }

    #[exit]
    fn leave(&mut self, _: &mut In) -> Result<(), String> {
        Err("in the exit".to_owned())
    }

    #[entry]
    fn enter(&mut self, _: &mut Out) -> Result<(), String> {
        self.0.add("entered");
        Err("in the entry".to_owned())
    }

    #[hook]
    fn failed(&mut self, failure: &Failure, _: &mut Context<Self>) -> Outcome {
        self.0.add(failure.to_string());
        Outcome::Handled
    }
}

#[test]
fn errors_of_exits_and_entries_are_failures_too() {
    let log = Log::new();
    let runtime = Runtime::new();
    runtime.create(Exits(log.clone())).send(Job);
    runtime.wait_until_idle().unwrap();
    let expected = "a handler returned an error: in the exit entered \
                    a handler returned an error: in the entry";
    assert_eq!(log.text(), expected);
    runtime.stop();
}
