//! The tests of cargo-cct.
