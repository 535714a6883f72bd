//! Schedules that are tried before a test is explored: those of failures that are known, and those kept.
//!
//! They are no part of the exploration: they count as no schedules, and nothing is claimed by them.

use std::fmt;
use std::io;

use super::finding::Finding;
use super::name::TestName;
use crate::build::cargo::Executable;
use crate::failure::Id;

/// A schedule that was tried first, and what came of it.
#[derive(Debug)]
pub(crate) struct Tried {
    /// Where it is from.
    pub origin: TriedOf,
    /// The result.
    pub end: TriedEnd,
}

/// Where a schedule is from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum TriedOf {
    /// A failure on record.
    Known {
        /// Its id.
        id: Id,
        /// The hash of the executable.
        executable: String,
        /// It did not lead there in another version either.
        was_gone: bool,
    },
    /// A file of the user's.
    Kept {
        /// The id that the failure had.
        id: Id,
        /// The file, from the workspace's root.
        file: String,
    },
}

/// The result of a schedule.
#[derive(Debug)]
pub(crate) enum TriedEnd {
    /// It fails as it did.
    Fails(Box<Finding>),
    /// It fails in another way; that has not been repeated yet.
    FailsOtherwise(Box<Finding>),
    /// It is followed to its end, and nothing fails.
    Passes,
    /// It cannot be followed any more: where, and why.
    Leaves(String),
}

impl Tried {
    /// The finding, if it failed.
    pub(crate) fn finding(&self) -> Option<&Finding> {
        match &self.end {
            TriedEnd::Fails(finding) | TriedEnd::FailsOtherwise(finding) => Some(finding),
            TriedEnd::Passes | TriedEnd::Leaves(_) => None,
        }
    }
}

/// A source of schedules to be tried first.
pub(crate) trait First: fmt::Debug + Sync {
    /// Tries those of a test, one after the other until one fails.
    fn run(&self, executable: &Executable, name: &TestName) -> io::Result<Vec<Tried>>;
}

/// No schedules.
#[derive(Debug)]
pub(crate) struct NoneFirst;

impl First for NoneFirst {
    fn run(&self, _: &Executable, _: &TestName) -> io::Result<Vec<Tried>> {
        Ok(Vec::new())
    }
}
