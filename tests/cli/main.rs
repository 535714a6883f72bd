//! The tool from outside: its executable, run on copies of `tests/fixtures`.
//!
//! One file for each concept. No test depends on how long anything takes: what was built is told
//! by cargo's own lines, and every exploration has a fixed seed.

mod attribute;
mod c_code;
mod cache;
mod certain;
mod ci;
mod claims;
mod compare;
mod completions;
mod counters;
mod crates;
mod debugger;
mod descriptors;
mod determinism;
mod edits;
mod executors;
mod exit_codes;
mod explored;
mod help;
mod interactive;
mod json;
mod killed;
mod known;
mod law;
mod many;
mod native;
mod nextest;
mod origins;
mod places;
mod polls;
mod profiles;
mod random;
mod raw_calls;
mod records;
mod regressions;
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
mod stops;
mod streams;
mod tasks;
mod time;
mod uncontrolled;
mod verdicts;
mod wrapper;
