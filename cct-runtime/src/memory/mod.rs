//! What makes each iteration start as in a fresh process.
//!
//! - `arena`: the heap of an iteration, given back whole at its end;
//! - `statics`: the program's statics and thread-locals, copied back before each iteration;
//! - `elf`: where the executable says they are;
//! - `environment`: its variables, likewise;
//! - `descriptors`: what was opened in an iteration is closed at its end;
//! - `output`: what it printed is taken back.

pub mod arena;
pub(crate) mod descriptors;
mod elf;
pub(crate) mod environment;
mod mangling;
pub(crate) mod output;
pub(crate) mod statics;
