//! The configuration, and how its changes are made known.
//!
//! There is a master, and a mirror in each process that is one of the master's subscribers. Both are this
//! machine. A change is over once all subscribers have acknowledged it, or left.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use cct::actor::{ActorRef, Context, Recipient, Reply, Then};

use crate::operation::CallError;

/// The phases of a migration. Clients in one of them get on with clients in the next.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Config {
    /// Clients use the old table alone.
    UseOldHideMetadata,
    /// Clients read both tables, and write the old one if they still may.
    PreferOld,
    /// Clients read both tables, and write the new one.
    PreferNew,
    /// Clients use the new table, and leave tombstones for those that read both.
    UseNewWithTombstones,
    /// Clients use the new table, and delete rows for good.
    UseNewHideMetadata,
}

/// Changes the configuration.
pub struct Push {
    /// The new one.
    pub config: Config,
    /// Says that the receiver has adapted to it.
    pub done: Done,
}

/// Says that something is done.
pub type Done = Box<dyn FnOnce() + Send>;

impl fmt::Debug for Push {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Push {:?}", self.config)
    }
}

/// Asks for the configuration and news of its changes. A subscriber that does not take these prevents changes
/// from being completed until it leaves.
#[derive(Debug)]
pub struct Subscribe(pub Option<Recipient<Push>>, pub Reply<(Config, u32)>);

/// Ends a subscription.
#[derive(Debug)]
pub struct Unsubscribe(u32);

/// Says that a subscriber has adapted.
#[derive(Debug)]
pub struct Acknowledge(u32);

/// The state in which no change is under way.
#[derive(Debug)]
pub struct Settled;

/// The state in which it waits for subscribers.
pub struct Pushing {
    waits_for: BTreeSet<u32>,
    done: Option<Done>,
}

impl fmt::Debug for Pushing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pushing, waits for {:?}", self.waits_for)
    }
}

impl Pushing {
    fn without(&mut self, subscriber: u32) -> Option<Settled> {
        self.waits_for.remove(&subscriber);
        if !self.waits_for.is_empty() {
            return None;
        }
        if let Some(done) = self.done.take() {
            done();
        }
        Some(Settled)
    }
}

/// The configuration service, or a mirror of it.
#[derive(Debug)]
pub struct ConfigService {
    config: Config,
    subscribers: BTreeMap<u32, Option<Recipient<Push>>>,
    next_subscriber: u32,
}

impl ConfigService {
    /// Creates a service without subscribers.
    #[must_use]
    pub fn new(config: Config) -> ConfigService {
        ConfigService {
            config,
            subscribers: BTreeMap::new(),
            next_subscriber: 0,
        }
    }
}

#[cct::machine(start = Settled)]
#[defer(Pushing: Push)]
#[ignore(Settled: Acknowledge)]
impl ConfigService {
    #[on]
    fn push(&mut self, _: &mut Settled, push: Push, cx: &mut Context<Self>) -> Then<Self> {
        self.config = push.config;
        for (&subscriber, recipient) in &self.subscribers {
            let Some(recipient) = recipient else { continue };
            let me = cx.me().clone();
            let config = push.config;
            let done: Done = Box::new(move || me.send(Acknowledge(subscriber)));
            cx.send(recipient, Push { config, done });
        }
        if self.subscribers.is_empty() {
            (push.done)();
            return Then::stay();
        }
        Then::goto(Pushing {
            waits_for: self.subscribers.keys().copied().collect(),
            done: Some(push.done),
        })
    }

    #[on]
    fn subscribe(&mut self, Subscribe(recipient, reply): Subscribe) {
        let subscriber = self.next_subscriber;
        self.next_subscriber += 1;
        self.subscribers.insert(subscriber, recipient);
        let _ = reply.send((self.config, subscriber));
    }

    #[on]
    fn unsubscribe(&mut self, _: &mut Settled, Unsubscribe(subscriber): Unsubscribe) {
        self.subscribers.remove(&subscriber);
    }

    #[on]
    fn leave(
        &mut self,
        pushing: &mut Pushing,
        Unsubscribe(subscriber): Unsubscribe,
    ) -> Option<Settled> {
        self.subscribers.remove(&subscriber);
        pushing.without(subscriber)
    }

    #[on]
    fn acknowledge(
        &mut self,
        pushing: &mut Pushing,
        Acknowledge(subscriber): Acknowledge,
    ) -> Option<Settled> {
        pushing.without(subscriber)
    }
}

/// A subscription, which ends when it is dropped.
#[derive(Debug)]
pub struct Subscription {
    service: ActorRef<ConfigService>,
    subscriber: u32,
}

impl Subscription {
    /// Subscribes. Returns the configuration as it is now.
    ///
    /// # Errors
    ///
    /// The service has ended.
    pub async fn new(
        service: &ActorRef<ConfigService>,
        recipient: Option<Recipient<Push>>,
    ) -> Result<(Config, Subscription), CallError> {
        let answer = service.ask(|reply| Subscribe(recipient, reply)).await;
        let (config, subscriber) =
            answer.ok_or_else(|| CallError::Internal("no configuration service".to_owned()))?;
        let service = service.clone();
        let subscription = Subscription {
            service,
            subscriber,
        };
        Ok((config, subscription))
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.service.send(Unsubscribe(self.subscriber));
    }
}

/// Changes the configuration, and waits until that is over.
///
/// # Errors
///
/// The service has ended.
pub async fn push(service: &ActorRef<ConfigService>, config: Config) -> Result<(), CallError> {
    let answer = service.ask(|reply: Reply<()>| {
        let done: Done = Box::new(move || {
            let _ = reply.send(());
        });
        Push { config, done }
    });
    let answer = answer.await;
    answer.ok_or_else(|| CallError::Internal("no configuration service".to_owned()))
}
