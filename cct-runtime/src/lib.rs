//! The engine of cargo-cct, and what a test can say to it.
#![warn(missing_docs)]

pub mod claim;
pub mod codec;
pub mod comparison;
pub mod config;
pub mod covered;
pub mod footprint;
pub mod known;
pub mod object;
pub mod operation;
pub mod origin;
pub mod part;
pub mod strategy;
pub mod trace;
pub mod tsvd;
pub mod verdict;
pub mod wire;

#[cfg(feature = "engine")]
pub mod actor;
#[cfg(feature = "engine")]
mod asleep;
#[cfg(feature = "engine")]
mod benign;
#[cfg(feature = "engine")]
pub mod engine;
#[cfg(feature = "engine")]
mod frames;
#[cfg(test)]
mod fuzz;
#[cfg(feature = "engine")]
pub mod harness;
#[cfg(feature = "engine")]
pub mod instrument;
#[cfg(feature = "engine")]
pub mod memory;
#[cfg(feature = "engine")]
mod nondet;
#[cfg(feature = "engine")]
pub mod primitive;
#[cfg(feature = "engine")]
mod race;
#[cfg(feature = "engine")]
pub mod specification;
#[cfg(feature = "engine")]
mod thread_unsafe;

#[cfg(feature = "engine")]
pub use benign::BenignRaces;
#[cfg(feature = "engine")]
pub use cct_macros::{actor, benign_race, machine, test, thread_unsafe};
#[cfg(feature = "engine")]
pub use engine::state_hash;
#[cfg(feature = "engine")]
pub use nondet::{choose, maybe_fail, nondet_bool, nondet_index};
#[cfg(feature = "engine")]
pub use specification::{Monitor, Temperature, eventually, invariant, notify, register};
#[cfg(feature = "engine")]
pub use thread_unsafe::ThreadUnsafe;
