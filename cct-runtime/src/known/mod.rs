//! Names of other people's code that this project relies on, all of them, each with its reason.
//!
//! None is relied on in silence. For each crate it is said with which versions its names were checked, and
//! what may be missed in others: the tool warns of a crate in the graph whose version is none of these. Names
//! that are no part of a crate's interface, and may change in any version, are looked for in its source at
//! each build, and the tool warns where they are missing. Functions that do the same under other names are
//! named by settings: `spawn` and `drive`.

mod assembly;
mod choices;
mod clocks;
mod crates;
mod executors;
mod failure_files;
mod raw_calls;
mod types;

pub use assembly::{ASSEMBLY, Assembly};
pub use choices::{RANDOM_CHOICES, RandomChoice};
pub use clocks::{PAUSE, SLEEPS, START_PAUSED};
pub use crates::{CRATES, Crate};
pub use executors::{
    APPLYING, BOXING, BY_HAND, DRIVE, DRIVING, MAY_DRIVE, OBJECTS, SPAWN, SPAWN_OBJECTS,
};
pub use failure_files::{FAILURE_FILES, FailureFile};
pub use raw_calls::{RAW_CALLS, RawCalls};
pub use types::{BODY, POINTERS, behind_pointers};
