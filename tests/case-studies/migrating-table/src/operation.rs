//! Modifications of rows, their results and their errors.

use std::error::Error;
use std::fmt;

use crate::value::{Etag, Key, Properties};

/// A modification of one row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operation {
    /// The kind of modification.
    pub kind: Kind,
    /// The row.
    pub key: Key,
    /// The version that the row must have. Only `Replace`, `Merge` and `Delete` look at it.
    pub if_match: IfMatch,
    /// The data to write.
    pub properties: Properties,
}

impl Operation {
    /// Makes an operation that holds for any version.
    #[must_use]
    pub fn new(kind: Kind, key: Key, properties: Properties) -> Operation {
        let if_match = IfMatch::Any;
        Operation {
            kind,
            key,
            if_match,
            properties,
        }
    }

    /// Demands a version.
    #[must_use]
    pub fn if_match(self, if_match: IfMatch) -> Operation {
        Operation { if_match, ..self }
    }
}

/// The kinds of modifications.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Adds a row that is not there.
    Insert,
    /// Replaces the properties of a row.
    Replace,
    /// Sets some properties of a row, and keeps the others.
    Merge,
    /// Removes a row.
    Delete,
    /// Removes a row if it is there.
    DeleteIfExists,
    /// Adds a row, or replaces its properties.
    InsertOrReplace,
    /// Adds a row, or sets some of its properties.
    InsertOrMerge,
}

/// A demand on the version of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IfMatch {
    /// None is given, which is not valid where one is needed.
    Missing,
    /// Any will do.
    Any,
    /// It must be this one.
    Etag(Etag),
}

impl IfMatch {
    /// Tells whether a version will do.
    #[must_use]
    pub fn holds(self, etag: Etag) -> bool {
        match self {
            IfMatch::Missing => false,
            IfMatch::Any => true,
            IfMatch::Etag(wanted) => wanted == etag,
        }
    }
}

/// The codes of success and failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// 201.
    Created,
    /// 204.
    NoContent,
    /// 404.
    NotFound,
    /// 409.
    Conflict,
    /// 412.
    PreconditionFailed,
}

/// The result of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Done {
    /// Its code.
    pub status: Status,
    /// The new version of the row, unless it was deleted.
    pub etag: Option<Etag>,
}

/// The failure of a batch, which is part of the meaning of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableError {
    /// The number of the first operation that failed.
    pub index: usize,
    /// Its code.
    pub status: Status,
}

/// The failure of a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CallError {
    /// The state of the table does not allow it.
    Table(TableError),
    /// No state of the table allows it: a bug of the caller.
    Invalid(&'static str),
    /// The migrating table does not understand what it sees: a bug of its own.
    Internal(String),
}

impl CallError {
    /// Takes an error for one that cannot be.
    #[must_use]
    pub fn unexpected(self) -> CallError {
        match self {
            CallError::Table(error) => CallError::Internal(format!("unexpected {error:?}")),
            other => other,
        }
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallError::Table(error) => {
                write!(f, "operation {} fails: {:?}", error.index, error.status)
            }
            CallError::Invalid(text) => write!(f, "invalid argument: {text}"),
            CallError::Internal(text) => write!(f, "internal error: {text}"),
        }
    }
}

impl Error for CallError {}

/// The result of a batch: one of each operation, or the failure of all.
pub type BatchResult = Result<Vec<Done>, CallError>;
