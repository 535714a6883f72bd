//! Requests and their answers.

use cct::actor::{ActorRef, Answer, Context, Halt, Recipient, Reply, Runtime, reply};
use std::thread;

struct Get(Reply<u32>);
struct Lose(Reply<u32>);
struct End(#[expect(dead_code, reason = "it is dropped")] Reply<u32>);
struct Relay(Reply<u32>);
struct Keep(Reply<u32>);

struct Server {
    value: u32,
    kept: Option<Reply<u32>>,
}

#[cct::actor]
impl Server {
    #[on]
    fn get(&mut self, Get(reply): Get) {
        self.value += 1;
        let _ = reply.send(self.value);
    }

    #[on]
    fn lose(&mut self, Lose(reply): Lose) {
        drop(reply);
    }

    #[on]
    fn end(&mut self, _: End) -> Halt {
        Halt
    }

    #[on]
    fn keep(&mut self, Keep(reply): Keep) {
        self.kept = Some(reply);
    }
}

fn server(runtime: &Runtime) -> ActorRef<Server> {
    runtime.create(Server {
        value: 0,
        kept: None,
    })
}

#[test]
fn an_answer_is_waited_for_by_a_thread() {
    let runtime = Runtime::new();
    let server = server(&runtime);
    assert_eq!(server.ask(Get).wait(), Some(1));
    assert_eq!(server.ask(Get).wait(), Some(2));
    runtime.stop();
}

#[test]
fn a_dropped_reply_answers_none() {
    let runtime = Runtime::new();
    let server = server(&runtime);
    assert_eq!(server.ask(Lose).wait(), None);
    runtime.stop();
}

#[test]
fn an_actor_that_ends_answers_none() {
    let runtime = Runtime::new();
    let server = server(&runtime);
    let kept = server.ask(Keep);
    let ended = server.ask(End);
    let late = server.ask(Get);
    assert_eq!(ended.wait(), None);
    assert_eq!(late.wait(), None);
    assert_eq!(kept.wait(), None);
}

#[test]
fn a_stopped_runtime_answers_none() {
    let runtime = Runtime::new();
    let server = server(&runtime);
    let kept = server.ask(Keep);
    runtime.stop();
    assert_eq!(kept.wait(), None);
    assert_eq!(server.ask(Get).wait(), None);
}

struct Front {
    server: ActorRef<Server>,
}

#[cct::actor]
impl Front {
    #[on]
    async fn relay(&mut self, Relay(reply): Relay, cx: &mut Context<Self>) -> Result<(), String> {
        let value = cx.ask(&self.server, Get).await.ok_or("gone")?;
        assert_eq!(cx.ask(&self.server, Lose).await, None);
        let _ = reply.send(value * 10);
        Ok(())
    }
}

#[test]
fn an_answer_is_awaited_by_a_handler() {
    let runtime = Runtime::new();
    let server = server(&runtime);
    let front = runtime.create(Front { server });
    let other = front.clone();
    let asks = thread::spawn(move || other.ask(Relay).wait());
    let one = front.ask(Relay).wait().unwrap();
    let two = asks.join().unwrap().unwrap();
    assert_eq!(one + two, 30);
    runtime.stop();
}

#[test]
fn a_place_for_an_answer_is_filled_once() {
    let (place, answer): (Reply<u32>, Answer<u32>) = reply();
    assert_eq!(place.set(1), Ok(()));
    assert_eq!(place.set(2), Err(2));
    assert_eq!(place.send(3), Err(3));
    assert_eq!(answer.wait(), Some(1));
}

#[test]
fn of_two_answers_one_wins() {
    let (place, answer) = reply::<u32>();
    let place = std::sync::Arc::new(place);
    let other = place.clone();
    let sets = thread::spawn(move || other.set(1).is_ok());
    let mine = place.set(2).is_ok();
    let others = sets.join().unwrap();
    assert!(mine != others);
    assert_eq!(answer.wait(), Some(if mine { 2 } else { 1 }));
}

#[test]
fn an_answer_may_be_dropped_before_it_comes() {
    let runtime = Runtime::new();
    let server = server(&runtime);
    drop(server.ask(Get));
    assert_eq!(server.ask(Get).wait(), Some(2));
    runtime.stop();
}

#[test]
fn a_recipient_is_any_actor_that_takes_the_event() {
    let runtime = Runtime::new();
    let server = server(&runtime);
    let recipient: Recipient<Get> = server.recipient();
    assert_eq!(recipient.id(), server.id());
    let (place, answer) = reply();
    recipient.send(Get(place));
    assert_eq!(answer.wait(), Some(1));
    runtime.stop();
}
