//! What the source layer says of code, beyond what it puts around futures.

/// A statement of interleaved code begins.
#[inline]
pub fn __cct_statement() {
    cct::engine::statement();
}

/// What pauses a runtime's clock: its value, or that of the call which does it.
pub trait OwnClock: Sized {
    /// The clock jumps from here on when its runtime has nothing to do.
    #[doc(hidden)]
    #[inline]
    #[expect(
        clippy::return_self_not_must_use,
        reason = "most who call it want no value"
    )]
    fn __cct_own_clock(self) -> Self {
        cct::engine::own_clock();
        self
    }
}

impl<T> OwnClock for T {}
