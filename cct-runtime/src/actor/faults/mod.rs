//! The faults of a distributed system, by the strategy's choice.
//!
//! - A [`Network`] loses, duplicates and delays events, and may be split.
//! - A [`Node`] is an actor that crashes and comes back with what was [`Durable`].
//! - A [`SkewedClock`] is ahead of others.
//!
//! Each fault is a choice of the strategy, part of the schedule, and their number has a bound. Outside of the
//! engine none happens.

mod clock;
mod crashes;
mod durable;
mod moments;
mod network;
mod node;

pub use clock::SkewedClock;
pub use crashes::{Crash, crash};
pub use durable::Durable;
pub use network::{Faults, Link, Network, NodeId, split};
pub use node::Node;
