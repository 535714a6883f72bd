//! The replicated value, for `cargo cct test`.

use cct::actor::{ActorRef, Context, Reply, Runtime};
use schedules::{NODES, VALUES};

schedules::replicated_by!(std);

#[test]
fn threads() {
    replicate();
}

struct Write(u32, Reply<u32>);
struct Stored(u32);
struct Store(u32, ActorRef<Server>);

#[derive(Default)]
struct Server {
    nodes: Vec<ActorRef<Node>>,
    open: Option<Reply<u32>>,
    copies: usize,
}

#[cct::actor]
impl Server {
    #[on]
    fn write(&mut self, Write(value, reply): Write, cx: &mut Context<Self>) {
        self.open = Some(reply);
        self.copies = 0;
        for node in &self.nodes {
            cx.send(node, Store(value, cx.me().clone()));
        }
    }

    #[on]
    fn stored(&mut self, Stored(value): Stored) {
        self.copies += 1;
        if self.copies == NODES {
            let _ = self.open.take().unwrap().send(value);
        }
    }
}

struct Node;

#[cct::actor]
impl Node {
    #[on]
    fn store(&mut self, Store(value, server): Store, cx: &mut Context<Self>) {
        cx.send(&server, Stored(value));
    }
}

#[cct::test]
fn actors(rt: &Runtime) {
    let nodes = (0..NODES).map(|_| rt.create(Node)).collect();
    let server = rt.create(Server {
        nodes,
        ..Server::default()
    });
    for value in 0..VALUES {
        let answer = server.ask(|reply| Write(value, reply));
        assert_eq!(answer.wait(), Some(value));
    }
}
