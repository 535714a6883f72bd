//! Goto, push, pop, raise and halt, and what runs when.

use actors::Log;
use cct::actor::{Context, Goto, Halt, Pop, Push, Raise, Runtime, Status, Then};

struct A(Log);
struct B(Log);
struct ToB;
struct PushB;
struct Back;
struct Again;
struct Raised;
struct Queued;
struct End;

struct Walker(Log);

#[cct::machine(start = A(self.0.clone()))]
impl Walker {
    #[entry]
    fn enter_a(&mut self, a: &mut A) {
        a.0.add("+A");
    }

    #[exit]
    fn leave_a(&mut self, a: &mut A) {
        a.0.add("-A");
    }

    #[entry]
    fn enter_b(&mut self, b: &mut B) {
        b.0.add("+B");
    }

    #[exit]
    fn leave_b(&mut self, b: &mut B) {
        b.0.add("-B");
    }

    #[on]
    fn to_b(&mut self, _: &mut A, _: ToB) -> B {
        self.0.add("to_b");
        B(self.0.clone())
    }

    #[on]
    fn push_b(&mut self, _: &mut A, _: PushB) -> Push<B> {
        self.0.add("push_b");
        Push(B(self.0.clone()))
    }

    #[on]
    fn again(&mut self, _: &mut A, _: Again) -> Goto<A> {
        self.0.add("again");
        Goto(A(self.0.clone()))
    }

    #[on]
    fn back(&mut self, _: &mut B, _: Back) -> Pop {
        self.0.add("back");
        Pop
    }

    #[on]
    fn raise(&mut self, _: Raised, cx: &mut Context<Self>) -> Raise<Queued> {
        cx.send(&cx.me().clone(), End);
        self.0.add("raise");
        Raise(Queued)
    }

    #[on]
    fn queued(&mut self, _: Queued) {
        self.0.add("queued");
    }

    #[on]
    fn end(&mut self, _: End) -> Halt {
        self.0.add("end");
        Halt
    }

    #[hook]
    fn halted(&mut self, _: &mut Context<Self>) {
        self.0.add("halted");
    }
}

#[test]
fn a_goto_leaves_one_state_and_enters_another() {
    let log = Log::new();
    let runtime = Runtime::new();
    runtime.create(Walker(log.clone())).send(ToB);
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "+A to_b -A +B");
    runtime.stop();
}

#[test]
fn a_goto_to_the_same_state_leaves_and_enters_it() {
    let log = Log::new();
    let runtime = Runtime::new();
    runtime.create(Walker(log.clone())).send(Again);
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "+A again -A +A");
    runtime.stop();
}

#[test]
fn a_push_enters_a_state_and_leaves_none_and_a_pop_is_its_end() {
    let log = Log::new();
    let runtime = Runtime::new();
    let walker = runtime.create(Walker(log.clone()));
    walker.send(PushB);
    walker.send(Back);
    walker.send(ToB);
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "+A push_b +B back -B to_b -A +B");
    runtime.stop();
}

#[test]
fn a_raised_event_comes_before_queued_ones() {
    let log = Log::new();
    let runtime = Runtime::new();
    let walker = runtime.create(Walker(log.clone()));
    walker.send(Raised);
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "+A raise queued end halted");
    assert_eq!(walker.status(), Status::Halted);
}

#[test]
fn a_halt_runs_no_exit() {
    let log = Log::new();
    let runtime = Runtime::new();
    let walker = runtime.create(Walker(log.clone()));
    walker.send(PushB);
    walker.send(End);
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "+A push_b +B end halted");
}

struct First;
struct Second;
struct Third;
struct Go;
struct Note(&'static str);

struct Chain(Log);

#[cct::machine(start = First)]
impl Chain {
    #[entry]
    fn first(&mut self, _: &mut First) -> Second {
        self.0.add("first");
        Second
    }

    #[entry]
    fn second(&mut self, _: &mut Second) -> Raise<Note> {
        self.0.add("second");
        Raise(Note("raised"))
    }

    #[on]
    fn note(&mut self, _: &mut Second, Note(text): Note) -> Then<Self> {
        self.0.add(text);
        if text == "raised" {
            Then::push(Third)
        } else {
            Then::stay()
        }
    }

    #[entry]
    fn third(&mut self, _: &mut Third) -> Pop {
        self.0.add("third");
        Pop
    }

    #[exit(Second)]
    fn left(&mut self) {
        self.0.add("left");
    }

    #[on]
    fn go(&mut self, _: &mut Second, _: Go) -> Halt {
        Halt
    }
}

#[test]
fn entries_may_go_on_at_once() {
    let log = Log::new();
    let runtime = Runtime::new();
    let chain = runtime.create(Chain(log.clone()));
    chain.send(Note("queued"));
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "first second raised third queued");
    runtime.stop();
}

/// An exit that ends the actor.
struct Leaver(Log);
struct Open;
struct Closed;

#[cct::machine(start = Open)]
impl Leaver {
    #[on]
    fn go(&mut self, _: &mut Open, _: Go) -> Closed {
        self.0.add("go");
        Closed
    }

    #[exit]
    fn leave(&mut self, _: &mut Open) -> Halt {
        self.0.add("leave");
        Halt
    }

    #[entry(Closed)]
    fn never(&mut self) {
        self.0.add("never");
    }

    #[hook]
    fn halted(&mut self, _: &mut Context<Self>) {
        self.0.add("halted");
    }
}

#[test]
fn an_exit_may_halt_and_no_state_is_entered_then() {
    let log = Log::new();
    let runtime = Runtime::new();
    let leaver = runtime.create(Leaver(log.clone()));
    leaver.send(Go);
    leaver.send(Go);
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "go leave halted");
    assert_eq!(leaver.status(), Status::Halted);
}

struct Only;
struct Popper;

#[cct::machine(start = Only)]
impl Popper {
    #[on]
    fn go(&mut self, _: &mut Only, _: Go) -> Pop {
        Pop
    }
}

#[test]
#[should_panic(expected = "popped the state that it began with")]
fn to_pop_the_first_state_is_a_failure() {
    let runtime = Runtime::new();
    runtime.create(Popper).send(Go);
    runtime.wait_until_idle().unwrap();
}

/// Raises on and on, before it takes an event of its inbox.
struct Counter(Log);
struct Down(u32);

#[cct::actor]
impl Counter {
    #[on]
    fn down(&mut self, Down(left): Down) -> Option<Raise<Down>> {
        self.0.add(left.to_string());
        left.checked_sub(1).map(|left| Raise(Down(left)))
    }

    #[on]
    fn go(&mut self, _: Go) {
        self.0.add("go");
    }
}

#[test]
fn raised_events_may_raise_others() {
    let log = Log::new();
    let runtime = Runtime::new();
    let counter = runtime.create(Counter(log.clone()));
    counter.send(Down(3));
    counter.send(Go);
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "3 2 1 0 go");
    runtime.stop();
}

/// A handler below a pushed state leads away from the state on top.
struct Tower(Log);
struct Low;
struct High;
struct Other;

#[cct::machine(start = Low)]
impl Tower {
    #[on]
    fn begin(&mut self, _: &mut Low, _: ToB) -> Push<High> {
        Push(High)
    }

    #[on]
    fn go(&mut self, _: &mut Low, _: Go) -> Then<Self> {
        self.0.add("go");
        Then::goto(Other)
    }

    #[exit(Low, High)]
    fn left(&mut self, cx: &mut Context<Self>) {
        self.0.add(format!("-{}", cx.state_name().unwrap()));
    }

    #[entry(Low, High, Other)]
    fn entered(&mut self, cx: &mut Context<Self>) {
        self.0.add(format!("+{}", cx.state_name().unwrap()));
    }

    #[on]
    fn back(&mut self, _: &mut Other, _: Back) -> Pop {
        Pop
    }
}

#[test]
fn a_goto_of_a_lower_state_replaces_the_one_on_top() {
    let log = Log::new();
    let runtime = Runtime::new();
    let tower = runtime.create(Tower(log.clone()));
    tower.send(ToB);
    tower.send(Go);
    tower.send(Back);
    tower.send(ToB);
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "+Low +High go -High +Other +High");
    runtime.stop();
}
