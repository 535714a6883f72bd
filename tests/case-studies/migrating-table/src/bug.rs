//! Mistakes that can be switched on.

/// A mistake. Most of them were really made while the original was developed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// An atomic query reads the new table with the user's filter, so that rows which no longer match do not
    /// hide their old versions.
    QueryAtomicFilterShadowing,
    /// A streamed query does the same.
    QueryStreamedFilterShadowing,
    /// A streamed query adapts to a new configuration while it reads.
    QueryStreamedLock,
    /// A streamed query leaves the old table, but does not go back in the new one to where it was in the old.
    QueryStreamedBackUpNewStream,
    /// A streamed query forgets the new configuration, which repeats work and does no harm.
    QueryStreamedSaveNewConfig,
    /// A row is physically deleted without a demand on its version.
    DeleteNoLeaveTombstonesEtag,
    /// A row is deleted without its key.
    DeletePrimaryKey,
    /// A partition that was marked as populated is not switched.
    EnsurePartitionSwitchedFromPopulated,
    /// A deletion returns the version of the tombstone.
    TombstoneOutputEtag,
    /// No write to the new table returns the version of its row. The published program does this in place of
    /// [`TombstoneOutputEtag`](Bug::TombstoneOutputEtag), by a condition that is inverted.
    WriteHideEtag,
    /// The migrator goes straight from using the old table to preferring the new one.
    MigrateSkipPreferOld,
    /// The migrator goes straight from preferring the new table to deleting rows in it.
    MigrateSkipUseNewWithTombstones,
    /// The migrator copies while clients still write to the old table.
    InsertBehindMigrator,
}
