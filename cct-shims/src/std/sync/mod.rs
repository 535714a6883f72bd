//! `std::sync`: what blocks and what is atomic, under control.
//!
//! Kept here are the faces: std's signatures, values and guards. The machines in
//! `cct::primitive` decide which worker goes ahead. The error types stay std's own, since other parts of
//! std and programs that name them meet the same ones; so do `Arc` and `Weak`, which need the compiler's
//! help.

pub mod atomic;
pub mod mpsc;

mod barrier;
mod condvar;
mod lazy_lock;
mod mutex;
mod once;
mod once_lock;
mod rwlock;

#[cfg(test)]
mod tests;

pub use real::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

pub use barrier::{Barrier, BarrierWaitResult};
pub use condvar::{Condvar, WaitTimeoutResult};
pub use lazy_lock::LazyLock;
pub use mutex::{Mutex, MutexGuard};
#[expect(deprecated, reason = "std still has it")]
pub use once::ONCE_INIT;
pub use once::{Once, OnceState};
pub use once_lock::OnceLock;
pub use rwlock::{RwLock, RwLockReadGuard, RwLockWriteGuard};
