//! ractor, on tokio's threads.

use std::time::{Duration, Instant};

use ractor::{Actor, ActorProcessingErr, ActorRef, RpcReplyPort};

use crate::workload::{Countdown, Flow, Workload};

pub(super) fn run(workload: Workload, threads: usize, operations: u64) -> Duration {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .enable_time()
        .build()
        .expect("tokio can be had");
    let time = match workload {
        Workload::Create => create(&runtime, threads, operations),
        Workload::Flow(flow) if flow.is_goto => send(&runtime, flow, operations, || Switch),
        Workload::Flow(flow) => send(&runtime, flow, operations, || Receiver),
        Workload::PingPong { pairs } => ping_pong(&runtime, pairs, operations),
        Workload::AskByActor => {
            let server = start(&runtime, Server, ());
            let end = Countdown::of(1);
            let asker = start(&runtime, Asker, (server, end.clone()));
            end.time(|| cast(&asker, Start(operations)))
        }
        Workload::AskByThread => {
            let server = start(&runtime, Server, ());
            let began = Instant::now();
            for number in 0..operations {
                let answer = runtime.block_on(ask(&server, number));
                assert_eq!(answer, number);
            }
            began.elapsed()
        }
    };
    runtime.shutdown_timeout(Duration::from_secs(10));
    time
}

type Done = Result<(), ActorProcessingErr>;

fn start<A: Actor>(
    runtime: &tokio::runtime::Runtime,
    actor: A,
    with: A::Arguments,
) -> ActorRef<A::Msg> {
    let started = runtime.block_on(Actor::spawn(None, actor, with));
    started.expect("an actor starts").0
}

fn cast<M: ractor::Message>(to: &ActorRef<M>, message: M) {
    to.cast(message).expect("it lives");
}

struct Start(u64);

struct Creator;
struct Child;

struct Hello;

impl Actor for Creator {
    type Msg = Start;
    type State = Countdown;
    type Arguments = Countdown;

    async fn pre_start(
        &self,
        _: ActorRef<Start>,
        end: Countdown,
    ) -> Result<Countdown, ActorProcessingErr> {
        Ok(end)
    }

    async fn handle(&self, _: ActorRef<Start>, Start(number): Start, end: &mut Countdown) -> Done {
        for _ in 0..number {
            let (child, _) = Actor::spawn(None, Child, end.clone()).await?;
            child.cast(Hello)?;
        }
        Ok(())
    }
}

impl Actor for Child {
    type Msg = Hello;
    type State = Countdown;
    type Arguments = Countdown;

    async fn pre_start(
        &self,
        _: ActorRef<Hello>,
        end: Countdown,
    ) -> Result<Countdown, ActorProcessingErr> {
        Ok(end)
    }

    async fn handle(&self, _: ActorRef<Hello>, _: Hello, end: &mut Countdown) -> Done {
        end.arrive();
        Ok(())
    }
}

fn create(runtime: &tokio::runtime::Runtime, threads: usize, operations: u64) -> Duration {
    let share = operations / threads as u64;
    let end = Countdown::of(share as usize * threads);
    let creators: Vec<_> = (0..threads)
        .map(|_| start(runtime, Creator, end.clone()))
        .collect();
    end.time(|| creators.iter().for_each(|it| cast(it, Start(share))))
}

struct Item(Option<ActorRef<ToSender>>);

enum ToSender {
    Start(u64),
    Ack,
}

struct Sender;

struct Sending {
    to: Vec<ActorRef<Item>>,
    flow: Flow,
    rounds: u64,
    acks: usize,
    end: Countdown,
}

impl Actor for Sender {
    type Msg = ToSender;
    type State = Sending;
    type Arguments = Sending;

    async fn pre_start(
        &self,
        _: ActorRef<ToSender>,
        sending: Sending,
    ) -> Result<Sending, ActorProcessingErr> {
        Ok(sending)
    }

    async fn handle(&self, me: ActorRef<ToSender>, message: ToSender, state: &mut Sending) -> Done {
        match message {
            ToSender::Start(rounds) => {
                state.rounds = rounds;
                return state.send(&me);
            }
            ToSender::Ack => state.acks += 1,
        }
        if state.acks == state.to.len() {
            state.acks = 0;
            state.rounds -= 1;
            if state.rounds == 0 {
                state.end.arrive();
            } else {
                state.send(&me)?;
            }
        }
        Ok(())
    }
}

impl Sending {
    fn send(&mut self, me: &ActorRef<ToSender>) -> Done {
        for to in &self.to {
            for _ in 1..self.flow.batch {
                to.cast(Item(None))?;
            }
            to.cast(Item(Some(me.clone())))?;
        }
        Ok(())
    }
}

struct Receiver;

impl Actor for Receiver {
    type Msg = Item;
    type State = ();
    type Arguments = ();

    async fn pre_start(&self, _: ActorRef<Item>, (): ()) -> Done {
        Ok(())
    }

    async fn handle(&self, _: ActorRef<Item>, Item(ack): Item, (): &mut ()) -> Done {
        if let Some(to) = ack {
            to.cast(ToSender::Ack)?;
        }
        Ok(())
    }
}

enum State {
    Even,
    Odd,
}

struct Switch;

impl Actor for Switch {
    type Msg = Item;
    type State = State;
    type Arguments = ();

    async fn pre_start(&self, _: ActorRef<Item>, (): ()) -> Result<State, ActorProcessingErr> {
        Ok(State::Even)
    }

    async fn handle(&self, _: ActorRef<Item>, Item(ack): Item, state: &mut State) -> Done {
        if let Some(to) = ack {
            to.cast(ToSender::Ack)?;
        }
        *state = match state {
            State::Even => State::Odd,
            State::Odd => State::Even,
        };
        Ok(())
    }
}

fn send<R: Actor<Msg = Item, Arguments = ()>>(
    runtime: &tokio::runtime::Runtime,
    flow: Flow,
    operations: u64,
    receiver: impl Fn() -> R,
) -> Duration {
    let to: Vec<_> = (0..flow.receivers)
        .map(|_| start(runtime, receiver(), ()))
        .collect();
    let end = Countdown::of(flow.senders);
    let sender = |_| {
        let sending = Sending {
            to: to.clone(),
            flow,
            rounds: 0,
            acks: 0,
            end: end.clone(),
        };
        start(runtime, Sender, sending)
    };
    let senders: Vec<_> = (0..flow.senders).map(sender).collect();
    let rounds = flow.rounds(operations);
    end.time(|| {
        senders
            .iter()
            .for_each(|it| cast(it, ToSender::Start(rounds)))
    })
}

struct Ball(u64, ActorRef<Ball>);

struct Player;

impl Actor for Player {
    type Msg = Ball;
    type State = Countdown;
    type Arguments = Countdown;

    async fn pre_start(
        &self,
        _: ActorRef<Ball>,
        end: Countdown,
    ) -> Result<Countdown, ActorProcessingErr> {
        Ok(end)
    }

    async fn handle(
        &self,
        me: ActorRef<Ball>,
        Ball(left, from): Ball,
        end: &mut Countdown,
    ) -> Done {
        if left == 0 {
            end.arrive();
        } else {
            from.cast(Ball(left - 1, me))?;
        }
        Ok(())
    }
}

fn ping_pong(runtime: &tokio::runtime::Runtime, pairs: usize, operations: u64) -> Duration {
    let end = Countdown::of(pairs);
    let pair = |_| [(); 2].map(|()| start(runtime, Player, end.clone()));
    let pairs: Vec<_> = (0..pairs).map(pair).collect();
    let balls = operations / pairs.len() as u64;
    end.time(|| {
        for [one, other] in &pairs {
            cast(one, Ball(balls, other.clone()));
        }
    })
}

struct Get(u64, RpcReplyPort<u64>);

async fn ask(server: &ActorRef<Get>, number: u64) -> u64 {
    let answer = server.call(|reply| Get(number, reply), None).await;
    answer.expect("it lives").expect("it answers")
}

struct Server;

impl Actor for Server {
    type Msg = Get;
    type State = ();
    type Arguments = ();

    async fn pre_start(&self, _: ActorRef<Get>, (): ()) -> Done {
        Ok(())
    }

    async fn handle(&self, _: ActorRef<Get>, Get(number, reply): Get, (): &mut ()) -> Done {
        let _ = reply.send(number);
        Ok(())
    }
}

struct Asker;

impl Actor for Asker {
    type Msg = Start;
    type State = (ActorRef<Get>, Countdown);
    type Arguments = (ActorRef<Get>, Countdown);

    async fn pre_start(
        &self,
        _: ActorRef<Start>,
        with: Self::Arguments,
    ) -> Result<Self::State, ActorProcessingErr> {
        Ok(with)
    }

    async fn handle(
        &self,
        _: ActorRef<Start>,
        Start(number): Start,
        (server, end): &mut Self::State,
    ) -> Done {
        for number in 0..number {
            assert_eq!(ask(server, number).await, number);
        }
        end.arrive();
        Ok(())
    }
}
