//! What the source layer says of code, beyond what it puts around futures.

/// A statement of interleaved code begins.
#[inline]
pub fn __cct_statement() {
    cct::engine::statement();
}

/// The runtime that is driven next may pause its clock, which then jumps when there is nothing to do.
pub fn __cct_own_clock() {
    cct::engine::own_clock();
}
