//! The failure that a data race leads to, as the race's record has it.

use serde::{Deserialize, Serialize};

use super::id::Id;

/// The failure that a data race leads to, as far as that was looked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct LeadsTo {
    /// The lines whose accesses were scheduling points, as `--points` takes them.
    pub points: Vec<String>,
    /// How many schedules were made until it was found, or in all.
    pub schedules: u64,
    /// The failure, which has a record of its own.
    pub failure: Option<LedTo>,
    /// It comes without these points as well.
    #[serde(default)]
    pub is_independent: bool,
}

/// A failure, as the report of another one tells it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct LedTo {
    /// Its id.
    pub id: Id,
    /// The label of its test.
    pub status: String,
    /// The lines that say what was wrong, and where.
    pub headline: String,
    /// The course of events, in sentences; may be empty.
    pub story: String,
}
