//! Memory stays as it was whatever is done a million times: one test, since the memory is the process's.

use std::time::Duration;

use cct::actor::{ActorRef, Context, Halt, Reply, Runtime};
use soak::{Memory, Payload, Payloads, factor};

struct Batch(u64, Payload, Reply<u64>);
struct Item(Payload, Option<Reply<u64>>);
struct Ask(Payload, Reply<u64>);
struct Create(Payload, Reply<u64>);
struct Remind(Payload, Reply<u64>);
#[derive(Clone)]
struct Never(#[expect(dead_code, reason = "it is dropped")] Payload);

struct Open;
struct Shut;

/// Goes to and fro; what it is asked while it is shut waits until it is open.
struct Server {
    items: u64,
}

#[cct::machine(start = Open, events(Never))]
#[defer(Shut: Ask)]
impl Server {
    #[on]
    fn item(&mut self, _: &mut Open, Item(payload, reply): Item) -> Shut {
        self.count(payload, reply);
        Shut
    }

    #[on]
    fn another(&mut self, _: &mut Shut, Item(payload, reply): Item) -> Open {
        self.count(payload, reply);
        Open
    }

    #[on]
    fn ask(&mut self, _: &mut Open, Ask(payload, reply): Ask) {
        self.count(payload, Some(reply));
    }

    #[on]
    fn remind(&mut self, Remind(payload, reply): Remind, cx: &mut Context<Self>) {
        let hour = Duration::from_secs(3600);
        cx.start_timer(hour, Never(payload.clone())).stop();
        cx.start_periodic_timer(hour, hour, Never(payload)).stop();
        let _ = reply.send(0);
    }
}

impl Server {
    fn count(&mut self, payload: Payload, reply: Option<Reply<u64>>) {
        drop(payload);
        self.items += 1;
        if let Some(reply) = reply {
            let _ = reply.send(self.items);
        }
    }
}

/// Lives for one event.
struct Child;

#[cct::actor]
impl Child {
    #[on]
    fn item(&mut self, Item(_payload, reply): Item) -> Halt {
        let _ = reply.unwrap().send(1);
        Halt
    }
}

struct Client(ActorRef<Server>);

#[cct::actor]
impl Client {
    #[on]
    async fn batch(&mut self, Batch(number, payload, reply): Batch, cx: &mut Context<Self>) {
        for _ in 1..number {
            cx.send(&self.0, Item(payload.clone(), None));
        }
        let answer = cx.ask(&self.0, |reply| Item(payload, Some(reply)));
        let _ = reply.send(answer.await.unwrap());
    }

    #[on]
    async fn create(&mut self, Create(payload, reply): Create, cx: &mut Context<Self>) {
        let child = cx.create(Child);
        let answer = cx.ask(&child, |reply| Item(payload, Some(reply)));
        let _ = reply.send(answer.await.unwrap());
    }
}

/// Four times a quarter of the operations, with a look at the memory after each.
fn soak(operations: u64, batch: u64, mut operation: impl FnMut()) {
    let mut memory = Memory::default();
    for _ in 0..4 {
        for _ in 0..operations * factor() / 4 / batch {
            operation();
        }
        memory.look();
    }
    memory.has_not_grown();
}

#[test]
fn memory_does_not_grow_with_what_is_done() {
    let payloads = Payloads::default();
    let runtime = Runtime::with_threads(2);
    let server = runtime.create(Server { items: 0 });
    let client = runtime.create(Client(server.clone()));
    // Even numbers, after which the server is open.
    soak(1_000_000, 1_000, || {
        let answer = client.ask(|reply| Batch(1_000, payloads.make(), reply));
        answer.wait().unwrap();
    });
    soak(50_000, 1, || {
        let answer = server.ask(|reply| Ask(payloads.make(), reply));
        answer.wait().unwrap();
    });
    // A question that waits until the second item has come.
    soak(50_000, 1, || {
        server.send(Item(payloads.make(), None));
        let answer = server.ask(|reply| Ask(payloads.make(), reply));
        server.send(Item(payloads.make(), None));
        answer.wait().unwrap();
    });
    soak(50_000, 1, || {
        let answer = client.ask(|reply| Create(payloads.make(), reply));
        answer.wait().unwrap();
    });
    soak(50_000, 1, || {
        let answer = server.ask(|reply| Remind(payloads.make(), reply));
        answer.wait().unwrap();
    });
    runtime.wait_until_idle().unwrap();
    assert_eq!(runtime.count(), 2);
    runtime.stop();
    runtime.wait_until_idle().unwrap();
    payloads.wait_for_drops();
}
