//! The letters of orderings, in programs.

use std::sync::atomic::Ordering;

pub(crate) fn order(letter: u8) -> Ordering {
    match letter {
        b'r' => Ordering::Relaxed,
        b'a' => Ordering::Acquire,
        b'l' => Ordering::Release,
        b'b' => Ordering::AcqRel,
        _ => Ordering::SeqCst,
    }
}
