//! The actors of this project.

use std::time::{Duration, Instant};

use cct::actor::{ActorRef, Context, Recipient, Reply, Runtime};

use crate::workload::{Countdown, Flow, Workload};

pub(super) fn run(workload: Workload, threads: usize, operations: u64) -> Duration {
    let runtime = Runtime::with_threads(threads);
    let time = match workload {
        Workload::Create => create(&runtime, threads, operations),
        Workload::Flow(flow) => send(&runtime, flow, operations),
        Workload::PingPong { pairs } => ping_pong(&runtime, pairs, operations),
        Workload::AskByActor => {
            let server = runtime.create(Server);
            let end = Countdown::of(1);
            let asker = runtime.create(Asker(server, end.clone()));
            end.time(|| asker.send(Start(operations)))
        }
        Workload::AskByThread => {
            let server = runtime.create(Server);
            let began = Instant::now();
            for number in 0..operations {
                assert_eq!(server.ask(|reply| Get(number, reply)).wait(), Some(number));
            }
            began.elapsed()
        }
    };
    runtime.stop();
    runtime.wait_until_idle().expect("nothing fails");
    time
}

struct Start(u64);

struct Creator(Countdown);
struct Child(Countdown);
struct Hello;

#[cct::actor]
impl Creator {
    #[on]
    fn start(&mut self, Start(number): Start, cx: &mut Context<Self>) {
        for _ in 0..number {
            let child = cx.create(Child(self.0.clone()));
            cx.send(&child, Hello);
        }
    }
}

#[cct::actor]
impl Child {
    #[on]
    fn hello(&mut self, _: Hello) {
        self.0.arrive();
    }
}

fn create(runtime: &Runtime, threads: usize, operations: u64) -> Duration {
    let share = operations / threads as u64;
    let end = Countdown::of(share as usize * threads);
    let creators: Vec<_> = (0..threads)
        .map(|_| runtime.create(Creator(end.clone())))
        .collect();
    end.time(|| creators.iter().for_each(|it| it.send(Start(share))))
}

struct Item(Option<Recipient<Ack>>);
struct Ack;

struct Sender {
    to: Vec<Recipient<Item>>,
    flow: Flow,
    rounds: u64,
    acks: usize,
    end: Countdown,
}

#[cct::actor]
impl Sender {
    #[on]
    fn start(&mut self, Start(rounds): Start, cx: &mut Context<Self>) {
        self.rounds = rounds;
        self.send(cx);
    }

    #[on]
    fn ack(&mut self, _: Ack, cx: &mut Context<Self>) {
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
                cx.send(to, Item(None));
            }
            cx.send(to, Item(Some(cx.me().recipient())));
        }
    }
}

struct Receiver;

#[cct::actor]
impl Receiver {
    #[on]
    fn item(&mut self, Item(ack): Item, cx: &mut Context<Self>) {
        if let Some(to) = ack {
            cx.send(&to, Ack);
        }
    }
}

struct Even;
struct Odd;
struct Switch;

#[cct::machine(start = Even)]
impl Switch {
    #[on]
    fn even(&mut self, _: &mut Even, Item(ack): Item, cx: &mut Context<Self>) -> Odd {
        if let Some(to) = ack {
            cx.send(&to, Ack);
        }
        Odd
    }

    #[on]
    fn odd(&mut self, _: &mut Odd, Item(ack): Item, cx: &mut Context<Self>) -> Even {
        if let Some(to) = ack {
            cx.send(&to, Ack);
        }
        Even
    }
}

fn send(runtime: &Runtime, flow: Flow, operations: u64) -> Duration {
    let receiver = |_| {
        if flow.is_goto {
            runtime.create(Switch).recipient()
        } else {
            runtime.create(Receiver).recipient()
        }
    };
    let to: Vec<Recipient<Item>> = (0..flow.receivers).map(receiver).collect();
    let end = Countdown::of(flow.senders);
    let sender = |_| {
        runtime.create(Sender {
            to: to.clone(),
            flow,
            rounds: 0,
            acks: 0,
            end: end.clone(),
        })
    };
    let senders: Vec<_> = (0..flow.senders).map(sender).collect();
    let rounds = flow.rounds(operations);
    end.time(|| senders.iter().for_each(|it| it.send(Start(rounds))))
}

struct Ball(u64, ActorRef<Player>);

struct Player(Countdown);

#[cct::actor]
impl Player {
    #[on]
    fn ball(&mut self, Ball(left, from): Ball, cx: &mut Context<Self>) {
        if left == 0 {
            self.0.arrive();
        } else {
            cx.send(&from, Ball(left - 1, cx.me().clone()));
        }
    }
}

fn ping_pong(runtime: &Runtime, pairs: usize, operations: u64) -> Duration {
    let end = Countdown::of(pairs);
    let pair = |_| [(); 2].map(|()| runtime.create(Player(end.clone())));
    let pairs: Vec<_> = (0..pairs).map(pair).collect();
    let balls = operations / pairs.len() as u64;
    end.time(|| {
        for [one, other] in &pairs {
            one.send(Ball(balls, other.clone()));
        }
    })
}

struct Get(u64, Reply<u64>);

struct Server;

#[cct::actor]
impl Server {
    #[on]
    fn get(&mut self, Get(number, reply): Get) {
        let _ = reply.send(number);
    }
}

struct Asker(ActorRef<Server>, Countdown);

#[cct::actor]
impl Asker {
    #[on]
    async fn start(&mut self, Start(number): Start, cx: &mut Context<Self>) {
        for number in 0..number {
            let answer = cx.ask(&self.0, |reply| Get(number, reply));
            assert_eq!(answer.await, Some(number));
        }
        self.1.arrive();
    }
}
