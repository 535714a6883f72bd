//! Names that clients may not use, and how rows with them are made presentable.

use crate::filter::Filter;
use crate::value::{Key, Properties, Row, Value};

/// The row with the state of its partition.
pub const META: &str = "_mtable_partition_meta";
/// The property with the state of the partition.
pub const STATE: &str = "_mtable_partition_state";
/// The row that exists as long as its partition is populated.
pub const ASSERTION: &str = "_mtable_partition_populated_assertion";
/// The property of rows that are deleted, for readers of both tables.
pub const DELETED: &str = "_mtable_deleted";

/// The states of partitions that were touched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PartitionState {
    /// Rows are in the old table.
    Populated,
    /// Rows are written to the new table.
    Switched,
}

impl PartitionState {
    /// Returns the data of the meta row.
    #[must_use]
    pub fn properties(self) -> Properties {
        let value = Value::Int(i64::from(self == PartitionState::Switched));
        [(STATE.to_owned(), value)].into()
    }

    /// Finds the state in the meta row.
    #[must_use]
    pub fn of(row: &Row) -> PartitionState {
        match row.properties.get(STATE) {
            Some(Value::Int(1)) => PartitionState::Switched,
            _ => PartitionState::Populated,
        }
    }
}

/// Tells whether the row is not a client's.
#[must_use]
pub fn is_internal(key: &Key) -> bool {
    key.row == META || key.row == ASSERTION
}

/// Tells whether the row stands for the absence of a row.
#[must_use]
pub fn is_tombstone(row: &Row) -> bool {
    row.properties.get(DELETED) == Some(&Value::Bool(true))
}

/// Adds the mark of a row that is deleted, or is not.
#[must_use]
pub fn marked(mut properties: Properties, is_deleted: bool) -> Properties {
    properties.insert(DELETED.to_owned(), Value::Bool(is_deleted));
    properties
}

/// Returns the row as its client wrote it; nothing if no client did, or if it does not match.
#[must_use]
pub fn exported(row: &Row, filter: &Filter) -> Option<Row> {
    if is_internal(&row.key) || is_tombstone(row) || !filter.matches(row) {
        return None;
    }
    let mut row = row.clone();
    row.properties.remove(DELETED);
    Some(row)
}
