//! The client: a model.

use cct::actor::{ActorRef, Context, Halt, Reply};

use super::{Request, ServerMachine};
use crate::Value;

/// Asks the client to write so many values, and is answered after the last one.
#[derive(Debug)]
pub struct Write {
    /// How many.
    pub values: u32,
    /// Where the end is told.
    pub done: Reply<()>,
}

/// The server's acknowledgement of this value.
#[derive(Debug)]
pub struct Acknowledged(pub Value);

/// A client that writes one value after another, and waits for each to be acknowledged.
#[derive(Debug)]
pub struct Client {
    server: ActorRef<ServerMachine>,
}

impl Client {
    /// A client of this server.
    #[must_use]
    pub fn new(server: ActorRef<ServerMachine>) -> Client {
        Client { server }
    }
}

#[cct::actor(events(Acknowledged))]
impl Client {
    #[on]
    async fn write(&mut self, write: Write, cx: &mut Context<Self>) -> Halt {
        let mut last = 0;
        for _ in 0..write.values {
            // Each value differs from the one before: else a node that holds an old one would seem to be
            // up to date.
            let value = Value(last + cct::choose(&[1, 2, 3]));
            cx.send(&self.server, Request(value));
            cx.receive_if(|acknowledged: &Acknowledged| acknowledged.0 == value)
                .await;
            last = value.0;
        }
        let _ = write.done.send(());
        Halt
    }
}
