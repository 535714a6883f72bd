//! Chain replication: updates enter at the head, pass along three servers, and are answered by the tail.
//!
//! A master repairs the chain around servers that are suspected to have failed. When a single server is
//! left, it forwards each update to itself, and takes its sequence number from what it is forwarded: so it
//! falls back behind updates that came meanwhile, and gives a number twice. The safety monitor wants each
//! server's history in strictly ascending order. Mended: a server that is head and tail answers by itself.
//!
//! Machines: the servers, two clients with three updates each, and the master, whose suspicions are
//! choices. A suspected server goes on until it hears that it has failed.

use cct::{Monitor, Temperature};
use cct_shims::std::sync::mpsc::Receiver;

use super::machine::{Address, inbox, inboxes, start};
use crate::programs::flavour::Flavour;

const SERVERS: usize = 3;
const CLIENTS: usize = 2;
const UPDATES: u32 = 3;
/// How many servers the master looks at.
const CHECKS: usize = 6;

type Sequence = u32;
type Server = usize;

enum ToServer {
    /// From a client.
    Update,
    Forward {
        from: Server,
        sequence: Sequence,
    },
    Acknowledge(Sequence),
    BecomeHead,
    BecomeTail,
    NewPredecessor(Server),
    NewSuccessor {
        server: Server,
        has: Sequence,
    },
    Fail,
}

enum ToMaster {
    Done,
    LastUpdate(Sequence),
}

/// Each server's history is in strictly ascending order.
#[derive(Default)]
struct Histories {
    last: [Sequence; SERVERS],
}

struct Recorded {
    server: Server,
    sequence: Sequence,
}

impl Monitor for Histories {
    type Event = Recorded;

    fn on_event(&mut self, Recorded { server, sequence }: Recorded) -> Temperature {
        assert!(self.last[server] < sequence, "the history is not sorted");
        self.last[server] = sequence;
        Temperature::Cold("sorted")
    }
}

pub(super) fn replicate(flavour: Flavour) {
    cct::register(Histories::default());
    let (servers, server_inboxes) = inboxes(SERVERS);
    let (clients, client_inboxes) = inboxes(CLIENTS);
    let (master, master_inbox) = inbox();
    for (me, inbox) in server_inboxes.into_iter().enumerate() {
        let mut replica = Replica {
            flavour,
            me,
            servers: servers.clone(),
            master: master.clone(),
            is_head: me == 0,
            is_tail: me == SERVERS - 1,
            predecessor: me.saturating_sub(1),
            successor: (me + 1).min(SERVERS - 1),
            sequence: 0,
            unacknowledged: Vec::new(),
        };
        start(move || replica.run(&inbox));
    }
    for heads in client_inboxes {
        let servers = servers.clone();
        start(move || update(&servers, &heads));
    }
    let mut master = Master {
        chain: (0..SERVERS).collect(),
        servers,
        clients,
        inbox: master_inbox,
    };
    start(move || master.run());
}

/// A client, which hears of new heads.
fn update(servers: &[Address<ToServer>], heads: &Receiver<Server>) {
    let mut head = 0;
    for _ in 0..UPDATES {
        head = heads.try_iter().last().unwrap_or(head);
        servers[head].send(ToServer::Update);
    }
}

struct Replica {
    flavour: Flavour,
    me: Server,
    servers: Vec<Address<ToServer>>,
    master: Address<ToMaster>,
    is_head: bool,
    is_tail: bool,
    /// The head's is itself.
    predecessor: Server,
    /// The tail's is itself.
    successor: Server,
    /// The last update's.
    sequence: Sequence,
    /// The updates that were forwarded and have not come back.
    unacknowledged: Vec<Sequence>,
}

impl Replica {
    fn run(&mut self, inbox: &Receiver<ToServer>) {
        while let Ok(message) = inbox.recv() {
            match message {
                ToServer::Update => self.update(),
                ToServer::Forward { from, sequence } if from == self.predecessor => {
                    self.take_over(sequence);
                }
                ToServer::Forward { .. } => {}
                ToServer::Acknowledge(sequence) => self.acknowledge(sequence),
                ToServer::BecomeHead => {
                    self.is_head = true;
                    self.predecessor = self.me;
                    self.master.send(ToMaster::Done);
                }
                ToServer::BecomeTail => self.become_tail(),
                ToServer::NewPredecessor(server) => {
                    self.predecessor = server;
                    self.master.send(ToMaster::LastUpdate(self.sequence));
                }
                ToServer::NewSuccessor { server, has } => self.follow_up(server, has),
                ToServer::Fail => return,
            }
        }
    }

    /// An update of a client's.
    fn update(&mut self) {
        if self.is_head {
            self.sequence += 1;
            self.record();
            if self.flavour.is_buggy() || !self.is_tail {
                self.forward();
            }
        }
    }

    /// An update that the predecessor has seen.
    fn take_over(&mut self, sequence: Sequence) {
        self.sequence = sequence;
        if !self.is_head {
            self.record();
        }
        if self.is_tail {
            self.servers[self.predecessor].send(ToServer::Acknowledge(sequence));
        } else {
            self.forward();
        }
    }

    fn record(&self) {
        cct::notify::<Histories>(Recorded {
            server: self.me,
            sequence: self.sequence,
        });
    }

    fn forward(&mut self) {
        self.unacknowledged.push(self.sequence);
        self.send_on(self.sequence);
    }

    fn send_on(&self, sequence: Sequence) {
        self.servers[self.successor].send(ToServer::Forward {
            from: self.me,
            sequence,
        });
    }

    fn acknowledge(&mut self, sequence: Sequence) {
        self.unacknowledged.retain(|open| *open != sequence);
        if !self.is_head {
            self.servers[self.predecessor].send(ToServer::Acknowledge(sequence));
        }
    }

    fn become_tail(&mut self) {
        self.is_tail = true;
        self.successor = self.me;
        for sequence in std::mem::take(&mut self.unacknowledged) {
            if !self.is_head {
                self.servers[self.predecessor].send(ToServer::Acknowledge(sequence));
            }
        }
        self.master.send(ToMaster::Done);
    }

    /// The server behind the failed one is now behind this one; it gets what it does not have.
    fn follow_up(&mut self, server: Server, has: Sequence) {
        self.successor = server;
        for &sequence in self
            .unacknowledged
            .iter()
            .filter(|sequence| **sequence > has)
        {
            self.send_on(sequence);
        }
        self.master.send(ToMaster::Done);
    }
}

struct Master {
    /// The servers that are left, from head to tail.
    chain: Vec<Server>,
    servers: Vec<Address<ToServer>>,
    clients: Vec<Address<Server>>,
    inbox: Receiver<ToMaster>,
}

impl Master {
    /// Looks at one server after another, while more than one is left.
    fn run(&mut self) {
        let mut place = 0;
        for _ in 0..CHECKS {
            if self.chain.len() == 1 {
                return;
            }
            if cct::nondet_bool() {
                self.remove(place);
                place = 0;
            } else {
                place = (place + 1) % self.chain.len();
            }
        }
    }

    /// Repairs the chain around a server that is suspected to have failed.
    fn remove(&mut self, place: usize) {
        let failed = self.chain.remove(place);
        if place == 0 {
            let head = self.chain[0];
            self.ask(head, ToServer::BecomeHead);
            for client in &self.clients {
                client.send(head);
            }
        } else if place == self.chain.len() {
            self.ask(self.chain[place - 1], ToServer::BecomeTail);
        } else {
            let (before, behind) = (self.chain[place - 1], self.chain[place]);
            let last = self.ask(behind, ToServer::NewPredecessor(before));
            if let ToMaster::LastUpdate(has) = last {
                let server = behind;
                self.ask(before, ToServer::NewSuccessor { server, has });
            }
        }
        self.servers[failed].send(ToServer::Fail);
    }

    /// Sends a message and waits for the answer.
    fn ask(&self, server: Server, message: ToServer) -> ToMaster {
        self.servers[server].send(message);
        self.inbox.recv().expect("an answer")
    }
}
