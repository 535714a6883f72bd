//! The wrapper of the library.

use std::fmt;
use std::time::Duration;

use cct::actor::faults::Durable;
use cct::actor::{Context, Recipient};
use raft::eraftpb::{Entry, Message, MessageType};
use raft::{Config, RawNode, SnapshotStatus, StateRole};

use crate::{
    ALeaderIsElected, Applied, Cluster, Disk, LeadersAreComplete, Leadership, Ledger, LogEvent,
    LogsMatch, Office, ReplicaId, StatesAgree, TermsHaveOneLeader, Variant,
};

/// The time between two ticks.
const TICK: Duration = Duration::from_millis(100);
/// How long a snapshot may take before the leader sends another one.
const SNAPSHOT: Duration = Duration::from_secs(2);
/// After so many entries the log is compacted.
const COMPACTION: u64 = 3;

/// A message of another replica.
#[derive(Clone, Debug)]
pub struct Deliver(pub Message);

/// A client's wish to have this number in the ledger.
#[derive(Clone, Copy, Debug)]
pub struct Propose(pub u8);

/// A tick of the library's clock.
#[derive(Clone, Debug)]
pub struct TickIsDue;

/// The tick at which a snapshot for this replica is taken for lost.
#[derive(Debug)]
pub struct SnapshotIsOverdue(ReplicaId);

/// The state of a replica that is up.
#[derive(Debug)]
pub struct Running;

/// A replica in one of its lives.
pub struct Replica {
    variant: Variant,
    id: ReplicaId,
    node: RawNode<Disk>,
    disk: Durable<Disk>,
    ledger: Ledger,
    cluster: Cluster,
    client: Recipient<Applied>,
    /// It crashes as soon as it has told others what it has written.
    is_doomed: bool,
}

impl Replica {
    /// A replica that goes on with what is on its disk.
    ///
    /// # Panics
    ///
    /// If the library does not start.
    #[must_use]
    pub fn boot(
        variant: Variant,
        id: ReplicaId,
        disk: Durable<Disk>,
        cluster: Cluster,
        client: Recipient<Applied>,
    ) -> Replica {
        let mut found = disk.read();
        match variant {
            Variant::ForgetsItsVote => found.forget_vote(),
            Variant::LosesItsLastEntry => found.lose_last_entry(),
            _ => {}
        }
        let config = Config {
            id,
            election_tick: 5,
            heartbeat_tick: 1,
            applied: found.snapshot().get_metadata().index,
            max_size_per_msg: u64::MAX,
            ..Config::default()
        };
        let ledger = Ledger::decode(&found.snapshot().data);
        let logger = slog::Logger::root(slog::Discard, slog::o!());
        let node = RawNode::new(&config, found, &logger);
        Replica {
            variant,
            id,
            node: node.expect("the library starts"),
            disk,
            ledger,
            cluster,
            client,
            is_doomed: false,
        }
    }

    /// Changes the disk, and the library's view of it.
    fn persist(&mut self, change: impl Fn(&mut Disk), cx: &Context<Self>) {
        let Replica {
            id, disk, cluster, ..
        } = &*self;
        let is_doomed = cluster.write(*id, || disk.write(cx, &change));
        self.is_doomed |= is_doomed;
        change(self.node.mut_store());
        cct::notify::<LogsMatch>(LogEvent::Written {
            replica: self.id,
            disk: self.node.store().clone(),
        });
    }

    /// Does what the library has to be done.
    fn work(&mut self, cx: &mut Context<Self>) {
        while self.node.has_ready() {
            let mut ready = self.node.ready();
            let role = ready.ss().map(|state| state.raft_state);
            self.send(ready.take_messages(), cx);
            let last = ready.take_persisted_messages();
            let last = if self.variant == Variant::SendsBeforePersisting {
                self.send(last, cx);
                Vec::new()
            } else {
                last
            };
            if !ready.snapshot().is_empty() {
                let snapshot = ready.snapshot().clone();
                self.persist(|disk| disk.install(snapshot.clone()), cx);
                if self.variant != Variant::DropsSnapshotData {
                    self.ledger = Ledger::decode(&snapshot.data);
                }
                self.tell(snapshot.get_metadata().index, cx);
            }
            // The commit index is written no later than what is committed is applied.
            if !ready.entries().is_empty() || ready.hs().is_some() {
                let entries = ready.take_entries();
                let hard_state = ready.hs().cloned();
                self.persist(
                    |disk| {
                        disk.append(&entries);
                        if let Some(hard_state) = &hard_state {
                            disk.set_hard_state(hard_state.clone());
                        }
                    },
                    cx,
                );
                if self.variant == Variant::AppliesUncommitted {
                    self.apply(&entries, cx);
                }
            }
            if role == Some(StateRole::Leader) {
                self.take_office();
            }
            let committed = ready.take_committed_entries();
            self.apply_committed(&committed, cx);
            self.send(last, cx);
            let mut light = self.node.advance(ready);
            if let Some(commit) = light.commit_index() {
                self.persist(|disk| disk.set_commit(commit), cx);
            }
            self.send(light.take_messages(), cx);
            self.apply_committed(&light.take_committed_entries(), cx);
            self.node.advance_apply();
            self.compact(cx);
        }
        if self.is_doomed {
            self.cluster.crash(self.id);
        }
    }

    fn apply_committed(&mut self, entries: &[Entry], cx: &Context<Self>) {
        if self.variant != Variant::AppliesUncommitted {
            self.apply(entries, cx);
        }
    }

    fn apply(&mut self, entries: &[Entry], cx: &Context<Self>) {
        for entry in entries {
            self.ledger.apply(&entry.data);
            self.tell(entry.index, cx);
        }
    }

    /// Tells specification and client what is in the ledger after this index.
    fn tell(&self, index: u64, cx: &Context<Self>) {
        cct::notify::<StatesAgree>((index, self.ledger.clone()));
        cct::notify::<LeadersAreComplete>(Office::Applied(index));
        let applied = Applied {
            replica: self.id,
            ledger: self.ledger.clone(),
        };
        cx.send(&self.client, applied);
    }

    fn take_office(&self) {
        let term = self.node.raft.term;
        cct::notify::<TermsHaveOneLeader>((term, self.id));
        cct::notify::<ALeaderIsElected>(Leadership::Taken(self.id));
        let last = self.node.raft.raft_log.last_index();
        cct::notify::<LeadersAreComplete>(Office::Taken { term, last });
    }

    fn send(&self, messages: Vec<Message>, cx: &mut Context<Self>) {
        for message in messages {
            let is_snapshot = message.get_msg_type() == MessageType::MsgSnapshot;
            if is_snapshot && self.variant != Variant::ForgetsSnapshots {
                cx.start_timer(SNAPSHOT, SnapshotIsOverdue(message.to));
            }
            self.cluster.send(message, cx);
        }
    }

    fn compact(&mut self, cx: &Context<Self>) {
        let applied = self.node.raft.raft_log.applied;
        if applied >= self.node.store().snapshot().get_metadata().index + COMPACTION {
            let data = self.ledger.encode();
            self.persist(|disk| disk.compact(applied, data.clone()), cx);
        }
    }
}

#[cct::machine(start = Running)]
impl Replica {
    #[entry]
    fn begin(&mut self, _: &mut Running, cx: &mut Context<Self>) {
        cct::notify::<ALeaderIsElected>(Leadership::Lost(self.id));
        cx.start_periodic_timer(TICK, TICK, TickIsDue);
        // The life before may have crashed before it could tell.
        let index = self.node.store().snapshot().get_metadata().index;
        if index > 0 {
            self.tell(index, cx);
        }
        self.work(cx);
    }

    #[on]
    fn tick(&mut self, _: TickIsDue, cx: &mut Context<Self>) {
        self.node.tick();
        self.work(cx);
    }

    #[on]
    fn step(&mut self, Deliver(message): Deliver, cx: &mut Context<Self>) {
        // An error tells that the message was of no use.
        let _ = self.node.step(message);
        self.work(cx);
    }

    /// The client proposes again whatever gets lost.
    #[on]
    fn propose(&mut self, Propose(number): Propose, cx: &mut Context<Self>) {
        let _ = self.node.propose(Vec::new(), vec![number]);
        self.work(cx);
    }

    #[on]
    fn give_up_snapshot(&mut self, overdue: SnapshotIsOverdue, cx: &mut Context<Self>) {
        let SnapshotIsOverdue(to) = overdue;
        self.node.report_snapshot(to, SnapshotStatus::Failure);
        self.work(cx);
    }
}

impl fmt::Debug for Replica {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replica")
            .field("id", &self.id)
            .field("term", &self.node.raft.term)
            .field("ledger", &self.ledger)
            .finish_non_exhaustive()
    }
}
