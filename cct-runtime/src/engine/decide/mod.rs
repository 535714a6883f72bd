//! The decision: who runs next, or that the iteration is over. Nothing in here ever switches.
//!
//! A worker that hands over is suspended by the time that [`next`] begins, so ordinary references to the
//! engine are fine in here, and what a suspended worker can still see may be looked at. The same code changes
//! the engine's state on behalf of a worker that runs, which then lends the engine for as long.
//!
//! In reading order: [`mod@engine`] has all that there is; [`candidates`] wakes, blocks and ends workers and
//! tells who has to know; [`next`] is the decision itself, with [`plain`] where nothing else goes on, and
//! [`driver`] those who make it. Then what besides them decides: [`deadlines`], [`progress`], [`mod@outside`]
//! and [`children`], [`alone`], [`vain`], [`overtime`] with [`shared_memory`], [`conditions`], [`heat`], and
//! what a deadlock is.

pub(crate) mod alone;
pub(crate) mod candidates;
pub(crate) mod children;
pub(crate) mod conditions;
pub(crate) mod deadlines;
mod deadlock;
pub(crate) mod driver;
pub(crate) mod engine;
pub(crate) mod heat;
pub(crate) mod iteration;
pub(crate) mod next;
pub(crate) mod onlooker;
pub(crate) mod outside;
pub(crate) mod overtime;
mod panics;
mod plain;
pub(crate) mod progress;
pub(crate) mod replay;
mod shared_memory;
pub(crate) mod signals;
pub(crate) mod steps;
pub(crate) mod suspended;
pub(crate) mod tasks;
pub(crate) mod vain;
mod view;

pub(crate) use engine::{Engine, Request, engine, outside};
