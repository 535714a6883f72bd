//! Identities of threads and workers in one number range.

use cct::engine::WorkerId;
use real::fmt;
use real::hash::{Hash, Hasher};
use real::num::NonZero;

/// Where the numbers of workers begin: beyond any count of native threads, and with the worker's
/// number readable in the decimal digits.
const FIRST_WORKER: NonZero<u64> = NonZero::new(1_000_000_000_000).expect("not zero");

/// A thread's identity; that of a worker is the same in every iteration.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ThreadId(NonZero<u64>);

impl ThreadId {
    pub(super) fn of_worker(worker: WorkerId) -> ThreadId {
        ThreadId(FIRST_WORKER.saturating_add(u64::from(worker.0)))
    }

    /// Takes over the number of a native thread.
    pub(super) fn of_native(id: real::thread::ThreadId) -> ThreadId {
        let mut number = Number(0);
        id.hash(&mut number);
        ThreadId(NonZero::new(number.0).expect("std counts threads from 1"))
    }
}

impl fmt::Debug for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ThreadId").field(&self.0).finish()
    }
}

/// A hasher that keeps the one integer it is fed: the only stable way to a native id's number.
struct Number(u64);

impl Hasher for Number {
    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0 << 8 | u64::from(byte);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
