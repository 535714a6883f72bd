//! Many actors on few threads, and actors that would keep a thread for themselves.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cct::actor::{ActorRef, Context, Reply, Runtime};
use soak::{Payload, Payloads, factor};

struct Next(ActorRef<Link>);
struct Token(u64, Payload, Reply<u64>);

#[derive(Default)]
struct Link {
    next: Option<ActorRef<Link>>,
}

#[cct::actor]
impl Link {
    #[on]
    fn next(&mut self, Next(next): Next) {
        self.next = Some(next);
    }

    #[on]
    fn token(&mut self, Token(left, payload, reply): Token, cx: &mut Context<Self>) {
        if left == 0 {
            let _ = reply.send(cx.me().id().to_string().parse().unwrap());
        } else if let Some(next) = &self.next {
            cx.send(next, Token(left - 1, payload, reply));
        }
    }
}

#[test]
fn ten_thousand_actors_in_a_ring_hand_on_their_tokens() {
    const ACTORS: u64 = 10_000;
    let payloads = Payloads::default();
    let runtime = Runtime::with_threads(2);
    let links: Vec<_> = (0..ACTORS)
        .map(|_| runtime.create(Link::default()))
        .collect();
    for (link, next) in links.iter().zip(links.iter().cycle().skip(1)) {
        link.send(Next(next.clone()));
    }
    let hops = 2 * ACTORS * factor() + 1;
    // A hundred tokens at a time.
    let answers: Vec<_> = (links.iter().enumerate().step_by(100))
        .map(|(at, link)| {
            let answer = link.ask(|reply| Token(hops, payloads.make(), reply));
            (at as u64, answer)
        })
        .collect();
    for (from, answer) in answers {
        assert_eq!(answer.wait(), Some((from + 1) % ACTORS));
    }
    links.iter().for_each(ActorRef::halt);
    runtime.wait_until_idle().unwrap();
    assert_eq!(runtime.count(), 0);
    payloads.wait_for_drops();
}

struct Again;
struct Get(Reply<u64>);

/// It has an event always, until it is told.
struct Busy(Arc<AtomicBool>);

#[cct::actor]
impl Busy {
    #[on]
    fn again(&mut self, _: Again, cx: &mut Context<Self>) {
        if !self.0.load(Ordering::SeqCst) {
            cx.send(cx.me(), Again);
        }
    }
}

struct Server;

#[cct::actor]
impl Server {
    #[on]
    fn get(&mut self, Get(reply): Get) {
        let _ = reply.send(7);
    }
}

#[test]
fn an_actor_that_always_has_events_lets_others_go_first() {
    let runtime = Runtime::with_threads(1);
    let is_over = Arc::new(AtomicBool::new(false));
    let busy = runtime.create(Busy(Arc::clone(&is_over)));
    let server = runtime.create(Server);
    busy.send(Again);
    for _ in 0..1_000 * factor() {
        assert_eq!(server.ask(Get).wait(), Some(7));
    }
    is_over.store(true, Ordering::SeqCst);
    runtime.wait_until_idle().unwrap();
    runtime.stop();
}

struct Block(Reply<u64>);

/// Its handler keeps the thread, to which the server is left, until the server has answered.
struct Blocking(ActorRef<Server>);

#[cct::actor]
impl Blocking {
    #[on]
    fn block(&mut self, Block(reply): Block, cx: &mut Context<Self>) {
        let answer = cx.ask(&self.0, Get).wait();
        let _ = reply.send(answer.unwrap());
    }
}

#[test]
fn a_handler_that_blocks_does_not_keep_others_from_free_threads() {
    let runtime = Runtime::with_threads(3);
    let server = runtime.create(Server);
    let blocking = [(); 2].map(|()| runtime.create(Blocking(server.clone())));
    for _ in 0..50 * factor() {
        for answer in blocking.each_ref().map(|it| it.ask(Block)) {
            assert_eq!(answer.wait(), Some(7));
        }
    }
    runtime.wait_until_idle().unwrap();
    runtime.stop();
}
