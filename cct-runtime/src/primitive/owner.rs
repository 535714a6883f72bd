//! The holder of an object, as a code in its state word.
//!
//! The machines choose their own codes below [`FIRST_WORKER`]; what the flags in the upper bits
//! mean is theirs too.

use crate::engine::WorkerId;

/// A thread outside the engine.
pub(super) const NATIVE: u32 = 1;

const FIRST_WORKER: u32 = 16;

/// The code of a controlled worker.
pub(super) const fn code(worker: WorkerId) -> u32 {
    worker.0 + FIRST_WORKER
}

/// The controlled worker with this code, if it is one.
pub(super) const fn worker(code: u32) -> Option<WorkerId> {
    match code.checked_sub(FIRST_WORKER) {
        Some(number) => Some(WorkerId(number)),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_its_workers_and_no_threads() {
        for number in [0, 1, 7, 100_000] {
            let code = code(WorkerId(number));
            assert_eq!(worker(code), Some(WorkerId(number)));
            assert_ne!(code, NATIVE);
        }
        assert!((0..FIRST_WORKER).all(|code| worker(code).is_none()));
    }
}
