//! The processor's time stamp counter, on x86-64: it follows virtual time.
//!
//! Reading it is an instruction, past all symbols, so its names in `core::arch` lead here. Assembly
//! reads the real one.

use cct::engine;
use real::arch::x86_64::{self, CpuidResult};

use crate::symbols::clock;

/// Features of power management, among them whether the counter can be taken for a clock.
const POWER: u32 = 0x8000_0007;
/// Says that the counter runs at one speed, whatever the processor does.
const INVARIANT_COUNTER: u32 = 1 << 8;

/// Reads the counter; on a controlled worker its ticks are nanoseconds.
///
/// # Safety
///
/// As the real one's.
#[inline]
pub unsafe fn _rdtsc() -> u64 {
    if engine::is_controlled() {
        clock::monotonic()
    } else {
        // SAFETY: the caller's.
        unsafe { x86_64::_rdtsc() }
    }
}

/// Reads the counter, and writes which processor it is; controlled workers share the first.
///
/// # Safety
///
/// As the real one's: `processor` is writable.
#[inline]
pub unsafe fn __rdtscp(processor: *mut u32) -> u64 {
    // SAFETY: the caller's.
    unsafe {
        if engine::is_controlled() {
            processor.write(0);
            clock::monotonic()
        } else {
            x86_64::__rdtscp(processor)
        }
    }
}

/// Tells what the processor can do; see [`__cpuid_count`].
#[inline]
pub fn __cpuid(leaf: u32) -> CpuidResult {
    __cpuid_count(leaf, 0)
}

/// Tells what the processor can do, but not that its counter is a clock: a program that hears that measures
/// how long a tick is, against a clock that is virtual, and keeps the answer. Otherwise it takes the system's
/// clock.
#[inline]
pub fn __cpuid_count(leaf: u32, sub_leaf: u32) -> CpuidResult {
    #[allow(unused_unsafe, reason = "older releases have it as unsafe")]
    // SAFETY: each x86-64 processor has the instruction.
    let mut told = unsafe { x86_64::__cpuid_count(leaf, sub_leaf) };
    if leaf == POWER {
        told.edx &= !INVARIANT_COUNTER;
    }
    told
}
