//! actix: an actor lives on one of the threads, and the actors of a flow are spread over them.

use std::time::{Duration, Instant};

use actix::prelude::*;

use crate::workload::{Countdown, Flow, Workload};

pub(super) fn run(workload: Workload, threads: usize, operations: u64) -> Duration {
    let _system = System::new();
    let arbiters: Vec<Arbiter> = (0..threads).map(|_| Arbiter::new()).collect();
    let time = match workload {
        Workload::Create => create(&arbiters, operations),
        Workload::Flow(flow) if flow.is_goto => {
            send::<Switch>(&arbiters, flow, operations, || Switch(State::Even))
        }
        Workload::Flow(flow) => send::<Receiver>(&arbiters, flow, operations, || Receiver),
        Workload::PingPong { pairs } => ping_pong(&arbiters, pairs, operations),
        Workload::AskByActor => {
            let server = start(&arbiters, 0, Server);
            let end = Countdown::of(1);
            let asker = start(&arbiters, 1, Asker(server, end.clone()));
            end.time(|| asker.do_send(Start(operations)))
        }
        Workload::AskByThread => {
            let server = start(&arbiters, 0, Server);
            let began = Instant::now();
            for number in 0..operations {
                let answer = futures_executor::block_on(server.send(Get(number)));
                assert_eq!(answer, Ok(number));
            }
            began.elapsed()
        }
    };
    for arbiter in &arbiters {
        arbiter.stop();
    }
    for arbiter in arbiters {
        arbiter.join().expect("an arbiter ends");
    }
    time
}

/// On the thread of this number, or the one that it comes to.
fn start<A: Actor<Context = Context<A>> + Send>(
    arbiters: &[Arbiter],
    number: usize,
    actor: A,
) -> Addr<A> {
    let arbiter = &arbiters[number % arbiters.len()];
    A::start_in_arbiter(&arbiter.handle(), move |_| actor)
}

#[derive(Message)]
#[rtype(result = "()")]
struct Start(u64);

struct Creator(Countdown);
struct Child(Countdown);

#[derive(Message)]
#[rtype(result = "()")]
struct Hello;

impl Actor for Creator {
    type Context = Context<Self>;
}

impl Handler<Start> for Creator {
    type Result = ();

    fn handle(&mut self, Start(number): Start, _: &mut Self::Context) {
        for _ in 0..number {
            Child(self.0.clone()).start().do_send(Hello);
        }
    }
}

impl Actor for Child {
    type Context = Context<Self>;
}

impl Handler<Hello> for Child {
    type Result = ();

    fn handle(&mut self, _: Hello, _: &mut Self::Context) {
        self.0.arrive();
    }
}

fn create(arbiters: &[Arbiter], operations: u64) -> Duration {
    let share = operations / arbiters.len() as u64;
    let end = Countdown::of(share as usize * arbiters.len());
    let creators: Vec<_> = (0..arbiters.len())
        .map(|number| start(arbiters, number, Creator(end.clone())))
        .collect();
    end.time(|| creators.iter().for_each(|it| it.do_send(Start(share))))
}

#[derive(Message)]
#[rtype(result = "()")]
struct Item(Option<Addr<Sender>>);

#[derive(Message)]
#[rtype(result = "()")]
struct Ack;

struct Sender {
    to: Vec<Recipient<Item>>,
    flow: Flow,
    rounds: u64,
    acks: usize,
    end: Countdown,
}

impl Actor for Sender {
    type Context = Context<Self>;
}

impl Handler<Start> for Sender {
    type Result = ();

    fn handle(&mut self, Start(rounds): Start, cx: &mut Self::Context) {
        self.rounds = rounds;
        self.send(cx);
    }
}

impl Handler<Ack> for Sender {
    type Result = ();

    fn handle(&mut self, _: Ack, cx: &mut Self::Context) {
        self.acks += 1;
        if self.acks == self.to.len() {
            self.acks = 0;
            self.rounds -= 1;
            if self.rounds == 0 {
                self.end.arrive();
            } else {
                self.send(cx);
            }
        }
    }
}

impl Sender {
    fn send(&mut self, cx: &mut Context<Self>) {
        for to in &self.to {
            for _ in 1..self.flow.batch {
                to.do_send(Item(None));
            }
            to.do_send(Item(Some(cx.address())));
        }
    }
}

struct Receiver;

impl Actor for Receiver {
    type Context = Context<Self>;
}

impl Handler<Item> for Receiver {
    type Result = ();

    fn handle(&mut self, Item(ack): Item, _: &mut Self::Context) {
        if let Some(to) = ack {
            to.do_send(Ack);
        }
    }
}

enum State {
    Even,
    Odd,
}

struct Switch(State);

impl Actor for Switch {
    type Context = Context<Self>;
}

impl Handler<Item> for Switch {
    type Result = ();

    fn handle(&mut self, Item(ack): Item, _: &mut Self::Context) {
        if let Some(to) = ack {
            to.do_send(Ack);
        }
        self.0 = match self.0 {
            State::Even => State::Odd,
            State::Odd => State::Even,
        };
    }
}

fn send<R: Handler<Item> + Actor<Context = Context<R>> + Send>(
    arbiters: &[Arbiter],
    flow: Flow,
    operations: u64,
    receiver: impl Fn() -> R,
) -> Duration {
    // A sender and its first receiver are on different threads, if there are two.
    let receiver = |number| start(arbiters, number + 1, receiver()).recipient();
    let to: Vec<Recipient<Item>> = (0..flow.receivers).map(receiver).collect();
    let end = Countdown::of(flow.senders);
    let sender = |number| {
        let sender = Sender {
            to: to.clone(),
            flow,
            rounds: 0,
            acks: 0,
            end: end.clone(),
        };
        start(arbiters, number, sender)
    };
    let senders: Vec<_> = (0..flow.senders).map(sender).collect();
    let rounds = flow.rounds(operations);
    end.time(|| senders.iter().for_each(|it| it.do_send(Start(rounds))))
}

#[derive(Message)]
#[rtype(result = "()")]
struct Ball(u64, Addr<Player>);

struct Player(Countdown);

impl Actor for Player {
    type Context = Context<Self>;
}

impl Handler<Ball> for Player {
    type Result = ();

    fn handle(&mut self, Ball(left, from): Ball, cx: &mut Self::Context) {
        if left == 0 {
            self.0.arrive();
        } else {
            from.do_send(Ball(left - 1, cx.address()));
        }
    }
}

fn ping_pong(arbiters: &[Arbiter], pairs: usize, operations: u64) -> Duration {
    let end = Countdown::of(pairs);
    // The players of a pair are on one thread, which is what suits actix.
    let pair = |number| [(); 2].map(|()| start(arbiters, number, Player(end.clone())));
    let pairs: Vec<_> = (0..pairs).map(pair).collect();
    let balls = operations / pairs.len() as u64;
    end.time(|| {
        for [one, other] in &pairs {
            one.do_send(Ball(balls, other.clone()));
        }
    })
}

#[derive(Message)]
#[rtype(result = "u64")]
struct Get(u64);

struct Server;

impl Actor for Server {
    type Context = Context<Self>;
}

impl Handler<Get> for Server {
    type Result = u64;

    fn handle(&mut self, Get(number): Get, _: &mut Self::Context) -> u64 {
        number
    }
}

struct Asker(Addr<Server>, Countdown);

impl Actor for Asker {
    type Context = Context<Self>;
}

impl Handler<Start> for Asker {
    type Result = ResponseFuture<()>;

    fn handle(&mut self, Start(number): Start, _: &mut Self::Context) -> ResponseFuture<()> {
        let (server, end) = (self.0.clone(), self.1.clone());
        Box::pin(async move {
            for number in 0..number {
                assert_eq!(server.send(Get(number)).await, Ok(number));
            }
            end.arrive();
        })
    }
}
