//! The names of steps in records.

use super::unwinding::catch;
use crate::engine;
use crate::memory::arena;

/// The text, if somebody records. It is made aside: nothing that a `Debug` of the user's does is a step, and
/// other blocks are where they are without it. None if it panics, or waits for others.
#[inline]
pub(super) fn told(text: impl FnOnce() -> String) -> Option<String> {
    if engine::records() {
        made_aside(text)
    } else {
        None
    }
}

#[cold]
#[inline(never)]
fn made_aside(text: impl FnOnce() -> String) -> Option<String> {
    let (mut text, mut told) = (Some(text), None);
    arena::beside(|| {
        engine::holds(&mut || {
            told = (text.take()).and_then(|text| catch(text).ok());
            true
        });
    });
    told
}
