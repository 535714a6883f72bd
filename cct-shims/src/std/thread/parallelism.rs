//! How many threads a program is told to use.

use cct::claim::Exception;
use cct::engine;
use real::io;
use real::num::NonZero;

/// The number that controlled workers are told, on every machine: enough for pools to share work, and few
/// enough that the interleavings of their threads can be explored.
pub(crate) const CONTROLLED_PARALLELISM: NonZero<usize> = NonZero::new(4).expect("not zero");

/// Estimates how many threads can run at the same time; 4 on a controlled worker.
pub fn available_parallelism() -> io::Result<NonZero<usize>> {
    if engine::is_controlled() {
        engine::leave_out(Exception::Environment);
        Ok(CONTROLLED_PARALLELISM)
    } else {
        real::thread::available_parallelism()
    }
}
