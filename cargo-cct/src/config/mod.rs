//! Settings outside the command line: `.config/cct.toml`, manifests' metadata, and names of variables.
//!
//! All are read by one table, the engine's [`cct::config::TABLE`]; a name that is not there is refused, with
//! the one that was meant. The command line is read in `cli`.

mod crates;
mod file;
mod filter;
mod metadata;
mod profile;
mod schema;
mod suggest;
mod value;
mod variables;

pub(crate) use crates::check as check_crates;
pub(crate) use file::{ConfigFile, FileError, PATH};
pub(crate) use filter::{FilterError, Matcher, Subject, glob};
pub(crate) use metadata::{ConfigError, configured};
pub(crate) use profile::{NoProfile, Override, Place, Profile};
pub(crate) use schema::schema;
pub(crate) use variables::check as check_variables;
