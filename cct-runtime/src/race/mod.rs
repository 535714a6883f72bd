//! Data races: two accesses to the same memory by different threads, one of them a write and not both atomic,
//! that nothing orders.
//!
//! The order is happens-before of C++20 and of Rust's reference: what one thread does in sequence, and from
//! a release of one thread to the acquire of another that comes upon it. It is kept in vector clocks, one
//! for each thread ([`clock`]) and for each thing by which threads meet ([`meeting`]). The last accesses to
//! each piece of memory are kept in a shadow of it ([`shadow`]), as `FastTrack` (Flanagan and Freund, PLDI
//! 2009) keeps epochs, with several of them for each eight bytes as ThreadSanitizer does; [`known`] are the
//! accesses that leave nothing to do. [`detector`] is both together. Where memory is weak, [`weak`] says
//! which stores a load may read from. None of this knows the engine.

pub(crate) mod clock;
#[cfg(test)]
pub(crate) mod definition;
pub(crate) mod detector;
mod history;
pub(crate) mod known;
mod meeting;
#[cfg(test)]
mod model;
mod shadow;
mod weak;

pub(crate) use clock::ThreadNumber;
pub(crate) use detector::{Accessed, Conflict, Detector, Way};
pub(crate) use shadow::{SlotId, first_part, parts};
pub(crate) use weak::{Cell, Older};
