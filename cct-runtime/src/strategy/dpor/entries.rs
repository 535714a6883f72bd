//! The candidates at the nodes of the path.

use std::ops::{Deref, Range};

use super::super::WorkerId;

/// A candidate at a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) worker: WorkerId,
    /// It need not be explored: its step was, before the node or at it.
    pub(super) sleeps: bool,
    /// It is to be explored, or was.
    pub(super) planned: bool,
    /// The effects of its step, once they are known: a part of the footprints.
    pub(super) from: u32,
    pub(super) to: u32,
}

impl Entry {
    /// It is yet to be explored, or being explored.
    fn is_open(&self) -> bool {
        self.planned && !self.sleeps
    }
}

/// The candidates of all nodes, node by node.
#[derive(Debug, Default)]
pub(super) struct Entries {
    all: Vec<Entry>,
    /// How many of them are open.
    open: usize,
}

impl Deref for Entries {
    type Target = [Entry];

    fn deref(&self) -> &[Entry] {
        &self.all
    }
}

impl Entries {
    /// How many are yet to be explored, or being explored.
    pub(super) fn open(&self) -> usize {
        self.open
    }

    /// Adds one.
    pub(super) fn push(&mut self, entry: Entry) {
        self.open += usize::from(entry.is_open());
        self.all.push(entry);
    }

    /// This one is to be explored.
    pub(super) fn plan(&mut self, index: usize) {
        let entry = &mut self.all[index];
        self.open += usize::from(!entry.planned && !entry.sleeps);
        entry.planned = true;
    }

    /// These are.
    pub(super) fn plan_all(&mut self, range: Range<usize>) {
        range.for_each(|index| self.plan(index));
    }

    /// This one has been explored.
    pub(super) fn put_to_sleep(&mut self, index: usize) {
        let entry = &mut self.all[index];
        self.open -= usize::from(entry.is_open());
        entry.sleeps = true;
    }

    /// The effects of this one's step are a part of the footprints.
    pub(super) fn set_footprint(&mut self, index: usize, from: u32, to: u32) {
        let entry = &mut self.all[index];
        (entry.from, entry.to) = (from, to);
    }

    /// Forgets all but so many.
    pub(super) fn truncate(&mut self, len: usize) {
        let gone = self.all[len..].iter().filter(|entry| entry.is_open());
        self.open -= gone.count();
        self.all.truncate(len);
    }
}
