//! The tests and benchmarks of cargo-cct: the tests are in this package's test targets, and here
//! is what they share.

pub mod law;
pub mod support;
