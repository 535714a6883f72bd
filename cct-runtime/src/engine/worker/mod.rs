//! What a controlled worker asks the engine for. All of this runs on a worker's stack, and much of it
//! switches: no reference to the engine is kept across a call of [`hand_over`], nor across code of the
//! user's.
//!
//! [`point`] and [`wait`] are the two ways to give way, [`step`] is the operation between two of them.
//! [`thread`], [`local`], [`mod@panic`] and [`clock`] are what std's threads have; [`run`] goes from the
//! first worker to the end of an iteration.

pub(crate) mod choice;
pub(crate) mod clock;
pub(crate) mod ending;
pub(crate) mod facts;
mod glance;
pub(crate) mod local;
pub(crate) mod look;
pub(crate) mod outside_use;
pub(crate) mod panic;
pub(crate) mod point;
pub(crate) mod prints;
pub(crate) mod run;
mod state_hash;
mod statement;
pub(crate) mod step;
pub(crate) mod thread;
pub(crate) mod touch;
pub(crate) mod wait;

pub use glance::glance;
pub use state_hash::state_hash;
pub use statement::statement;

pub(crate) use super::decide::{Engine, engine, outside};
pub(crate) use point::{last_site, point_at};
pub(crate) use touch::touch;

use super::decide::next::decide;
use super::switch::switch;

/// The current worker hands over: returns when it is picked.
///
/// # Safety
///
/// The engine is live and set, and the caller is its current worker. No reference to the engine, or to a
/// worker, is used afterwards that was made before.
#[inline]
pub(crate) unsafe fn hand_over(engine: *mut Engine) {
    // SAFETY: the caller's: `decide` expects a live engine whose current worker is suspended, and names the
    // context of a worker that is.
    unsafe { switch(engine, decide) };
}
