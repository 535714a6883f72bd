//! A network between nodes.

use std::collections::BTreeSet;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

use super::moments::{Moments, attack_aside, run_aside};
use crate::actor::event::SendOptions;
use crate::actor::{Recipient, Runtime, SharedRegister, Target};
use crate::engine;
use crate::nondet::index_at;

/// The number of a node in a network.
pub type NodeId = u32;

/// How many events suffer, at most, and which ones may.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Faults {
    lost: u32,
    duplicated: u32,
    delayed: u32,
    among: u32,
}

impl Faults {
    /// No faults.
    pub const fn none() -> Faults {
        Faults {
            lost: 0,
            duplicated: 0,
            delayed: 0,
            among: 32,
        }
    }

    /// So many events never arrive.
    #[must_use]
    pub const fn losing(self, number: u32) -> Faults {
        Faults {
            lost: number,
            ..self
        }
    }

    /// So many arrive twice.
    #[must_use]
    pub const fn duplicating(self, number: u32) -> Faults {
        Faults {
            duplicated: number,
            ..self
        }
    }

    /// So many arrive later, perhaps after others that were sent after them.
    #[must_use]
    pub const fn delaying(self, number: u32) -> Faults {
        Faults {
            delayed: number,
            ..self
        }
    }

    /// All of them are among so many events that are sent first; 32 if nothing is said.
    #[must_use]
    pub const fn among(self, first: u32) -> Faults {
        Faults {
            among: first,
            ..self
        }
    }
}

/// A network. Nodes send through its [links](Network::link).
#[derive(Clone)]
pub struct Network(Arc<Inner>);

struct Inner {
    state: SharedRegister<State>,
}

#[derive(Clone, Default)]
struct State {
    /// How many events were sent.
    sent: u32,
    /// The numbers of events that suffer.
    lost: BTreeSet<u32>,
    duplicated: BTreeSet<u32>,
    delayed: BTreeSet<u32>,
    /// The nodes that are cut off from all others.
    side: BTreeSet<NodeId>,
}

/// The fate of an event.
enum Fate {
    Arrives,
    IsLost,
    ArrivesTwice,
    ArrivesLater,
}

impl Network {
    /// A network with these faults: the strategy chooses now which events suffer.
    #[track_caller]
    pub fn new(faults: Faults) -> Network {
        let site = Location::caller();
        let choose = |number: u32| {
            let number = if engine::is_controlled() { number } else { 0 };
            let among = faults.among.max(1) as usize;
            // 0 is no event.
            let chosen = (0..number).map(|_| index_at(among + 1, site) as u32);
            chosen.collect()
        };
        let state = State {
            lost: choose(faults.lost),
            duplicated: choose(faults.duplicated),
            delayed: choose(faults.delayed),
            ..State::default()
        };
        Network(Arc::new(Inner {
            state: SharedRegister::new(state),
        }))
    }

    /// The way from one node to another, at whose end this is.
    pub fn link<E>(&self, from: NodeId, to: NodeId, end: Recipient<E>) -> Link<E> {
        Link {
            network: self.clone(),
            from,
            to,
            end,
        }
    }

    /// From here on nothing gets from these nodes to others, or from others to these.
    #[track_caller]
    pub fn cut_off(&self, side: impl IntoIterator<Item = NodeId>) {
        let side: BTreeSet<NodeId> = side.into_iter().collect();
        self.0.state.update(|state| state.side = side);
    }

    /// All nodes reach each other again.
    #[track_caller]
    pub fn heal(&self) {
        self.0.state.update(|state| state.side.clear());
    }

    /// The sender may have crashed before it has sent the event.
    fn fate(
        &self,
        (from, to): (NodeId, NodeId),
        options: &SendOptions,
        site: &'static Location<'static>,
    ) -> Fate {
        let mut fate = Fate::IsLost;
        self.0.state.update_at("passes", site, |state| {
            if options.is_lost() {
                return;
            }
            state.sent += 1;
            let number = state.sent;
            fate = if state.side.contains(&from) != state.side.contains(&to)
                || state.lost.contains(&number)
            {
                Fate::IsLost
            } else if state.duplicated.contains(&number) {
                Fate::ArrivesTwice
            } else if state.delayed.contains(&number) {
                Fate::ArrivesLater
            } else {
                Fate::Arrives
            };
        });
        fate
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Network")
    }
}

/// Splits the network, up to `times`, at moments and between nodes that the strategy chooses, and heals it
/// again. Outside of the engine it does nothing. The moments are those of [`crash`](super::crash()).
#[track_caller]
pub fn split(runtime: &Runtime, network: &Network, nodes: &[NodeId], times: u32) {
    let here = Location::caller();
    let (network, nodes) = (network.clone(), nodes.to_vec());
    let attack = move |moments: &mut Moments| {
        for _ in 0..times {
            let is_cut_off = |_: &&NodeId| index_at(2, here) == 1;
            let side: Vec<NodeId> = nodes.iter().filter(is_cut_off).copied().collect();
            if side.is_empty() || side.len() == nodes.len() {
                continue;
            }
            moments.strike("splits the network");
            network.cut_off(side);
            moments.end("heals the network");
            network.heal();
        }
    };
    attack_aside(runtime, "splits", here, attack);
}

/// The way from one node to another.
#[derive(Clone, Debug)]
pub struct Link<E> {
    network: Network,
    from: NodeId,
    to: NodeId,
    end: Recipient<E>,
}

impl<E: Clone + Send + 'static> Link<E> {
    /// Sends an event: it may get lost, come twice, or later.
    #[track_caller]
    pub fn send(&self, event: E) {
        Target::take(self, event, SendOptions::default(), Location::caller());
    }
}

impl<E: Clone + Send + 'static> Target<E> for Link<E> {
    fn take(&self, event: E, options: SendOptions, site: &'static Location<'static>) {
        let fate = (self.network).fate((self.from, self.to), &options, site);
        // From here on it is on its way, whether the sender crashes or not.
        let options = options.by_nobody();
        match fate {
            Fate::IsLost => {}
            Fate::Arrives => self.end.take(event, options, site),
            Fate::ArrivesTwice => {
                self.end.take(event.clone(), options.clone(), site);
                self.end.take(event, options, site);
            }
            Fate::ArrivesLater => {
                let end = self.end.clone();
                let deliver = move || end.take(event, options, site);
                run_aside(self.end.runtime(), "delayed event", site, deliver);
            }
        }
    }
}
