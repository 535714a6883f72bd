//! What makes each iteration start as in a fresh process.
//!
//! - `arena`: the heap of an iteration, given back whole at its end;
//! - `own`: the engine's heap where the program has an allocator written in Rust;
//! - `statics`: the program's statics and thread-locals, copied back before each iteration;
//! - `c_locals`: thread-locals of C code, a set for each worker;
//! - `elf`: where the executable says they are;
//! - `environment`: its variables, likewise;
//! - `descriptors`: what was opened in an iteration is closed at its end;
//! - `handlers`: those that it installed for signals are taken back;
//! - `output`: what it printed is taken back.

pub mod arena;
pub(crate) mod c_locals;
pub(crate) mod descriptors;
mod elf;
pub(crate) mod environment;
pub(crate) mod handlers;
mod mangling;
pub(crate) mod output;
pub mod own;
pub(crate) mod statics;

pub use handlers::note_handler;
pub use statics::{Static, has_own_allocator, statics_of};
