//! Tools of the tests: payloads that count, memory, and random numbers.
//!
//! `SOAK=100 cargo test --release --manifest-path tests/actors/soak/Cargo.toml` takes a hundred times as
//! much of everything as the suite does.

mod memory;
mod payload;
mod random;

pub use memory::Memory;
pub use payload::{Payload, Payloads};
pub use random::Random;

/// How many times as much is to be done.
pub fn factor() -> u64 {
    let factor = std::env::var("SOAK").ok();
    factor.map_or(1, |text| text.parse().expect("SOAK is a number"))
}
