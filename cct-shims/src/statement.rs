//! The source layer's calls in code, beyond those around futures.

use cct::engine;

/// A statement of interleaved code begins.
#[inline]
pub fn __cct_statement() {
    engine::statement();
}

/// The value of a call that pauses a runtime's clock.
pub trait OwnClock: Sized {
    /// The clock jumps from here on when its runtime has nothing to do.
    #[doc(hidden)]
    #[inline]
    #[expect(
        clippy::return_self_not_must_use,
        reason = "most who call it want no value"
    )]
    fn __cct_own_clock(self) -> Self {
        engine::own_clock();
        self
    }
}

impl<T> OwnClock for T {}

/// One of `0..n`, chosen by the strategy; none where nobody is under control.
#[must_use]
pub fn choose(n: u32) -> Option<u32> {
    let is_choice = n > 0 && engine::is_controlled();
    is_choice.then(|| engine::choose_index(n as usize) as u32)
}

/// Puts the values into an order that the strategy chooses; false where nobody is under control.
pub fn shuffle<T>(values: &mut [T]) -> bool {
    let is_choice = engine::is_controlled();
    if is_choice {
        for last in (1..values.len()).rev() {
            values.swap(last, engine::choose_index(last + 1));
        }
    }
    is_choice
}
