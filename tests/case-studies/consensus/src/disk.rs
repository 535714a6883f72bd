//! The disk of a replica.

use raft::eraftpb::{ConfState, Entry, HardState, Snapshot};
use raft::{Error, GetEntriesContext, RaftState, Storage, StorageError};

/// The log and all else that a replica has to find again.
#[derive(Clone, Debug)]
pub struct Disk {
    hard_state: HardState,
    /// All up to its index is in here, and no more in the log.
    snapshot: Snapshot,
    entries: Vec<Entry>,
}

impl Disk {
    /// An empty disk of a replica among these.
    #[must_use]
    pub fn new(replicas: Vec<u64>) -> Disk {
        let mut snapshot = Snapshot::default();
        let replicas = ConfState::from((replicas, vec![]));
        snapshot.mut_metadata().set_conf_state(replicas);
        Disk {
            hard_state: HardState::default(),
            snapshot,
            entries: Vec::new(),
        }
    }

    /// The log after the snapshot.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The snapshot, which may be empty.
    #[must_use]
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// Writes entries, in place of those that they contradict.
    pub fn append(&mut self, entries: &[Entry]) {
        let Some(first) = entries.first() else {
            return;
        };
        let kept = first.index - self.start() - 1;
        self.entries.truncate(kept as usize);
        self.entries.extend_from_slice(entries);
    }

    /// Writes term, vote and commit index.
    pub fn set_hard_state(&mut self, hard_state: HardState) {
        self.hard_state = hard_state;
    }

    /// Writes the commit index alone.
    pub fn set_commit(&mut self, commit: u64) {
        self.hard_state.commit = commit;
    }

    /// A leader's snapshot takes the place of the log.
    pub fn install(&mut self, snapshot: Snapshot) {
        let metadata = snapshot.get_metadata();
        self.hard_state.term = self.hard_state.term.max(metadata.term);
        self.hard_state.commit = metadata.index;
        self.entries.clear();
        self.snapshot = snapshot;
    }

    /// Makes a snapshot of all up to this index, which has been applied.
    pub fn compact(&mut self, index: u64, data: Vec<u8>) {
        let Ok(term) = self.term(index) else { return };
        let dropped = index - self.start();
        self.entries.drain(..dropped as usize);
        self.snapshot.mut_metadata().index = index;
        self.snapshot.mut_metadata().term = term;
        self.snapshot.data = data.into();
    }

    /// A bug: the vote is lost.
    pub fn forget_vote(&mut self) {
        self.hard_state.vote = 0;
    }

    /// A bug: the last entry is lost.
    pub fn lose_last_entry(&mut self) {
        self.entries.pop();
        self.hard_state.commit = self.hard_state.commit.min(self.end());
    }

    /// The index that the snapshot ends with.
    fn start(&self) -> u64 {
        self.snapshot.get_metadata().index
    }

    /// The index that the log ends with.
    fn end(&self) -> u64 {
        self.start() + self.entries.len() as u64
    }

    /// The place of an index in the log.
    fn place(&self, index: u64) -> usize {
        (index - self.start() - 1) as usize
    }
}

impl Storage for Disk {
    fn initial_state(&self) -> raft::Result<RaftState> {
        Ok(RaftState {
            hard_state: self.hard_state.clone(),
            conf_state: self.snapshot.get_metadata().get_conf_state().clone(),
        })
    }

    fn entries(
        &self,
        low: u64,
        high: u64,
        max_size: impl Into<Option<u64>>,
        _: GetEntriesContext,
    ) -> raft::Result<Vec<Entry>> {
        if low <= self.start() {
            return Err(Error::Store(StorageError::Compacted));
        }
        let mut entries = self.entries[self.place(low)..self.place(high)].to_vec();
        raft::util::limit_size(&mut entries, max_size.into());
        Ok(entries)
    }

    fn term(&self, index: u64) -> raft::Result<u64> {
        if index == self.start() {
            return Ok(self.snapshot.get_metadata().term);
        }
        if index < self.start() {
            return Err(Error::Store(StorageError::Compacted));
        }
        let entry = self.entries.get(self.place(index));
        let entry = entry.ok_or(Error::Store(StorageError::Unavailable))?;
        Ok(entry.term)
    }

    fn first_index(&self) -> raft::Result<u64> {
        Ok(self.start() + 1)
    }

    fn last_index(&self) -> raft::Result<u64> {
        Ok(self.end())
    }

    fn snapshot(&self, request_index: u64, _to: u64) -> raft::Result<Snapshot> {
        if self.start() < request_index {
            let error = StorageError::SnapshotTemporarilyUnavailable;
            return Err(Error::Store(error));
        }
        Ok(self.snapshot.clone())
    }
}
