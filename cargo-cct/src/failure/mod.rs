//! Failures on disk: everything needed to show one again and to repeat it.

mod id;
mod record;
mod store;

pub(crate) use record::{Provenance, Record};
pub(crate) use store::{Store, StoreError};
