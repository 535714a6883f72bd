//! The results that handlers may have, and machines with parameters.

use actors::Log;
use cct::actor::{Context, Goto, Halt, Machine, Pop, Push, Raise, Reply, Runtime, Status, Then};
use std::fmt::Debug;

struct Go(bool);
struct Name(Reply<String>);
struct Try(Result<bool, String>);
struct Next;
struct Over;

struct A;
struct B;
struct C;

struct Shapes;

#[cct::machine(start = A)]
impl Shapes {
    #[on]
    fn option_state(&mut self, _: &mut A, Go(goes): Go) -> Option<B> {
        goes.then_some(B)
    }

    #[on]
    fn option_goto(&mut self, _: &mut B, Go(goes): Go) -> Option<Goto<C>> {
        goes.then_some(Goto(C))
    }

    #[on]
    fn option_push(&mut self, _: &mut C, Go(goes): Go) -> Option<Push<A>> {
        goes.then_some(Push(A))
    }

    #[on]
    fn result(&mut self, _: &mut A, Try(value): Try) -> Result<Option<B>, String> {
        Ok(value?.then_some(B))
    }

    #[on]
    fn result_pop(&mut self, _: &mut B, Try(value): Try) -> Result<Option<Pop>, String> {
        Ok(value?.then_some(Pop))
    }

    #[on]
    async fn boxed(
        &mut self,
        _: &mut A,
        _: Next,
    ) -> Result<Goto<C>, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Goto(C))
    }

    #[on]
    async fn raise(&mut self, _: &mut C, _: Next) -> Then<Self> {
        Then::raise(Over)
    }

    #[on]
    fn over(&mut self, _: Over) -> Result<Halt, std::fmt::Error> {
        Ok(Halt)
    }

    #[on]
    fn name(&mut self, Name(reply): Name, cx: &mut Context<Self>) {
        let _ = reply.send(cx.state_name().unwrap().to_owned());
    }
}

#[test]
fn an_option_leads_somewhere_or_stays() {
    let runtime = Runtime::new();
    let shapes = runtime.create(Shapes);
    for (goes, expected) in [
        (false, "A"),
        (true, "B"),
        (false, "B"),
        (true, "C"),
        (false, "C"),
        (true, "A"),
    ] {
        shapes.send(Go(goes));
        assert_eq!(shapes.ask(Name).wait().unwrap(), expected);
    }
    runtime.stop();
}

#[test]
fn a_result_leads_somewhere() {
    let runtime = Runtime::new();
    let shapes = runtime.create(Shapes);
    shapes.send(Try(Ok(false)));
    assert_eq!(shapes.ask(Name).wait().unwrap(), "A");
    shapes.send(Try(Ok(true)));
    assert_eq!(shapes.ask(Name).wait().unwrap(), "B");
    shapes.send(Try(Ok(false)));
    assert_eq!(shapes.ask(Name).wait().unwrap(), "B");
    runtime.stop();
}

#[test]
fn async_handlers_lead_somewhere_too() {
    let runtime = Runtime::new();
    let shapes = runtime.create(Shapes);
    shapes.send(Next);
    assert_eq!(shapes.ask(Name).wait().unwrap(), "C");
    shapes.send(Next);
    runtime.wait_until_idle().unwrap();
    assert_eq!(shapes.status(), Status::Halted);
}

#[test]
fn a_transition_is_a_plain_value() {
    let then: Then<Shapes> = Then::goto(B);
    assert_eq!(format!("{then:?}"), "goto");
    assert_eq!(Goto(1), Goto(1));
    let _ = (Raise(Over).0, Pop, Halt);
}

struct Put<T>(T);
struct Take<T>(Reply<T>);

struct Empty;
struct Full<T>(T);

/// A place for one value.
struct Cell<T>(std::marker::PhantomData<T>);

#[cct::machine(start = Empty)]
#[defer(Empty: Take<T>)]
#[defer(Full<T>: Put<T>)]
impl<T: Clone + Debug + Send + Sync + 'static> Cell<T> {
    #[on]
    fn put(&mut self, _: &mut Empty, Put(value): Put<T>) -> Full<T> {
        Full(value)
    }

    #[on]
    fn take(&mut self, full: &mut Full<T>, Take(reply): Take<T>) -> Empty {
        let _ = reply.send(full.0.clone());
        Empty
    }
}

#[test]
fn a_machine_may_be_generic() {
    let runtime = Runtime::new();
    let cell = runtime.create(Cell::<String>(std::marker::PhantomData));
    let first = cell.ask(Take);
    let second = cell.ask(Take);
    cell.send(Put("one".to_owned()));
    cell.send(Put("two".to_owned()));
    assert_eq!(first.wait().as_deref(), Some("one"));
    assert_eq!(second.wait().as_deref(), Some("two"));
    runtime.stop();
}

/// An actor for whatever can be counted.
struct Tally<T: Send + 'static, const N: usize>(Vec<T>, Log);

#[cct::actor]
impl<T: Send + Debug + 'static, const N: usize> Tally<T, N> {
    #[on]
    fn put(&mut self, Put(value): Put<T>) -> Option<Halt> {
        self.0.push(value);
        self.1.add(format!("{:?}", self.0.last()));
        (self.0.len() == N).then_some(Halt)
    }
}

#[test]
fn an_actor_may_be_generic() {
    fn feed<M: Machine + cct::actor::Accepts<Put<u8>>>(to: &cct::actor::ActorRef<M>) {
        for number in 0..3 {
            to.send(Put(number));
        }
    }
    let log = Log::new();
    let runtime = Runtime::new();
    let tally = runtime.create(Tally::<u8, 2>(Vec::new(), log.clone()));
    feed(&tally);
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "Some(0) Some(1)");
}
