//! Specifications: what a program must do, said apart from its code.
//!
//! - An [`invariant()`] holds after each step.
//! - A condition, a future or a thread's end comes [`eventually()`].
//! - A [`Monitor`] is told what happens by events; it asserts what must not happen (*safety*), and
//!   says from when until when something good is overdue (*liveness*).
//!
//! They are checked where the engine runs the test: under `cargo cct test`, and in an
//! [`Explorer`](crate::harness::Explorer). Under plain `cargo test`, and on threads that the engine
//! does not control, they do nothing: monitors and events are dropped, conditions never evaluated.
//!
//! Specifications are atomic: nothing in them is a scheduling point, and they cost no step.
//!
//! # Waiting for ever
//!
//! A finite execution cannot show that something *never* happens. Instead, the report says
//! that it has not happened when the test was over, or over very many steps of a schedule that was
//! fair all along: more than the setting `temperature` (by default a quarter of `max_steps`), in
//! which each worker that could run had its turns.

mod eventually;
mod invariant;
mod monitor;
mod temperature;

pub use eventually::{Completion, Condition, Due, End, Eventual, eventually, worker_ends};
pub use invariant::invariant;
pub use monitor::{Monitor, notify, register};
pub use temperature::Temperature;
