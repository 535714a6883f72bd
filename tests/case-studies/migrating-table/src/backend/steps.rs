//! The steps that clients and the migrator have in common.

use super::Backend;
use crate::bug::Bug;
use crate::filter::Filter;
use crate::names::{ASSERTION, META, PartitionState, marked};
use crate::operation::{CallError, Done, Kind, Operation, Status, TableError};
use crate::tables::Side;
use crate::value::{Key, Properties, Row};

impl Backend {
    /// Sees to it that nobody writes the partition's rows to the old table any more.
    ///
    /// # Errors
    ///
    /// The partition is in no state that it can be in.
    pub async fn ensure_switched(&mut self, partition: &str) -> Result<(), CallError> {
        let meta = Key::new(partition, META);
        loop {
            let state = if self.has(Bug::EnsurePartitionSwitchedFromPopulated) {
                None
            } else {
                let filter = Filter::partition(partition, Filter::row_is(META));
                let rows = self.query(Side::Old, filter).await?;
                self.note_nothing().await?;
                rows.first().map(PartitionState::of)
            };
            let switched = PartitionState::Switched.properties();
            let operations = match state {
                None => vec![Operation::new(Kind::Insert, meta.clone(), switched)],
                Some(PartitionState::Populated) => {
                    let assertion = Key::new(partition, ASSERTION);
                    vec![
                        Operation::new(Kind::Replace, meta.clone(), switched),
                        Operation::new(Kind::Delete, assertion, Properties::new()),
                    ]
                }
                Some(PartitionState::Switched) => return Ok(()),
            };
            let result = self.batch(Side::Old, operations).await;
            self.note_nothing().await?;
            match result {
                Ok(_) => return Ok(()),
                Err(CallError::Table(TableError { status, .. })) => match (state, status) {
                    (None, Status::Conflict) => {
                        if self.has(Bug::EnsurePartitionSwitchedFromPopulated) {
                            return Ok(());
                        }
                    }
                    // Somebody else has switched it, or deleted all traces of the migration.
                    (Some(_), Status::NotFound) => return Ok(()),
                    _ => return Err(CallError::Internal(format!("not switched: {status:?}"))),
                },
                Err(other) => return Err(other),
            }
        }
    }

    /// Copies a row from the old table to the new one, unless it is there.
    ///
    /// # Errors
    ///
    /// The new table fails in another way.
    pub async fn copy(&mut self, row: &Row) -> Result<(), CallError> {
        let properties = marked(row.properties.clone(), false);
        let insert = Operation::new(Kind::Insert, row.key.clone(), properties);
        let result = self.batch(Side::New, vec![insert]).await;
        match result.as_deref() {
            Ok(
                [
                    Done {
                        etag: Some(etag), ..
                    },
                ],
            ) => self.note_etag(row.key.clone(), *etag).await,
            Err(CallError::Table(error)) if error.status == Status::Conflict => {
                self.note_nothing().await
            }
            _ => Err(CallError::Internal(format!("not copied: {result:?}"))),
        }
    }
}
