//! The state machines of the blocking objects: who goes ahead, who waits, who wakes whom.
//!
//! Every blocking primitive has a *face* in `cct-shims`, with std's signatures, and a *machine*
//! here. A machine is not generic and its functions are not inlined, so that this code is
//! optimised even when the crate under test is a debug build. Signatures, guards and values are
//! not kept here.
//!
//! Each machine works in three situations:
//!
//! - On a controlled worker it declares its operations to the engine and blocks by leaving the set
//!   of enabled workers; the OS thread never sleeps.
//! - Without an engine it is a small futex lock.
//! - When OS threads outside the engine and workers share an object, the state words are atomics
//!   that both sides understand. A worker gives an OS thread that holds the object a moment of real
//!   time before it counts as blocked, since such a thread goes on by itself.

mod barrier;
mod channel;
mod condvar;
mod futex;
mod hold;
mod inbox;
mod latch;
mod mutex;
mod once;
mod owner;
mod raw_lock;
mod rwlock;
mod stream;
mod update;

pub use barrier::BarrierMachine;
pub use channel::{ChannelMachine, Received, Sent};
pub use condvar::{CondvarMachine, Limit, WaitEnd};
pub use hold::{Hold, Poison};
pub use inbox::{InboxMachine, Stored};
pub use latch::LatchMachine;
pub use mutex::MutexMachine;
pub use once::{OnPoison, OnceMachine, Running};
pub(crate) use raw_lock::RawLock;
pub use rwlock::RwLockMachine;
pub use stream::{StreamHold, StreamMachine};
pub use update::Update;
