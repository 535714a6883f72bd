//! A table in memory that is correct by inspection, and remembers all that it ever held.
//!
//! It serves as both backend tables, and as the reference that the migrating table is compared with.

use std::collections::{BTreeMap, BTreeSet};

use crate::filter::Filter;
use crate::operation::{
    BatchResult, CallError, Done, IfMatch, Kind, Operation, Status, TableError,
};
use crate::value::{Etag, Key, Properties, Row};

type Rows = BTreeMap<Key, Row>;

/// A table with its history.
#[derive(Debug)]
pub struct SpecTable {
    name: char,
    next_etag: u32,
    rows: Rows,
    /// All rows after each successful write, from before the first one on.
    history: Vec<Rows>,
}

impl SpecTable {
    /// Creates a table without rows. Its versions bear its name.
    #[must_use]
    pub fn new(name: char) -> SpecTable {
        SpecTable {
            name,
            next_etag: 1,
            rows: Rows::new(),
            history: vec![Rows::new()],
        }
    }

    /// Executes all operations, or none.
    ///
    /// # Errors
    ///
    /// The first operation that cannot be executed.
    pub fn batch(&mut self, operations: &[Operation]) -> BatchResult {
        let (name, mut next) = (self.name, self.next_etag);
        let done = self.execute(operations, |_| {
            next += 1;
            Etag {
                table: name,
                number: next - 1,
            }
        })?;
        self.next_etag = next;
        Ok(done)
    }

    /// Executes a batch with the versions that another table gave to its rows.
    ///
    /// # Errors
    ///
    /// The first operation that cannot be executed.
    pub fn mirror(&mut self, operations: &[Operation], results: &[Done]) -> BatchResult {
        self.execute(operations, |index| {
            (results.get(index))
                .and_then(|done| done.etag)
                .unwrap_or(Etag::WRONG)
        })
    }

    fn execute(
        &mut self,
        operations: &[Operation],
        mut etag: impl FnMut(usize) -> Etag,
    ) -> BatchResult {
        check_shape(operations)?;
        let mut rows = self.rows.clone();
        let mut results = Vec::new();
        for (index, operation) in operations.iter().enumerate() {
            let status = write(&mut rows, operation, &mut || etag(index));
            results.push(status?.map_err(|status| CallError::Table(TableError { index, status }))?);
        }
        self.history.push(rows.clone());
        self.rows = rows;
        Ok(results)
    }

    /// Returns the rows that match, in order.
    #[must_use]
    pub fn query(&self, filter: &Filter) -> Vec<Row> {
        let rows = self.rows.values();
        rows.filter(|row| filter.matches(row)).cloned().collect()
    }

    /// Returns the row of this key.
    #[must_use]
    pub fn retrieve(&self, key: &Key) -> Option<Row> {
        self.rows.get(key).cloned()
    }

    /// Returns the number of successful writes.
    #[must_use]
    pub fn revision(&self) -> usize {
        self.history.len() - 1
    }

    /// Returns all that a streamed query may return next if it began at this revision and is at this key;
    /// `None` is its end.
    #[must_use]
    pub fn valid_stream_rows(&self, start: usize, filter: &Filter, from: &Key) -> Vec<Option<Row>> {
        let dumps: Vec<Vec<&Row>> = (self.history[start..].iter())
            .map(|rows| {
                let rows = rows.range(from.clone()..).map(|(_, row)| row);
                rows.filter(|row| filter.matches(row)).collect()
            })
            .collect();
        let is_in_all = |key: &Key| {
            let mut dumps = dumps.iter();
            dumps.all(|rows| rows.iter().any(|row| row.key == *key))
        };
        let mandatory = dumps[0]
            .iter()
            .map(|row| &row.key)
            .find(|key| is_in_all(key));
        let rows: BTreeSet<&Row> = dumps.iter().flatten().copied().collect();
        let is_near = |row: &Row| mandatory.is_none_or(|key| row.key <= *key);
        let near = rows
            .into_iter()
            .filter(|row| is_near(row))
            .cloned()
            .map(Some);
        let end = mandatory.is_none().then_some(None);
        near.chain(end).collect()
    }
}

/// A batch is of one partition, and of at least one operation.
fn check_shape(operations: &[Operation]) -> Result<(), CallError> {
    let first = operations
        .first()
        .ok_or(CallError::Invalid("an empty batch"))?;
    for operation in operations {
        if operation.key.partition != first.key.partition {
            return Err(CallError::Invalid("a batch of several partitions"));
        }
        if operation.key.row.is_empty() {
            return Err(CallError::Invalid("no row key"));
        }
    }
    Ok(())
}

/// Executes one operation.
fn write(
    rows: &mut Rows,
    operation: &Operation,
    etag: &mut dyn FnMut() -> Etag,
) -> Result<Result<Done, Status>, CallError> {
    let key = &operation.key;
    let row = rows.get(key);
    let needs_row = matches!(operation.kind, Kind::Replace | Kind::Merge | Kind::Delete);
    if needs_row {
        let Some(row) = row else {
            return Ok(Err(Status::NotFound));
        };
        if operation.if_match == IfMatch::Missing {
            return Err(CallError::Invalid("no If-Match"));
        }
        if !operation.if_match.holds(row.etag) {
            return Ok(Err(Status::PreconditionFailed));
        }
    }
    let mut properties = Properties::new();
    match operation.kind {
        Kind::Insert if row.is_some() => return Ok(Err(Status::Conflict)),
        Kind::Delete | Kind::DeleteIfExists => {
            rows.remove(key);
            let (status, etag) = (Status::NoContent, None);
            return Ok(Ok(Done { status, etag }));
        }
        Kind::Merge | Kind::InsertOrMerge => {
            properties = row.map(|row| row.properties.clone()).unwrap_or_default();
        }
        Kind::Insert | Kind::Replace | Kind::InsertOrReplace => {}
    }
    properties.extend(operation.properties.clone());
    let etag = etag();
    let row = Row {
        key: key.clone(),
        etag,
        properties,
    };
    rows.insert(key.clone(), row);
    let status = match operation.kind {
        Kind::Insert => Status::Created,
        _ => Status::NoContent,
    };
    let etag = Some(etag);
    Ok(Ok(Done { status, etag }))
}
