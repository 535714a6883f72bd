//! Threads that are workers of the engine on a controlled worker, and std's threads anywhere else.
//!
//! A worker's result travels in a `packet` as in std, so dropping it, joining it and counting it
//! in a scope happen in std's order. The engine decides which worker runs, and until when one waits.
//! Unstable items of std are on purpose not here.

mod builder;
mod current;
mod handle;
mod id;
mod join;
mod local;
mod local_macro;
mod packet;
mod parallelism;
mod pause;
mod scoped;
#[cfg(test)]
mod tests;

pub use builder::{Builder, spawn};
pub use current::{current, panicking};
pub use handle::Thread;
pub use id::ThreadId;
pub use join::JoinHandle;
pub use local::{AccessError, LocalKey};
pub(crate) use parallelism::CONTROLLED_PARALLELISM;
pub use parallelism::available_parallelism;
#[expect(deprecated, reason = "std still has them")]
pub use pause::{park, park_timeout, park_timeout_ms, sleep, sleep_ms, yield_now};
pub use real::thread::Result;
pub use scoped::{Scope, ScopedJoinHandle, scope};
