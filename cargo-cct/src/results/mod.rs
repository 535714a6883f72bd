//! Results of a run in a folder, so that they can be joined with those of others: its shards, its earlier
//! processes.
//!
//! ```text
//! cct-results/
//!   results.cct        all tests of the run, as far as they are, and fingerprints of their schedules
//!   failures/7f3k-q2/  one folder a failure, as in the target folder
//!   run/               files of a process that is running
//! ```

mod file;
mod join;
mod saved;

pub(crate) use file::ResultsError;
pub(crate) use join::{Joined, Missing};
pub(crate) use saved::{Ending, Origin, Results, Saved};
