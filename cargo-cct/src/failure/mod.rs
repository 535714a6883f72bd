//! Failures on disk: everything needed to show one again and to repeat it, and to know it again.

mod build;
mod class;
mod history;
mod id;
mod kept;
mod landmark;
mod leads_to;
mod merge;
mod place;
mod portable;
mod record;
mod seal;
mod steps;
mod store;
mod stranger;
mod trim;
mod versions;

pub(crate) use build::build_of;
pub(crate) use history::History;
pub(crate) use id::Id;
pub(crate) use kept::Kept;
pub(crate) use landmark::Moves;
pub(crate) use leads_to::{LeadsTo, LedTo};
pub(crate) use merge::{Stays, merge, renew};
pub(crate) use place::Sources;
pub(crate) use portable::Folders;
pub(crate) use record::{Provenance, Record};
pub(crate) use store::{Store, StoreError};
pub(crate) use versions::{Aligned, guide};
