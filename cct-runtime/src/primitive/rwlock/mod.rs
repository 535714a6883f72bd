//! The machine of `RwLock`.
//!
//! As in std on Linux, readers wait while a writer waits, so that a recursive read can deadlock. A
//! release that leaves the lock free forgets who waited and wakes everybody: whoever comes first
//! gets it, and the others wait anew. That allows every order std allows.

mod machine;
mod word;

pub use machine::RwLockMachine;
