//! Atomic queries.

use super::MigratingTable;
use crate::bug::Bug;
use crate::config::{Config, Subscription};
use crate::filter::Filter;
use crate::names::{META, PartitionState, exported};
use crate::operation::CallError;
use crate::tables::Side;
use crate::value::Row;

impl MigratingTable {
    /// Returns the rows of a partition that match, as they are at one moment.
    ///
    /// # Errors
    ///
    /// The filter does not pin a partition.
    pub async fn query(&mut self, filter: &Filter) -> Result<Vec<Row>, CallError> {
        let (partition, rest) =
            (filter.pinned()).ok_or(CallError::Invalid("a query of several partitions"))?;
        let (config, _subscription) = Subscription::new(&self.config, None).await?;
        let rows = match config {
            Config::UseOldHideMetadata => self.backend.query(Side::Old, filter.clone()).await?,
            Config::PreferOld | Config::PreferNew => self.query_both(partition, rest).await?,
            _ => self.backend.query(Side::New, filter.clone()).await?,
        };
        self.backend.note_point(&[]).await?;
        Ok(rows
            .iter()
            .filter_map(|row| exported(row, filter))
            .collect())
    }

    /// Queries the old table, and if the partition is switched, then lays the new one over it. The last call
    /// has no note yet.
    async fn query_both(&mut self, partition: &str, rest: &Filter) -> Result<Vec<Row>, CallError> {
        let rest = match rest {
            Filter::All => Filter::All,
            rest => Filter::row_is(META).or(rest.clone()),
        };
        let widened = Filter::partition(partition, rest);
        let mut rows = self.backend.query(Side::Old, widened.clone()).await?;
        let meta = rows.iter().find(|row| row.key.row == META);
        if meta.map(PartitionState::of) != Some(PartitionState::Switched) {
            return Ok(rows);
        }
        self.backend.note_nothing().await?;
        // A row that does not match hides its old version all the same.
        let filter = if self.backend.has(Bug::QueryAtomicFilterShadowing) {
            widened
        } else {
            Filter::partition(partition, Filter::All)
        };
        let new = self.backend.query(Side::New, filter).await?;
        rows.retain(|row| new.iter().all(|other| other.key != row.key));
        rows.extend(new);
        rows.sort();
        Ok(rows)
    }
}
