//! A client.

use cct::actor::{ActorRef, Context};

use super::{ChainServer, Update};

/// Tells a client of another head.
#[derive(Clone, Debug)]
pub struct NewHead(pub ActorRef<ChainServer>);

/// The client's word to itself that it is to send an update.
#[derive(Debug)]
pub struct UpdateIsDue;

/// A client that sends some updates to the head.
#[derive(Debug)]
pub struct Client {
    head: ActorRef<ChainServer>,
    left: u32,
}

impl Client {
    /// A client that is to send so many updates.
    #[must_use]
    pub fn new(head: ActorRef<ChainServer>, updates: u32) -> Client {
        Client {
            head,
            left: updates,
        }
    }
}

#[cct::actor]
impl Client {
    #[on]
    fn update(&mut self, _: UpdateIsDue, cx: &mut Context<Self>) {
        cx.send(&self.head, Update);
        self.left -= 1;
        if self.left > 0 {
            cx.send(cx.me(), UpdateIsDue);
        }
    }

    #[on]
    fn follow(&mut self, NewHead(head): NewHead) {
        self.head = head;
    }
}
