//! From a workspace to test executables whose concurrency is under control.
//!
//! The sysroot is built once, then cargo is run with this tool as its rustc wrapper.

pub(crate) mod cargo;
pub(crate) mod digest;
pub(crate) mod doctest;
mod embedded;
pub(crate) mod marker;
mod rustc_args;
pub(crate) mod sysroot;
pub(crate) mod toolchain;
pub(crate) mod workspace;
pub(crate) mod wrapper;
