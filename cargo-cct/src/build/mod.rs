//! From a workspace to test executables whose concurrency is under control.
//!
//! The sysroot is built once, then cargo is run with this tool as its rustc wrapper.

pub(crate) mod cache;
pub(crate) mod cargo;
pub(crate) mod chosen;
pub(crate) mod code;
mod dep_info;
mod diagnostics;
pub(crate) mod digest;
pub(crate) mod doctest;
mod embedded;
pub(crate) mod facts;
pub(crate) mod later;
pub(crate) mod layer;
pub(crate) mod leftovers;
mod linked;
pub(crate) mod marker;
mod mentions;
pub(crate) mod origins;
pub(crate) mod owned;
pub(crate) mod profiles;
mod quoted;
mod raw_calls;
mod rustc_args;
pub(crate) mod shadow;
pub(crate) mod sysroot;
pub(crate) mod toolchain;
mod variables;
mod versions;
pub(crate) mod workspace;
pub(crate) mod wrapper;
