//! The client: a model that proposes numbers until all replicas have applied them.

use std::collections::BTreeMap;
use std::time::Duration;

use cct::actor::Context;

use crate::{
    ALeaderIsElected, Cluster, Leadership, Ledger, Proposal, ProposalsAreApplied, Propose,
    ReplicaId,
};

/// How long the client waits before it proposes again.
const RETRY: Duration = Duration::from_secs(1);

/// Asks the client to have the numbers from 1 to this one written.
#[derive(Clone, Copy, Debug)]
pub struct Write(pub u8);

/// A replica's word of what it has applied.
#[derive(Clone, Debug)]
pub struct Applied {
    /// The replica.
    pub replica: ReplicaId,
    /// Its ledger.
    pub ledger: Ledger,
}

/// The tick at which the client proposes again.
#[derive(Clone, Debug)]
pub struct RetryIsDue;

/// A client of a cluster.
#[derive(Debug)]
pub struct Client {
    cluster: Cluster,
    write: Option<Write>,
    ledgers: BTreeMap<ReplicaId, Ledger>,
}

impl Client {
    /// A client that has nothing to write yet.
    #[must_use]
    pub fn new(cluster: Cluster) -> Client {
        Client {
            cluster,
            write: None,
            ledgers: BTreeMap::new(),
        }
    }

    /// The smallest number that some replica lacks.
    fn next(&self) -> Option<u8> {
        let Write(numbers) = self.write?;
        let nodes = self.cluster.nodes().len();
        let has = |number| {
            let holders = self.ledgers.values();
            let holders = holders.filter(|ledger| ledger.0.contains(&number));
            holders.count() == nodes
        };
        (1..=numbers).find(|&number| !has(number))
    }

    /// Proposes what nobody has, to any replica, which passes it on to its leader.
    fn propose(&self, cx: &Context<Self>) {
        let Some(number) = self.next() else { return };
        let is_known = |ledger: &Ledger| ledger.0.contains(&number);
        if !self.ledgers.values().any(is_known) {
            cx.send(cct::choose(self.cluster.nodes()), Propose(number));
        }
    }
}

#[cct::actor]
impl Client {
    #[on]
    fn begin(&mut self, write: Write, cx: &mut Context<Self>) {
        self.write = Some(write);
        cct::notify::<ProposalsAreApplied>(Proposal::Made);
        cx.start_periodic_timer(RETRY, RETRY, RetryIsDue);
    }

    #[on]
    fn retry(&mut self, _: RetryIsDue, cx: &mut Context<Self>) {
        self.propose(cx);
    }

    #[on]
    fn note(&mut self, applied: Applied, cx: &mut Context<Self>) {
        let before = self.next();
        self.ledgers.insert(applied.replica, applied.ledger);
        let next = self.next();
        if next.is_some() {
            if next > before {
                self.propose(cx);
            }
            return;
        }
        if self.write.take().is_none() {
            return;
        }
        cct::notify::<ProposalsAreApplied>(Proposal::Applied);
        cct::notify::<ALeaderIsElected>(Leadership::NotNeeded);
        // Ticks would go on for ever.
        cx.runtime().stop();
    }
}
