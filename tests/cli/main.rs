//! The tool from outside: its executable, run on copies of `tests/fixtures`.
//!
//! One file for each concept. No test depends on how long anything takes: what was built is told
//! by cargo's own lines, and every exploration has a fixed seed.

mod attribute;
mod c_code;
mod cache;
mod claims;
mod compare;
mod counters;
mod crates;
mod descriptors;
mod determinism;
mod edits;
mod executors;
mod exit_codes;
mod explored;
mod help;
mod interactive;
mod killed;
mod known;
mod law;
mod native;
mod origins;
mod places;
mod polls;
mod random;
mod raw_calls;
mod records;
mod replay;
mod reports;
mod resume;
mod rust_src;
mod select;
mod selection;
mod settings;
mod shrink;
mod signals;
mod source_layer;
mod specifications;
mod statics;
mod streams;
mod tasks;
mod time;
mod uncontrolled;
mod verdicts;
mod wrapper;
