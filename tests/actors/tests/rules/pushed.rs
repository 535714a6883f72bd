//! Rules of states that are pushed on top of others.

use actors::Log;
use cct::actor::{Context, Goto, Pop, Push, Reply, Runtime};

struct Up;
struct Down;
struct Work;
struct Noise;
struct Later;
struct Away;
struct Sum(Reply<u32>);
struct Anything;

struct Base {
    total: u32,
}
struct Upper;
struct Elsewhere;

struct Stack(Log);

#[cct::machine(start = Base { total: 0 })]
#[ignore(Base: Noise)]
#[defer(Base: Later)]
#[ignore(Elsewhere: Up, Down, Noise)]
impl Stack {
    #[on]
    fn up(&mut self, _: &mut Base, _: Up) -> Push<Upper> {
        self.0.add("up");
        Push(Upper)
    }

    #[on]
    fn down(&mut self, _: &mut Upper, _: Down) -> Pop {
        self.0.add("down");
        Pop
    }

    #[on]
    fn work(&mut self, base: &mut Base, _: Work) {
        base.total += 1;
        self.0.add(format!("work{}", base.total));
    }

    #[on]
    fn sum(&mut self, base: &mut Base, Sum(reply): Sum) {
        let _ = reply.send(base.total);
    }

    #[on]
    fn away(&mut self, _: &mut Base, _: Away) -> Goto<Elsewhere> {
        self.0.add("away");
        Goto(Elsewhere)
    }

    #[on]
    fn later(&mut self, _: &mut Elsewhere, _: Later) {
        self.0.add("later");
    }

    #[exit(Base, Upper)]
    fn left(&mut self, cx: &mut Context<Self>) {
        self.0.add(format!("-{}", cx.state_name().unwrap()));
    }
}

#[test]
fn a_pushed_state_inherits_do_handlers_and_data_stays() {
    let log = Log::new();
    let runtime = Runtime::new();
    let stack = runtime.create(Stack(log.clone()));
    stack.send(Work);
    stack.send(Up);
    stack.send(Work);
    stack.send(Down);
    stack.send(Work);
    assert_eq!(stack.ask(Sum).wait(), Some(3));
    assert_eq!(log.text(), "work1 up work2 down -Upper work3");
    runtime.stop();
}

#[test]
fn a_pushed_state_inherits_ignore_and_defer() {
    let log = Log::new();
    let runtime = Runtime::new();
    let stack = runtime.create(Stack(log.clone()));
    stack.send(Up);
    stack.send(Noise);
    stack.send(Later);
    stack.send(Work);
    stack.send(Down);
    stack.send(Away);
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "up work1 down -Upper away -Base later");
    runtime.stop();
}

#[test]
fn a_pushed_state_inherits_no_transitions_and_is_popped_for_them() {
    let log = Log::new();
    let runtime = Runtime::new();
    let stack = runtime.create(Stack(log.clone()));
    stack.send(Up);
    stack.send(Away);
    runtime.wait_until_idle().unwrap();
    // The state on top is left, and the one below handles the event.
    assert_eq!(log.text(), "up -Upper away -Base");
    runtime.stop();
}

struct Bottom;
struct Specific;
struct Wild;
struct Start(&'static str);

/// Wildcards and specific handlers, at different heights.
struct Wildcards(Log);

#[cct::machine(start = Bottom)]
impl Wildcards {
    #[on]
    fn start(&mut self, _: &mut Bottom, Start(which): Start) -> cct::actor::Then<Self> {
        if which == "specific" {
            cct::actor::Then::push(Specific)
        } else {
            cct::actor::Then::push(Wild)
        }
    }

    #[on]
    fn bottom_work(&mut self, _: &mut Bottom, _: Work) {
        self.0.add("bottom work");
    }

    #[on]
    fn bottom_any(&mut self, _: &mut Bottom, _: WildcardsEvent) {
        self.0.add("bottom any");
    }

    #[on]
    fn specific(&mut self, _: &mut Specific, _: Work) {
        self.0.add("specific work");
    }

    #[on]
    fn wild(&mut self, _: &mut Wild, event: WildcardsEvent) {
        self.0.add(match event {
            WildcardsEvent::Work(_) => "wild work",
            _ => "wild other",
        });
    }

    #[on]
    fn anything(&mut self, _: Anything) {
        self.0.add("class");
    }
}

#[test]
fn a_wildcard_loses_to_a_specific_handler_of_its_state() {
    let log = Log::new();
    let runtime = Runtime::new();
    let machine = runtime.create(Wildcards(log.clone()));
    machine.send(Work);
    machine.send(Anything);
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "bottom work bottom any");
    runtime.stop();
}

#[test]
fn a_wildcard_wins_over_specific_handlers_of_lower_states() {
    let log = Log::new();
    let runtime = Runtime::new();
    let machine = runtime.create(Wildcards(log.clone()));
    machine.send(Start("wild"));
    machine.send(Work);
    machine.send(Anything);
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "wild work wild other");
    runtime.stop();
}

#[test]
fn a_specific_handler_on_top_wins_over_a_wildcard_below() {
    let log = Log::new();
    let runtime = Runtime::new();
    let machine = runtime.create(Wildcards(log.clone()));
    machine.send(Start("specific"));
    machine.send(Work);
    machine.send(Anything);
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "specific work bottom any");
    runtime.stop();
}

struct Plain;
struct Rich;
struct Toggle;

/// Handlers of the whole machine.
struct Classes(Log);

#[cct::machine(start = Plain)]
impl Classes {
    #[on]
    fn fallback(&mut self, _: Work) {
        self.0.add("class");
    }

    #[on]
    fn own(&mut self, _: &mut Rich, _: Work) {
        self.0.add("own");
    }

    #[on]
    fn toggle(&mut self, _: Toggle) -> Goto<Rich> {
        Goto(Rich)
    }

    #[on]
    fn any(&mut self, _: ClassesEvent) {
        self.0.add("any");
    }

    #[on]
    fn up(&mut self, _: &mut Plain, _: Up) {}

    #[on]
    fn up_rich(&mut self, _: &mut Rich, _: Up) -> Push<Plain> {
        Push(Plain)
    }

    #[on]
    fn noise(&mut self, _: &mut Rich, _: Noise) {}
}

#[test]
fn handlers_of_the_machine_are_the_last_fallback() {
    let log = Log::new();
    let runtime = Runtime::new();
    let machine = runtime.create(Classes(log.clone()));
    machine.send(Work);
    machine.send(Toggle);
    machine.send(Work);
    machine.send(Up);
    machine.send(Work);
    runtime.wait_until_idle().unwrap();
    // In the pushed state the one below has a rule, which comes first.
    assert_eq!(log.text(), "class own own");
    runtime.stop();
}

#[test]
fn a_wildcard_of_the_machine_takes_what_nobody_does() {
    let log = Log::new();
    let runtime = Runtime::new();
    let machine = runtime.create(Classes(log.clone()));
    machine.send(Noise);
    machine.halt();
    runtime.wait_until_idle().unwrap();
    // The end is no event of the wildcard's.
    assert_eq!(log.text(), "any");
    assert_eq!(machine.status(), cct::actor::Status::Halted);
}
