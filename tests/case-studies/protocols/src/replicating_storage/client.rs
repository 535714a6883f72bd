//! The client.

use cct::actor::{ActorRef, Context, Halt};

use super::{Data, NodeManager, Request};

/// How many commands there are to choose from.
const COMMANDS: usize = 100;

/// A client that sends one command.
#[derive(Debug)]
pub struct Client {
    manager: ActorRef<NodeManager>,
}

/// The only state of a client.
#[derive(Debug)]
pub struct Requesting;

impl Client {
    /// A client of this manager.
    #[must_use]
    pub fn new(manager: ActorRef<NodeManager>) -> Client {
        Client { manager }
    }
}

#[cct::machine(start = Requesting)]
impl Client {
    #[entry]
    fn request(&mut self, _: &mut Requesting, cx: &mut Context<Self>) -> Halt {
        let command = Data(1 + cct::nondet_index(COMMANDS));
        cx.send(&self.manager, Request(command));
        Halt
    }
}
