//! The calls themselves. After each of those of rows, a note has to follow.

use super::{Backend, gone};
use crate::filter::Filter;
use crate::operation::{BatchResult, CallError, Operation};
use crate::tables::{Batch, CloseStream, OpenStream, Query, ReadStream, Retrieve, Side, StreamId};
use crate::value::{Key, Row};

impl Backend {
    /// Executes all operations, or none.
    ///
    /// # Errors
    ///
    /// The first operation that cannot be executed.
    pub async fn batch(&mut self, side: Side, operations: Vec<Operation>) -> BatchResult {
        self.count()?;
        let answer = self
            .tables
            .ask(|reply| Batch(side, operations, reply))
            .await;
        answer.ok_or_else(gone)?
    }

    /// Returns the rows that match.
    ///
    /// # Errors
    ///
    /// There are no tables any more.
    pub async fn query(&mut self, side: Side, filter: Filter) -> Result<Vec<Row>, CallError> {
        self.count()?;
        let answer = self.tables.ask(|reply| Query(side, filter, reply)).await;
        answer.ok_or_else(gone)
    }

    /// Returns one row.
    ///
    /// # Errors
    ///
    /// There are no tables any more.
    pub async fn retrieve(&mut self, side: Side, key: Key) -> Result<Option<Row>, CallError> {
        self.count()?;
        let answer = self.tables.ask(|reply| Retrieve(side, key, reply)).await;
        answer.ok_or_else(gone)
    }

    /// Begins a streamed query at a key.
    ///
    /// # Errors
    ///
    /// There are no tables any more.
    pub async fn open(&self, side: Side, filter: Filter, from: Key) -> Result<StreamId, CallError> {
        let answer = self
            .tables
            .ask(|reply| OpenStream(side, filter, from, reply))
            .await;
        answer.ok_or_else(gone)
    }

    /// Returns the next row of a streamed query; none at its end.
    ///
    /// # Errors
    ///
    /// The query has been ended.
    pub async fn read(&self, stream: StreamId) -> Result<Option<Row>, CallError> {
        let answer = self.tables.ask(|reply| ReadStream(stream, reply)).await;
        answer.ok_or_else(gone)?
    }

    /// Ends a streamed query.
    ///
    /// # Errors
    ///
    /// There are no tables any more.
    pub async fn close(&self, stream: StreamId) -> Result<(), CallError> {
        let answer = self.tables.ask(|reply| CloseStream(stream, reply)).await;
        answer.ok_or_else(gone)
    }
}
