//! The client.

use cct::actor::{ActorRef, Context, Halt};

use super::{Begin, Coordinator};

/// Begins so many transactions, one after another.
#[derive(Debug)]
pub struct Run(pub u32);

/// A client.
#[derive(Debug)]
pub struct Client {
    coordinator: ActorRef<Coordinator>,
}

impl Client {
    /// A client of this coordinator.
    #[must_use]
    pub fn new(coordinator: ActorRef<Coordinator>) -> Client {
        Client { coordinator }
    }
}

#[cct::actor]
impl Client {
    #[on]
    async fn run(&mut self, Run(count): Run, cx: &mut Context<Self>) -> Result<Halt, String> {
        for _ in 0..count {
            let decision = cx.ask(&self.coordinator, Begin).await;
            decision.ok_or("the coordinator has gone")?;
        }
        Ok(Halt)
    }
}
