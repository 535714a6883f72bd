//! Failures on disk: everything needed to show one again and to repeat it, and to know it again.

mod class;
mod history;
mod id;
mod kept;
mod merge;
mod place;
mod record;
mod steps;
mod store;

pub(crate) use history::History;
pub(crate) use id::Id;
pub(crate) use kept::Kept;
pub(crate) use merge::{Stays, merge, renew};
pub(crate) use record::{Provenance, Record};
pub(crate) use store::{Store, StoreError};
