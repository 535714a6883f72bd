//! The candidates of each chain.

use super::{ChainId, WorkerId};

/// By chain, which of its workers are candidates.
#[derive(Debug, Default)]
pub(super) struct Members {
    /// By worker: its chain, and where among the chain's candidates it stands while it is one.
    workers: Vec<(ChainId, u32)>,
    /// By chain: its candidates.
    chains: Vec<Vec<WorkerId>>,
}

impl Members {
    /// A new iteration begins.
    pub(super) fn clear(&mut self) {
        self.workers.clear();
        self.chains.iter_mut().for_each(Vec::clear);
    }

    /// The next worker has been created, in this chain; it is no candidate yet.
    pub(super) fn create(&mut self, worker: WorkerId, chain: ChainId) {
        debug_assert_eq!(worker.0 as usize, self.workers.len());
        self.workers.push((chain, 0));
        self.know(chain);
    }

    /// A worker that is no candidate goes on with this chain.
    pub(super) fn go_on(&mut self, worker: WorkerId, chain: ChainId) {
        self.know(chain);
        self.workers[worker.0 as usize].0 = chain;
    }

    pub(super) fn chain_of(&self, worker: WorkerId) -> ChainId {
        self.workers[worker.0 as usize].0
    }

    /// The candidates of a chain that has had a worker, in no order.
    pub(super) fn of(&self, chain: ChainId) -> &[WorkerId] {
        &self.chains[chain.0 as usize]
    }

    /// A worker becomes a candidate. Returns its chain.
    pub(super) fn enter(&mut self, worker: WorkerId) -> ChainId {
        let (chain, position) = &mut self.workers[worker.0 as usize];
        let candidates = &mut self.chains[chain.0 as usize];
        *position = candidates.len() as u32;
        candidates.push(worker);
        *chain
    }

    /// A candidate is one no longer. Returns its chain.
    pub(super) fn leave(&mut self, worker: WorkerId) -> ChainId {
        let (chain, position) = self.workers[worker.0 as usize];
        let candidates = &mut self.chains[chain.0 as usize];
        candidates.swap_remove(position as usize);
        if let Some(moved) = candidates.get(position as usize) {
            self.workers[moved.0 as usize].1 = position;
        }
        chain
    }

    fn know(&mut self, chain: ChainId) {
        let chain = chain.0 as usize;
        if self.chains.len() <= chain {
            self.chains.resize(chain + 1, Vec::new());
        }
    }
}
