//! The state of an iteration, as data: each type keeps invariants of its own and knows nothing of those that
//! use it.
//!
//! [`roster`] has the workers and owns every change of a worker's state: which can run, which wait, and for
//! what. [`budget`] counts steps, and says how many may pass before a decision is due. [`time`] is the
//! virtual clock. [`iteration`] has what an iteration is told and comes to, [`process`] what outlives it. The
//! rest are parts of these.

pub(crate) mod answers;
pub(crate) mod budget;
pub(crate) mod counts;
pub(crate) mod driven;
pub(crate) mod early;
pub(crate) mod enabled;
pub(crate) mod file_times;
pub(crate) mod glances;
pub(crate) mod granularity;
pub(crate) mod image;
pub(crate) mod iteration;
pub(crate) mod locals;
pub(crate) mod monitors;
pub(crate) mod panics;
pub(crate) mod places;
pub(crate) mod process;
pub(crate) mod relays;
pub(crate) mod roster;
pub(crate) mod tasks;
pub(crate) mod time;
pub(crate) mod turn;
pub(crate) mod waiters;
pub(crate) mod worker;
