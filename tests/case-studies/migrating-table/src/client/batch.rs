//! Batches.

use super::MigratingTable;
use super::translate::{Existing, translate};
use crate::bug::Bug;
use crate::config::{Config, Subscription};
use crate::filter::Filter;
use crate::names::{ASSERTION, META, PartitionState};
use crate::operation::{BatchResult, CallError, Done, Kind, Operation, Status, TableError};
use crate::tables::Side;
use crate::value::{Key, Properties};

impl MigratingTable {
    /// Executes all operations, or none.
    ///
    /// # Errors
    ///
    /// The first operation that cannot be executed.
    pub async fn batch(&mut self, operations: &[Operation]) -> BatchResult {
        let first = operations
            .first()
            .ok_or(CallError::Invalid("an empty batch"))?;
        let partition = first.key.partition.clone();
        let (config, _subscription) = Subscription::new(&self.config, None).await?;
        match config {
            Config::UseOldHideMetadata => {
                let result = self.backend.batch(Side::Old, operations.to_vec()).await;
                return self.concluded(result).await;
            }
            Config::PreferOld => {
                self.try_mark_populated(&partition).await?;
                if let Some(result) = self.write_old(&partition, operations).await {
                    return result;
                }
            }
            _ => {}
        }
        self.backend.ensure_switched(&partition).await?;
        if config <= Config::PreferNew {
            self.copy_affected(&partition, operations).await?;
        }
        self.write_new(&partition, config, operations).await
    }

    /// Reports a linearization point and returns its result.
    async fn concluded(&mut self, result: BatchResult) -> BatchResult {
        if let Ok(_) | Err(CallError::Table(_)) = &result {
            let done = result.as_deref().unwrap_or_default();
            self.backend.note_point(done).await?;
        }
        result
    }

    async fn try_mark_populated(&mut self, partition: &str) -> Result<(), CallError> {
        let meta = Key::new(partition, META);
        let populated = PartitionState::Populated.properties();
        let assertion = Key::new(partition, ASSERTION);
        let operations = vec![
            Operation::new(Kind::Insert, meta, populated),
            Operation::new(Kind::Insert, assertion, Properties::new()),
        ];
        match self.backend.batch(Side::Old, operations).await {
            Err(CallError::Table(error)) if error.status == Status::Conflict => {}
            result => drop(result.map_err(CallError::unexpected)?),
        }
        self.backend.note_nothing().await
    }

    /// Writes to the old table; there is no result if the partition is switched.
    async fn write_old(
        &mut self,
        partition: &str,
        operations: &[Operation],
    ) -> Option<BatchResult> {
        let assertion = Key::new(partition, ASSERTION);
        let guard = Operation::new(Kind::Merge, assertion, Properties::new());
        let guarded = [guard]
            .into_iter()
            .chain(operations.iter().cloned())
            .collect();
        let result = match self.backend.batch(Side::Old, guarded).await {
            Ok(done) => Ok(done[1..].to_vec()),
            Err(CallError::Table(TableError { index: 0, .. })) => {
                return self.backend.note_nothing().await.err().map(Err);
            }
            Err(CallError::Table(TableError { index, status })) => {
                Err(CallError::Table(TableError {
                    index: index - 1,
                    status,
                }))
            }
            Err(other) => Err(other),
        };
        Some(self.concluded(result).await)
    }

    /// Copies the batch's rows that are in the old table alone.
    async fn copy_affected(
        &mut self,
        partition: &str,
        operations: &[Operation],
    ) -> Result<(), CallError> {
        let filter = Filter::of_operations(partition, operations);
        let old = self.backend.query(Side::Old, filter.clone()).await?;
        self.backend.note_nothing().await?;
        let new = self.backend.query(Side::New, filter).await?;
        self.backend.note_nothing().await?;
        for row in &old {
            if new.iter().all(|copy| copy.key != row.key) {
                self.backend.copy(row).await?;
            }
        }
        Ok(())
    }

    /// Writes to the new table, as often as others get in between.
    async fn write_new(
        &mut self,
        partition: &str,
        config: Config,
        operations: &[Operation],
    ) -> BatchResult {
        let leaves_tombstones = config <= Config::UseNewWithTombstones;
        let filter = Filter::of_operations(partition, operations);
        loop {
            let rows = self.backend.query(Side::New, filter.clone()).await?;
            let translated = (operations.iter().enumerate()).map(|(index, operation)| {
                let row = rows.iter().find(|row| row.key == operation.key);
                translate(
                    &self.backend,
                    leaves_tombstones,
                    operation,
                    Existing::of(row),
                )
                .map_err(|status| CallError::Table(TableError { index, status }))
            });
            let translated: Vec<Operation> = match translated.collect() {
                Ok(translated) => translated,
                Err(error) => return self.concluded(Err(error)).await,
            };
            self.backend.note_nothing().await?;
            match self.backend.batch(Side::New, translated).await {
                Ok(done) => {
                    let done = self.results(operations, &done);
                    return self.concluded(Ok(done)).await;
                }
                Err(CallError::Table(_)) => self.backend.note_nothing().await?,
                Err(other) => return Err(other),
            }
        }
    }

    /// Makes the user's results of those of the new table.
    fn results(&self, operations: &[Operation], done: &[Done]) -> Vec<Done> {
        let result = |(operation, done): (&Operation, &Done)| {
            let is_deletion = matches!(operation.kind, Kind::Delete | Kind::DeleteIfExists);
            let hides_etag = if is_deletion {
                !self.backend.has(Bug::TombstoneOutputEtag)
            } else {
                self.backend.has(Bug::WriteHideEtag)
            };
            Done {
                status: match operation.kind {
                    Kind::Insert => Status::Created,
                    _ => Status::NoContent,
                },
                etag: done.etag.filter(|_| !hides_etag),
            }
        };
        operations.iter().zip(done).map(result).collect()
    }
}
