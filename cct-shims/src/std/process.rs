//! The two ways in which a test can end its process: on a controlled worker both are verdicts.

use cct::engine;

/// Ends the process with a code; on a controlled worker, ends the iteration.
#[track_caller]
pub fn exit(code: i32) -> ! {
    if engine::is_controlled() {
        engine::exit(code)
    } else {
        real::process::exit(code)
    }
}

/// Ends the process abnormally; on a controlled worker, ends the iteration.
#[track_caller]
pub fn abort() -> ! {
    if engine::is_controlled() {
        engine::abort()
    } else {
        real::process::abort()
    }
}
