//! Runs the tool as a user would: in a clean environment, on a copy of a fixture.

mod build;
mod draws;
mod environment;
mod events;
mod finished;
mod mark;
mod tool;
mod workspace;

pub use build::{Artifacts, build, build_with, check};
pub use draws::Draws;
pub use environment::{cargo, cleaned};
pub use events::{Events, name};
pub use finished::Finished;
pub use mark::Mark;
pub use tool::{cargo_cct, run_by};
pub use workspace::Workspace;
