//! Ends at any moment: nothing hangs, and each event is dropped once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use cct::actor::{ActorRef, Context, Halt, Reply, Runtime, Status};
use soak::{Payload, Payloads, Random, factor};

/// The things that the actors of a test have in common.
#[derive(Clone)]
struct World {
    payloads: Payloads,
    handled: Arc<AtomicU64>,
    /// After so many events the runtime is stopped.
    last: u64,
    panics: bool,
}

struct Meet(Vec<ActorRef<Peer>>);
#[derive(Clone)]
struct Do(Payload);
struct Get(Payload, Reply<Payload>);

/// Does something random with each event, and sends at least one to somebody.
struct Peer {
    world: World,
    random: Random,
    peers: Vec<ActorRef<Peer>>,
}

#[cct::actor]
impl Peer {
    #[on]
    fn meet(&mut self, Meet(peers): Meet) {
        self.peers = peers;
    }

    #[on]
    fn get(&mut self, Get(payload, reply): Get, cx: &mut Context<Self>) {
        self.count(cx);
        match self.random.below(8) {
            0 => drop(reply),
            _ => drop(reply.send(payload)),
        }
    }

    #[on]
    async fn work(&mut self, Do(payload): Do, cx: &mut Context<Self>) -> Option<Halt> {
        self.count(cx);
        let peer = self.peer(cx);
        cx.send(&peer, Do(payload));
        let payload = self.world.payloads.make();
        match self.random.below(40) {
            0..8 => cx.send(&peer, Do(payload)),
            8..14 => {
                let answer = cx.ask(&peer, |reply| Get(payload, reply));
                // One that waits for itself would not end before the stop, and neither would a circle.
                if peer > *cx.me() {
                    drop(answer.await);
                }
            }
            14..16 => drop(cx.start_timer(Duration::ZERO, Do(payload))),
            16 => {
                let day = Duration::from_secs(86_400);
                drop(cx.start_periodic_timer(day, day, Do(payload)));
            }
            17..19 => {
                let child = cx.create(self.child());
                cx.send(&child, Meet(self.peers.clone()));
                cx.send(&child, Do(payload));
            }
            19 if cx.runtime().count() > 4 => return Some(Halt),
            20 => assert!(!self.world.panics, "told to"),
            21 => peer.halt(),
            _ => {}
        }
        None
    }
}

impl Peer {
    fn of(world: &World, seed: u64) -> Peer {
        Peer {
            world: world.clone(),
            random: Random::of(seed),
            peers: Vec::new(),
        }
    }

    fn child(&mut self) -> Peer {
        Peer::of(&self.world, self.random.below(u64::MAX))
    }

    fn count(&self, cx: &Context<Self>) {
        if self.world.handled.fetch_add(1, Ordering::SeqCst) == self.world.last {
            cx.runtime().stop();
        }
    }

    fn peer(&mut self, cx: &Context<Self>) -> ActorRef<Peer> {
        let at = self.random.below(self.peers.len() as u64 + 1) as usize;
        self.peers.get(at).unwrap_or(cx.me()).clone()
    }
}

/// Peers that are stopped after some event. Threads send meanwhile.
fn run(seed: u64, panics: bool) {
    let mut random = Random::of(seed);
    let payloads = Payloads::default();
    let world = World {
        payloads: payloads.clone(),
        handled: Arc::default(),
        last: random.below(2_000),
        panics,
    };
    let runtime = Runtime::with_threads(1 + random.below(3) as usize);
    let peers: Vec<ActorRef<Peer>> = (0..2 + random.below(6))
        .map(|_| runtime.create(Peer::of(&world, random.below(u64::MAX))))
        .collect();
    for peer in &peers {
        peer.send(Meet(peers.clone()));
    }
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let (runtime, peers, world) = (runtime.clone(), peers.clone(), world.clone());
            thread::spawn(move || {
                // It may be that all have halted, or failed, before the last event.
                let lives = |peer: &ActorRef<Peer>| peer.status() != Status::Halted;
                while !runtime.is_stopped() && peers.iter().any(lives) {
                    for peer in &peers {
                        peer.send(Do(world.payloads.make()));
                    }
                    let peer = &peers[world.last as usize % peers.len()];
                    drop(peer.ask(|reply| Get(world.payloads.make(), reply)).wait());
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    runtime.stop();
    // A failure ends this wait, and not the runtime.
    let failure = runtime.wait_until_idle().err();
    assert!(failure.is_none_or(|it| panics && it.message == "told to"));
    while runtime.count() > 0 {
        thread::yield_now();
    }
    drop(peers);
    payloads.wait_for_drops();
}

#[test]
fn a_stop_at_any_event_hangs_nothing_and_loses_nothing() {
    for seed in 0..100 * factor() {
        run(seed, false);
    }
}

#[test]
fn panics_of_handlers_hang_nothing_and_lose_nothing() {
    for seed in 0..100 * factor() {
        run(seed, true);
    }
}

struct Sink(Arc<AtomicU64>);

#[cct::actor]
impl Sink {
    #[on]
    fn work(&mut self, Do(_payload): Do) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// Events are handled, or dropped and told, or given back.
#[test]
fn actors_that_end_while_others_send_drop_each_event_once() {
    let payloads = Payloads::default();
    let runtime = Runtime::with_threads(2);
    let (handled, dropped) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let told = Arc::clone(&dropped);
    runtime.on_event_dropped(move |event, _| {
        if event == "Do" {
            told.fetch_add(1, Ordering::SeqCst);
        }
    });
    let mut given_back = 0;
    for _ in 0..200 * factor() {
        let sink = runtime.create(Sink(Arc::clone(&handled)));
        let back = thread::scope(|scope| {
            let threads = [(); 2].map(|()| {
                scope.spawn(|| {
                    for _ in 0..50 {
                        sink.send(Do(payloads.make()));
                    }
                    let mut back = 0;
                    for _ in 0..50 {
                        back += u64::from(sink.try_send(Do(payloads.make())).is_err());
                    }
                    back
                })
            });
            scope.spawn(|| sink.halt());
            threads.map(|it| it.join().unwrap()).iter().sum::<u64>()
        });
        given_back += back;
    }
    runtime.wait_until_idle().unwrap();
    payloads.wait_for_drops();
    let [handled, dropped] = [handled, dropped].map(|it| it.load(Ordering::SeqCst));
    assert_eq!(handled + dropped + given_back, payloads.made());
    runtime.stop();
}
