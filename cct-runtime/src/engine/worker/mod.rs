//! The requests of a controlled worker to the engine. All of this runs on a worker's stack, and much of it
//! switches: no reference to the engine is kept across a call of [`hand_over`], nor across code of the
//! user's.
//!
//! [`point`] and [`wait`] are the two ways to give way, [`step`] is the operation between two of them.
//! [`thread`], [`local`], [`mod@panic`] and [`clock`] are what std's threads have; [`run`] goes from the
//! first worker to the end of an iteration.

pub(crate) mod call;
pub(crate) mod chain;
pub(crate) mod choice;
pub(crate) mod clock;
pub(crate) mod counts;
pub(crate) mod covered;
pub(crate) mod ending;
pub(crate) mod facts;
mod glance;
pub(crate) mod interrupt;
pub(crate) mod local;
pub(crate) mod memory;
pub(crate) mod order;
pub(crate) mod outside_use;
pub(crate) mod panic;
pub(crate) mod point;
pub(crate) mod prints;
mod raced;
pub(crate) mod ready;
pub(crate) mod run;
pub(crate) mod share;
pub(crate) mod signal;
mod state_hash;
mod statement;
pub(crate) mod step;
pub(crate) mod thread;
pub(crate) mod touch;
pub(crate) mod wait;
pub(crate) mod weak;

pub use glance::glance;
pub use state_hash::state_hash;
pub use statement::statement;

pub(crate) use super::decide::{Engine, engine, outside};
pub(crate) use point::{last_site, point_at};
pub(crate) use touch::touch;

use std::marker::PhantomData;

use super::decide::next::{decide, decide_who_has_place};
use super::switch::switch;

/// Proof that the caller runs on a controlled worker: code that may switch asks for it, and the decision,
/// which never does, has none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OnWorker(PhantomData<*mut ()>);

/// The engine whose current worker calls, with the proof of that; none elsewhere.
#[inline]
pub(crate) fn on_worker() -> Option<(*mut Engine, OnWorker)> {
    let engine = engine();
    (!engine.is_null()).then_some((engine, OnWorker(PhantomData)))
}

/// [`on_worker`] of what only controlled workers may call; panics elsewhere.
#[inline]
#[track_caller]
pub(crate) fn controlled() -> (*mut Engine, OnWorker) {
    on_worker().expect("only a controlled worker calls this")
}

/// The current worker hands over: returns when it is picked.
///
/// # Safety
///
/// The engine is the one that is set. No reference to it, or to a worker, is used afterwards that was made
/// before.
#[inline]
pub(crate) unsafe fn hand_over(engine: *mut Engine, _: OnWorker) {
    // SAFETY: the caller's: `decide` expects a live engine whose current worker is suspended, and names the
    // context of a worker that is.
    unsafe { switch(engine, decide) };
}

/// [`hand_over`] of a task that is polled, in whose place the worker below it may go on as well.
///
/// # Safety
///
/// As for [`hand_over`]; the current worker is a task that is polled.
#[inline]
pub(crate) unsafe fn hand_over_with_place(engine: *mut Engine, _: OnWorker) {
    // SAFETY: as in `hand_over`.
    unsafe { switch(engine, decide_who_has_place) };
}
