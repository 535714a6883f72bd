//! Crates whose atomics are inline assembly, which nobody sees, and that know a way without.

/// A crate that can do both.
#[derive(Clone, Copy, Debug)]
pub struct Assembly {
    /// Its package.
    pub package: &'static str,
    /// The `cfg` of its source by which it has none.
    pub cfg: &'static str,
}

/// All that are known. A version without this `cfg` has its assembly, which claims name.
pub const ASSEMBLY: &[Assembly] = &[Assembly {
    package: "portable-atomic",
    cfg: "portable_atomic_no_asm",
}];
