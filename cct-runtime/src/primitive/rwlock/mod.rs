//! The machine of `RwLock`.
//!
//! As in std on Linux, readers wait while a writer waits, so that a recursive read can deadlock. A
//! release that leaves the lock free forgets who waited and wakes everybody: whoever comes first
//! gets it, and the others wait anew. That allows every order of locks that std allows; std's `try_read` may
//! fail besides when a release has left the lock free for a writer, and a reader still waits.

mod machine;
mod word;

pub use machine::RwLockMachine;
