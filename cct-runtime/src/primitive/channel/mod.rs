//! The machine of `mpsc`: how many messages are under way, and who is still there.
//!
//! The messages themselves are the shim's; it stores and takes them in calls that the machine
//! makes under its lock, so that both always agree. A *rendezvous* channel has a bound of 0: a
//! sender that finds no waiting receiver leaves an *offer* and waits until it was taken.

mod counts;
mod machine;

pub use counts::{Received, Sent};
pub use machine::ChannelMachine;
