//! Faults of a distributed system: what holds whichever of them happen.

use cct::actor::faults::{Durable, Faults, Network, Node, SkewedClock, crash, split};
use cct::actor::{ActorRef, Context, Reply, Runtime, SharedCounter};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug)]
struct Set(u32);
struct All(Reply<Vec<u32>>);

/// Keeps what it gets, on a disk and in memory.
struct Store {
    disk: Durable<Vec<u32>>,
    all: Vec<u32>,
}

impl Store {
    fn boot(disk: &Durable<Vec<u32>>) -> Store {
        Store {
            disk: disk.clone(),
            all: disk.read(),
        }
    }
}

#[cct::actor]
impl Store {
    #[on]
    fn set(&mut self, Set(value): Set, cx: &mut Context<Self>) {
        self.all.push(value);
        self.disk.write(cx, |disk| disk.push(value));
    }

    #[on]
    fn all(&mut self, All(reply): All) {
        let _ = reply.send(self.all.clone());
    }
}

/// The numbers of 1, 2 and 3 that arrive.
fn arrived(rt: &Runtime, faults: Faults, splits: u32) -> Vec<u32> {
    let store = rt.create(Store::boot(&Durable::new(Vec::new())));
    let network = Network::new(faults.among(3));
    split(rt, &network, &[0, 1], splits);
    let link = network.link(0, 1, store.recipient());
    for value in 1..=3 {
        link.send(Set(value));
    }
    rt.wait_until_idle().unwrap();
    store.ask(All).wait().expect("it lives")
}

#[cct::test]
fn a_network_without_faults_keeps_order(rt: &Runtime) {
    assert_eq!(arrived(rt, Faults::none(), 0), [1, 2, 3]);
}

#[cct::test]
fn one_event_is_lost_at_most(rt: &Runtime) {
    let arrived = arrived(rt, Faults::none().losing(1), 0);
    assert!(arrived.len() >= 2 && arrived.is_sorted(), "{arrived:?}");
}

#[cct::test]
fn one_event_comes_twice_at_most(rt: &Runtime) {
    let mut arrived = arrived(rt, Faults::none().duplicating(1), 0);
    assert!(arrived.len() <= 4 && arrived.is_sorted(), "{arrived:?}");
    arrived.dedup();
    assert_eq!(arrived, [1, 2, 3]);
}

#[cct::test]
fn late_events_arrive(rt: &Runtime) {
    let mut arrived = arrived(rt, Faults::none().delaying(2), 0);
    arrived.sort_unstable();
    assert_eq!(arrived, [1, 2, 3]);
}

#[cct::test]
fn a_split_loses_and_reorders_nothing_else(rt: &Runtime) {
    let arrived = arrived(rt, Faults::none(), 1);
    assert!(arrived.len() <= 3 && arrived.is_sorted(), "{arrived:?}");
}

#[cct::test]
fn a_node_comes_back_with_what_is_durable(rt: &Runtime) {
    let disk = Durable::new(Vec::new());
    let booted = disk.clone();
    let node = Node::start(rt, move || Store::boot(&booted));
    crash(rt, vec![Box::new(node.clone())], 1);
    node.send(Set(1));
    node.send(Set(2));
    rt.wait_until_idle().unwrap();
    let written = disk.read();
    assert!(written.is_sorted() && written.len() <= 2, "{written:?}");
    let actor = node.actor().expect("it is up again");
    assert_eq!(actor.ask(All).wait().as_ref(), Some(&written));
}

#[cct::test]
fn a_node_that_is_down_gets_nothing(rt: &Runtime) {
    let disk = Durable::new(Vec::new());
    let booted = disk.clone();
    let node = Node::start(rt, move || Store::boot(&booted));
    node.crash();
    assert!(!node.is_up());
    node.send(Set(1));
    node.restart();
    node.send(Set(2));
    rt.wait_until_idle().unwrap();
    assert_eq!(disk.read(), [2]);
}

/// Reboots its own node.
struct Fragile {
    node: Arc<OnceLock<Node<Fragile>>>,
    store: ActorRef<Store>,
}

struct Stumble;

#[cct::actor]
impl Fragile {
    #[on]
    fn stumble(&mut self, _: Stumble, cx: &mut Context<Self>) {
        cx.send(&self.store, Set(1));
        self.node.get().expect("it is known").reboot();
        cx.send(&self.store, Set(2));
    }
}

#[cct::test]
fn a_node_that_reboots_itself_comes_back(rt: &Runtime) {
    let disk = Durable::new(Vec::new());
    let store = rt.create(Store::boot(&disk));
    let known: Arc<OnceLock<Node<Fragile>>> = Arc::default();
    let inside = Arc::clone(&known);
    let node = Node::start(rt, move || Fragile {
        node: Arc::clone(&inside),
        store: store.clone(),
    });
    known.set(node.clone()).expect("it is set once");
    node.send(Stumble);
    rt.wait_until_idle().unwrap();
    assert!(node.is_up());
    assert_eq!(disk.read(), [1]);
}

/// Sends the number of its life as soon as it lives.
struct Living {
    life: u32,
    store: ActorRef<Store>,
}

struct Alive;

#[cct::machine(start = Alive)]
impl Living {
    #[entry]
    fn tell(&mut self, _: &mut Alive, cx: &mut Context<Self>) {
        for _ in 0..2 {
            cx.send(&self.store, Set(self.life));
        }
    }
}

#[cct::test]
fn an_actor_that_has_crashed_sends_nothing(rt: &Runtime) {
    let store = rt.create(Store::boot(&Durable::new(Vec::new())));
    let (told, lives) = (store.clone(), SharedCounter::new(0));
    let node = Node::start(rt, move || Living {
        life: u32::try_from(lives.increment()).expect("there are few"),
        store: told.clone(),
    });
    crash(rt, vec![Box::new(node)], 2);
    rt.wait_until_idle().unwrap();
    let all = store.ask(All).wait().expect("it lives");
    assert!(all.is_sorted(), "{all:?}");
}

#[test]
fn a_clock_is_ahead_within_its_bound() {
    let bound = Duration::from_secs(4);
    let clock = SkewedClock::within(bound);
    let now = Instant::now();
    assert!(clock.at(now) >= now && clock.at(now) <= now + bound);
    assert_eq!(clock.at(now), now + clock.ahead());
    assert_eq!(SkewedClock::exact().ahead(), Duration::ZERO);
}
