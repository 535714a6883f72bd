//! Handlers that wait for events.

use actors::Log;
use cct::actor::{Context, Goto, Halt, Runtime, Status};

struct Begin;
struct Value(u32);
struct Other;
struct Third;

struct Receiver(Log);
struct Idle;
struct Next;

#[cct::machine(start = Idle, events(Value, Other, Third))]
impl Receiver {
    #[on]
    async fn begin(&mut self, _: &mut Idle, _: Begin, cx: &mut Context<Self>) -> Goto<Next> {
        let Value(number) = cx.receive().await;
        self.0.add(format!("value{number}"));
        let Value(number) = cx.receive_if(|value: &Value| value.0 > 4).await;
        self.0.add(format!("big{number}"));
        let event = cx
            .receive_any(|event| matches!(event, ReceiverEvent::Other(_) | ReceiverEvent::Third(_)))
            .await;
        self.0.add(match event {
            ReceiverEvent::Other(_) => "other",
            ReceiverEvent::Third(_) => "third",
            _ => "wrong",
        });
        Goto(Next)
    }

    #[on]
    fn value(&mut self, _: &mut Next, Value(number): Value) {
        self.0.add(format!("next{number}"));
    }

    #[on]
    fn other(&mut self, _: &mut Next, _: Other) {
        self.0.add("next other");
    }

    #[on]
    fn third(&mut self, _: &mut Next, _: Third) {
        self.0.add("next third");
    }
}

#[test]
fn receive_takes_what_it_waits_for_and_leaves_the_rest() {
    let log = Log::new();
    let runtime = Runtime::new();
    let receiver = runtime.create(Receiver(log.clone()));
    receiver.send(Begin);
    receiver.send(Third);
    receiver.send(Value(1));
    receiver.send(Value(2));
    receiver.send(Value(7));
    receiver.send(Other);
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "value1 big7 third next2 next other");
    runtime.stop();
}

#[test]
fn receive_waits_for_what_comes_later() {
    let log = Log::new();
    let runtime = Runtime::new();
    let receiver = runtime.create(Receiver(log.clone()));
    receiver.send(Begin);
    assert_ne!(receiver.status(), Status::Halted);
    for value in 1..6 {
        receiver.send(Value(value));
    }
    receiver.send(Other);
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "value1 big5 other next2 next3 next4");
    runtime.stop();
}

/// A handler that waits lets no other handler run.
struct Strict(Log);

#[cct::actor]
impl Strict {
    #[on]
    async fn begin(&mut self, _: Begin, cx: &mut Context<Self>) {
        self.0.add("begin");
        let Value(_) = cx.receive().await;
        self.0.add("end");
    }

    #[on]
    fn other(&mut self, _: Other) -> Halt {
        self.0.add("other");
        Halt
    }

    #[on]
    fn never(&mut self, _: Value) {
        self.0.add("never");
    }
}

#[test]
fn no_other_handler_runs_while_one_waits() {
    let log = Log::new();
    let runtime = Runtime::new();
    let strict = runtime.create(Strict(log.clone()));
    strict.send(Begin);
    strict.send(Other);
    strict.send(Value(0));
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "begin end other");
}

#[test]
fn an_entry_may_wait_for_events() {
    struct Starter(Log);
    struct Start;

    #[cct::machine(start = Start, events(Value))]
    impl Starter {
        #[entry]
        async fn enter(&mut self, _: &mut Start, cx: &mut Context<Self>) -> Halt {
            let Value(number) = cx.receive().await;
            self.0.add(format!("value{number}"));
            Halt
        }
    }

    let log = Log::new();
    let runtime = Runtime::new();
    let starter = runtime.create(Starter(log.clone()));
    starter.send(Value(3));
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "value3");
}

/// Waits for what never comes.
struct Forever;

#[cct::actor(events(Third))]
impl Forever {
    #[on]
    async fn begin(&mut self, _: Begin, cx: &mut Context<Self>) {
        let _: Third = cx.receive().await;
    }
}

#[test]
fn stop_ends_a_handler_that_waits() {
    let runtime = Runtime::new();
    let forever = runtime.create(Forever);
    forever.send(Begin);
    runtime.stop();
    runtime.wait_until_idle().unwrap();
    assert_eq!(forever.status(), Status::Halted);
    assert_eq!(runtime.count(), 0);
}
