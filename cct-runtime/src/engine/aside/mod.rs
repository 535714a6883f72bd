//! Code that looks on, as a worker asks for it: specifications, and the section of the program's allocator.

pub(crate) mod allocator;
pub(crate) mod conditions;
pub(crate) mod monitors;
mod predicate;

pub(crate) use predicate::holds;
