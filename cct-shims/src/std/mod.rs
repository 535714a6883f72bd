//! The modules of std that have shims.

pub mod hint;
pub mod panic;
pub mod process;
pub mod sync;
pub mod thread;
