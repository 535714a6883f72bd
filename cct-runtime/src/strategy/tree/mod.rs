//! The scheduling graph: a tree of all beginnings of schedules from which new ones still lead off.
//!
//! A node stands for a choice point, or for a choice of a value, after a given prefix of decisions. It
//! knows how many alternatives it has, which of them were taken, and how many below it are still open.
//! A subtree that is explored to its end is folded into a count. The alternatives themselves are not kept:
//! the execution shows them again whenever it comes by. Nothing in here knows workers or programs.

mod bound;
mod draw;
mod options;
mod store;
#[cfg(test)]
mod tests;
mod walk;

pub(super) use draw::Selection;
pub(super) use options::{Options, Price};
pub(super) use walk::{Advice, Tree};
