//! TSVD: thread-safety violations, caught in the act.
//!
//! A violation is two accesses of one object by two threads at a time, of which one may change it. In a run
//! that nobody controls, threads are held where accesses were near to each other before; if another thread
//! comes to the same object meanwhile, both stand before their accesses, and that is the proof: nothing
//! orders them. So there is no false report.
//!
//! The *planner* decides where to hold, by the algorithm of Li, Lu, Musuvathi, Nath and Padhye (SOSP'19);
//! *memory* tells the few plain accesses that it is to hear of from all that compiled code makes; the
//! *session* holds threads and tells of them.

mod parameters;
pub mod told;

#[cfg(feature = "engine")]
mod allowance;
#[cfg(feature = "engine")]
mod functions;
#[cfg(feature = "engine")]
mod group;
#[cfg(feature = "engine")]
pub(crate) mod memory;
#[cfg(feature = "engine")]
pub(crate) mod order;
#[cfg(feature = "engine")]
mod party;
#[cfg(feature = "engine")]
mod planner;
#[cfg(feature = "engine")]
mod session;
#[cfg(feature = "engine")]
mod start;
#[cfg(feature = "engine")]
mod trap_set;

#[cfg(feature = "engine")]
pub use group::{Api, Group};
#[cfg(feature = "engine")]
pub use order::{Ended, note_lock, note_unlock};
pub use parameters::{Algorithm, Parameters, Row};
#[cfg(feature = "engine")]
pub use party::{Heritage, TaskParty, has_made_thread, heritage, unheard};
#[cfg(feature = "engine")]
pub(crate) use start::run_test;
#[cfg(feature = "engine")]
pub use start::{call, call_from, call_under_lock, hears, is_on, note_free};
