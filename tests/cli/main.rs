//! The tool from outside: its executable, run on copies of `tests/fixtures`.
//!
//! One file for each concept. No test depends on how long anything takes: what was built is told
//! by cargo's own lines, and every exploration has a fixed seed.

mod attribute;
mod cache;
mod crates;
mod determinism;
mod exit_codes;
mod explored;
mod help;
mod native;
mod records;
mod replay;
mod reports;
mod selection;
mod settings;
mod uncontrolled;
mod verdicts;
mod wrapper;
