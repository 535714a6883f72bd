//! The master of the chain.

use cct::actor::{ActorRef, Context, Halt};

use super::{
    BecomeHead, BecomeTail, ChainServer, Client, Fail, NewHead, NewPredecessor, NewSuccessor,
    ServerId,
};

/// Begins to look at the servers, so many times.
#[derive(Debug)]
pub struct Watch(pub u32);

/// A master, which suspects servers.
#[derive(Debug)]
pub struct Master {
    servers: Vec<ActorRef<ChainServer>>,
    clients: Vec<ActorRef<Client>>,
    /// The servers that are left, from head to tail.
    chain: Vec<ServerId>,
}

impl Master {
    /// A master of these servers, from head to tail.
    pub fn new(servers: Vec<ActorRef<ChainServer>>, clients: Vec<ActorRef<Client>>) -> Master {
        let chain = (0..servers.len()).map(ServerId).collect();
        Master {
            servers,
            clients,
            chain,
        }
    }

    fn server(&self, id: ServerId) -> &ActorRef<ChainServer> {
        &self.servers[id.0]
    }

    /// Repairs the chain around the server at this place; none if a server does not answer.
    async fn remove(&mut self, place: usize, cx: &Context<Master>) -> Option<()> {
        let failed = self.chain.remove(place);
        if place == 0 {
            let head = self.server(self.chain[0]);
            cx.ask(head, BecomeHead).await?;
            for client in &self.clients {
                cx.send(client, NewHead(head.clone()));
            }
        } else if place == self.chain.len() {
            cx.ask(self.server(self.chain[place - 1]), BecomeTail)
                .await?;
        } else {
            let (before, behind) = (self.chain[place - 1], self.chain[place]);
            let request = |reply| NewPredecessor {
                server: before,
                reply,
            };
            let has = cx.ask(self.server(behind), request).await?;
            let request = |reply| NewSuccessor {
                server: behind,
                has,
                reply,
            };
            cx.ask(self.server(before), request).await?;
        }
        cx.send(self.server(failed), Fail);
        Some(())
    }
}

#[cct::actor]
impl Master {
    #[on]
    async fn watch(&mut self, Watch(looks): Watch, cx: &mut Context<Self>) -> Result<Halt, String> {
        let mut place = 0;
        for _ in 0..looks {
            if self.chain.len() == 1 {
                break;
            }
            if cct::nondet_bool() {
                let repaired = self.remove(place, cx).await;
                repaired.ok_or("a server of the chain has gone")?;
                place = 0;
            } else {
                place = (place + 1) % self.chain.len();
            }
        }
        Ok(Halt)
    }
}
