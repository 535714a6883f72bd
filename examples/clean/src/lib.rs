//! Well-synchronised building blocks, in which there is **nothing to be found**.
//!
//! A tool that cries wolf is switched off. Here is what it must stay silent about, in every schedule:
//! a work queue with several workers ([`Pipeline`]), a value that readers see whole
//! ([`Versioned`]), a table that is filled once ([`squares`]), and in the tests channels, scoped
//! threads, thread-locals and timeouts.
//!
//! ```text
//! cargo cct test -p clean
//! ```

mod pipeline;
mod versioned;

pub use pipeline::Pipeline;
pub use versioned::Versioned;

use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Returns the squares of 0, 1 and 2, computed by whoever asks first.
pub fn squares() -> [u32; 3] {
    static FILLED: Once = Once::new();
    static SQUARES: [AtomicU32; 3] = [const { AtomicU32::new(0) }; 3];

    FILLED.call_once(|| {
        for (number, square) in (0..).zip(&SQUARES) {
            square.store(number * number, Relaxed);
        }
    });
    SQUARES.each_ref().map(|square| square.load(Relaxed))
}
