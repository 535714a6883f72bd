//! The environment as a whole, which std reads past the C library's functions; a single variable is told by
//! its symbol.

use cct::claim::Exception;
use cct::engine;
use real::env::{Vars, VarsOs};

/// `std::env::vars`.
pub fn vars() -> Vars {
    engine::leave_out(Exception::Environment);
    real::env::vars()
}

/// `std::env::vars_os`.
pub fn vars_os() -> VarsOs {
    engine::leave_out(Exception::Environment);
    real::env::vars_os()
}
