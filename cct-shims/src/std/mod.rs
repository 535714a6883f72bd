//! The modules of std that have shims.

pub mod alloc;
#[cfg(target_arch = "x86_64")]
pub mod arch;
#[doc(hidden)]
pub mod assembly;
pub mod env;
pub mod hint;
pub mod io;
pub mod panic;
pub mod process;
pub mod sync;
pub mod thread;
