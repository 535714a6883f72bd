//! Crates that ask the kernel without libc, but know a way through it.

/// A crate that can do both.
#[derive(Clone, Copy, Debug)]
pub struct RawCalls {
    /// Its package.
    pub package: &'static str,
    /// The versions whose sources were read.
    pub versions: &'static str,
    /// The `cfg` that stands for libc.
    pub cfg: &'static str,
    /// The calls that are out of sight where that is of no use.
    pub lost: &'static str,
}

/// All that are known.
pub const RAW_CALLS: &[RawCalls] = &[RawCalls {
    package: "rustix",
    // Each has `cfg(rustix_use_libc)` in its manifest, for `libc` and `errno`, and in its build script.
    versions: ">=0.33, <2",
    cfg: "rustix_use_libc",
    lost: "epoll, poll, pipes and clocks, and with them the reactor of async-io and smol",
}];
