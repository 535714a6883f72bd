//! Actors that crash and come back.

use std::fmt;
use std::panic::Location;
use std::sync::Arc;

use super::crashes::Crash;
use super::moments::attack_aside;
use crate::actor::event::{Letter, SendOptions};
use crate::actor::{Accepts, ActorRef, Machine, Runtime, SharedRegister, Target};
use crate::engine;
use crate::nondet::index_at;

/// An actor, by whichever of its lives. Events that are sent while it is down are lost.
pub struct Node<M: Machine>(Arc<Inner<M>>);

struct Inner<M: Machine> {
    runtime: Runtime,
    /// Makes the actor of its next life.
    boot: Box<dyn Fn() -> M + Send + Sync>,
    life: SharedRegister<Life<M>>,
}

/// The actor, while the node is up; and whether somebody boots it.
struct Life<M: Machine> {
    actor: Option<ActorRef<M>>,
    boots: bool,
}

impl<M: Machine> Clone for Life<M> {
    fn clone(&self) -> Self {
        Life {
            actor: self.actor.clone(),
            boots: self.boots,
        }
    }
}

impl<M: Machine> Node<M> {
    /// A node that is up. `boot` makes its actor, now and after each crash, of what is durable.
    #[track_caller]
    pub fn start(runtime: &Runtime, boot: impl Fn() -> M + Send + Sync + 'static) -> Node<M> {
        let first = runtime.create(boot());
        Node(Arc::new(Inner {
            runtime: runtime.clone(),
            boot: Box::new(boot),
            life: SharedRegister::new(Life {
                actor: Some(first),
                boots: false,
            }),
        }))
    }

    /// The actor of its current life, if it is up.
    #[track_caller]
    pub fn actor(&self) -> Option<ActorRef<M>> {
        self.0.life.get().actor
    }

    /// True while it is up.
    #[track_caller]
    pub fn is_up(&self) -> bool {
        self.actor().is_some()
    }

    /// Sends an event, which is lost if the node is down.
    #[track_caller]
    pub fn send<E>(&self, event: E)
    where
        M: Accepts<E>,
    {
        if let Some(actor) = self.actor() {
            actor.send(event);
        }
    }
}

impl<M: Machine> Node<M> {
    /// The actor ends at once: it handles nothing more, and what it still does is of no effect on others.
    #[track_caller]
    pub fn crash(&self) {
        self.crash_at(Location::caller());
    }

    /// The node crashes, and boots again at a moment that the strategy chooses: at once, or within 64 events
    /// that the runtime's actors take, or once nothing else goes on. A handler of its own actor may call
    /// this, and has no effect on others from here on. Outside of the engine it boots at once.
    #[track_caller]
    pub fn reboot(&self) {
        let site = Location::caller();
        let ended = self.end_life(site);
        if engine::is_controlled() {
            // Before the crash, which may be that of who calls.
            let node = self.clone();
            attack_aside(&self.0.runtime, "reboot", site, move |moments| {
                // At once is as likely as later: then nobody notices that it was down.
                if index_at(2, site) == 1 {
                    moments.wait_for_end();
                }
                node.restart_at(site);
            });
            crash(ended);
        } else {
            crash(ended);
            self.restart_at(site);
        }
    }

    /// The node boots again, if it is down.
    #[track_caller]
    pub fn restart(&self) {
        self.restart_at(Location::caller());
    }
}

impl<M: Machine> Node<M> {
    /// It is down from here on; returns the actor that has to crash.
    fn end_life(&self, site: &'static Location<'static>) -> Option<ActorRef<M>> {
        let mut ended = None;
        (self.0.life).update_at("crash", site, |life| ended = life.actor.take());
        ended
    }
}

fn crash<M: Machine>(actor: Option<ActorRef<M>>) {
    if let Some(actor) = actor {
        actor.0.crash();
    }
}

impl<M: Machine> Crash for Node<M> {
    fn crash_at(&self, site: &'static Location<'static>) {
        crash(self.end_life(site));
    }

    fn restart_at(&self, site: &'static Location<'static>) {
        let life = &self.0.life;
        let mut is_mine = false;
        life.update_at("restart", site, |life| {
            is_mine = life.actor.is_none() && !life.boots;
            life.boots |= is_mine;
        });
        if is_mine {
            let next = (self.0.runtime).create_at((self.0.boot)(), None, None, site);
            life.update_at("is up", site, |life| {
                life.actor = Some(next);
                life.boots = false;
            });
        }
    }
}

impl<M: Accepts<E>, E> Target<E> for Node<M> {
    fn take(&self, event: E, options: SendOptions, site: &'static Location<'static>) {
        if let Some(actor) = self.0.life.get_at(site).actor {
            actor.deliver(Letter::Event(M::event(event)), options, site);
        }
    }
}

impl<M: Machine> Clone for Node<M> {
    fn clone(&self) -> Self {
        Node(Arc::clone(&self.0))
    }
}

impl<M: Machine> fmt::Debug for Node<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Node")
    }
}
