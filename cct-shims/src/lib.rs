//! std's concurrency, name for name, on the engine of cargo-cct.
//!
//! Each shim has std's signatures and behaves as std does where no engine is; on a controlled
//! worker it declares its operations to the engine, which decides which worker runs and which waits.

#[doc(hidden)]
pub extern crate std as real;

mod code;
#[doc(hidden)]
pub mod expand;
pub mod future;
#[doc(hidden)]
pub mod rewritten;
mod shared;
pub mod statement;
pub mod std;
mod streams;
pub mod symbols;
