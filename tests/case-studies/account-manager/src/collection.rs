//! The store's interface.

use std::fmt;
use std::future::Future;

use crate::Account;

/// The state of a row: each write makes another one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ETag(pub u64);

/// Which state a row has to be in to be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IfMatch {
    /// Any.
    Any,
    /// This one.
    ETag(ETag),
}

/// The reason for which the store refuses an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowError {
    /// There is a row of this name.
    AlreadyExists,
    /// There is none.
    NotFound,
    /// There is one in another state.
    ETagMismatch,
}

impl fmt::Display for RowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RowError::AlreadyExists => "the row already exists",
            RowError::NotFound => "the row was not found",
            RowError::ETagMismatch => "the row has changed",
        })
    }
}

impl std::error::Error for RowError {}

/// Rows by name.
pub trait Collection: Send + Sync {
    /// Adds a row, unless there is one of this name.
    fn create(&self, name: &str, row: Account)
    -> impl Future<Output = Result<(), RowError>> + Send;

    /// True if there is a row of this name.
    fn exists(&self, name: &str) -> impl Future<Output = bool> + Send;

    /// The row of this name, and its state.
    fn get(&self, name: &str) -> impl Future<Output = Result<(Account, ETag), RowError>> + Send;

    /// Writes over the row of this name.
    fn update(
        &self,
        name: &str,
        row: Account,
        state: IfMatch,
    ) -> impl Future<Output = Result<(), RowError>> + Send;

    /// Removes the row of this name.
    fn delete(&self, name: &str) -> impl Future<Output = Result<(), RowError>> + Send;
}
