//! The requests that the tables take, and what is said in them.

use cct::actor::Reply;

use crate::filter::Filter;
use crate::operation::{BatchResult, CallError, Done, Operation, TableError};
use crate::value::{Etag, Key, Row};

/// One of the two backend tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// The one that rows are moved from.
    Old,
    /// The one that rows are moved to.
    New,
}

/// The number of a streamed query on a backend table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct StreamId(pub(super) u32);

/// Asks for all of these operations. A note has to follow.
#[derive(Debug)]
pub struct Batch(pub Side, pub Vec<Operation>, pub Reply<BatchResult>);

/// Asks for the rows that match. A note has to follow.
#[derive(Debug)]
pub struct Query(pub Side, pub Filter, pub Reply<Vec<Row>>);

/// Asks for one row. A note has to follow.
#[derive(Debug)]
pub struct Retrieve(pub Side, pub Key, pub Reply<Option<Row>>);

/// Says what the call before it meant.
#[derive(Debug)]
pub struct Annotate(pub Note, pub Reply<Result<Option<Outcome>, CallError>>);

/// Begins a streamed query at a key.
#[derive(Debug)]
pub struct OpenStream(pub Side, pub Filter, pub Key, pub Reply<StreamId>);

/// Asks for the next row of a streamed query.
#[derive(Debug)]
pub struct ReadStream(pub StreamId, pub Reply<Result<Option<Row>, CallError>>);

/// Ends a streamed query.
#[derive(Debug)]
pub struct CloseStream(pub StreamId, pub Reply<()>);

/// Asks for all rows of the reference and its revision.
#[derive(Debug)]
pub struct ReadReference(pub Reply<(usize, Vec<Row>)>);

/// Asks for the rows that a streamed query on the reference may return if it began at this revision, has this
/// filter and is at this key.
#[derive(Debug)]
pub struct ReadReferenceStream(pub usize, pub Filter, pub Key, pub Reply<Vec<Option<Row>>>);

/// Asks for all rows of a backend table.
#[derive(Debug)]
pub struct Dump(pub Side, pub Reply<Vec<Row>>);

/// The meaning of a call.
#[derive(Clone, Debug)]
pub enum Note {
    /// It did not change the virtual table.
    Nothing,
    /// It was the linearization point of this operation. A batch that succeeded has had these results.
    Point(Request, Vec<Done>),
    /// It changed the version of this row, and nothing else.
    Etag(Key, Etag),
}

/// An operation on a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request {
    /// A batch.
    Batch(Vec<Operation>),
    /// An atomic query.
    Query(Filter),
}

/// The outcome of an operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The outcome of a batch.
    Batch(Result<Vec<Done>, TableError>),
    /// The outcome of an atomic query.
    Query(Vec<Row>),
}
