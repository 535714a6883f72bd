//! The operations on the new table that have the effect of a user's operation on the virtual one.

use crate::backend::Backend;
use crate::bug::Bug;
use crate::names::{is_tombstone, marked};
use crate::operation::{IfMatch, Kind, Operation, Status};
use crate::value::{Etag, Key, Properties, Row};

/// The row in the new table that an operation is about.
#[derive(Clone, Copy)]
pub(super) enum Existing {
    /// There is none.
    None,
    /// It stands for the absence of a row.
    Tombstone(Etag),
    /// It is a client's.
    Live(Etag),
}

impl Existing {
    pub(super) fn of(row: Option<&Row>) -> Existing {
        match row {
            None => Existing::None,
            Some(row) if is_tombstone(row) => Existing::Tombstone(row.etag),
            Some(row) => Existing::Live(row.etag),
        }
    }
}

/// Translates an operation, or says how it fails.
pub(super) fn translate(
    backend: &Backend,
    leaves_tombstones: bool,
    operation: &Operation,
    existing: Existing,
) -> Result<Operation, Status> {
    let properties = marked(operation.properties.clone(), false);
    let written = |kind| Operation::new(kind, operation.key.clone(), properties.clone());
    match (operation.kind, existing) {
        (Kind::Insert, Existing::None) => Ok(written(Kind::Insert)),
        (Kind::Insert, Existing::Tombstone(etag)) => {
            Ok(written(Kind::Replace).if_match(IfMatch::Etag(etag)))
        }
        (Kind::Insert, Existing::Live(_)) => Err(Status::Conflict),
        (kind @ (Kind::Replace | Kind::Merge), existing) => {
            let etag = checked(operation, existing)?;
            // Even if any version will do: the row may become a tombstone.
            Ok(written(kind).if_match(IfMatch::Etag(etag)))
        }
        (Kind::Delete, existing) => {
            let etag = checked(operation, existing)?;
            Ok(deletion(backend, leaves_tombstones, operation, Some(etag)))
        }
        (Kind::DeleteIfExists, _) => Ok(deletion(backend, leaves_tombstones, operation, None)),
        (kind @ (Kind::InsertOrReplace | Kind::InsertOrMerge), _) => Ok(written(kind)),
    }
}

/// Returns the version of a row that must be there.
fn checked(operation: &Operation, existing: Existing) -> Result<Etag, Status> {
    match existing {
        Existing::Live(etag) if operation.if_match.holds(etag) => Ok(etag),
        Existing::Live(_) => Err(Status::PreconditionFailed),
        Existing::None | Existing::Tombstone(_) => Err(Status::NotFound),
    }
}

/// Deletes the row: that of this version, or whichever there is.
fn deletion(
    backend: &Backend,
    leaves_tombstones: bool,
    operation: &Operation,
    etag: Option<Etag>,
) -> Operation {
    let key = if backend.has(Bug::DeletePrimaryKey) {
        Key::default()
    } else {
        operation.key.clone()
    };
    let if_match = etag.map_or(IfMatch::Any, IfMatch::Etag);
    if leaves_tombstones {
        let kind = etag.map_or(Kind::InsertOrReplace, |_| Kind::Replace);
        let tombstone = Operation::new(kind, key, marked(Properties::new(), true));
        return tombstone.if_match(if_match);
    }
    if backend.has(Bug::DeleteNoLeaveTombstonesEtag) {
        let delete = Operation::new(Kind::Delete, key, Properties::new());
        return delete.if_match(IfMatch::Missing);
    }
    let kind = etag.map_or(Kind::DeleteIfExists, |_| Kind::Delete);
    Operation::new(kind, key, Properties::new()).if_match(if_match)
}
