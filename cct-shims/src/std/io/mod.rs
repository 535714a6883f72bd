//! `std::io`: standard output and standard error, whose locks exclude workers.
//!
//! The streams are std's, buffers and all. In front of each is a machine that knows workers apart; std's
//! own lock takes all of them for one thread. Standard input needs none: its lock is no reentrant one, so
//! std waits for it as for a futex, which the engine sees. Taking it is no step, which claims name.

mod input;
mod macros;
mod stream;
mod terminal;

pub use input::stdin;
pub use stream::{Stderr, StderrLock, Stdout, StdoutLock, stderr, stdout};
pub use terminal::IsTerminal;

#[doc(hidden)]
pub use stream::{_eprint, _print};
