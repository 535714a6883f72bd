//! `stdin`: std's, and named by claims.

use cct::claim::Exception;
use cct::engine;
use real::io::Stdin;

/// std's `stdin`.
#[must_use]
pub fn stdin() -> Stdin {
    engine::leave_out(Exception::StandardInput);
    real::io::stdin()
}
