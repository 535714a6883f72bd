//! The names of steps in records.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::engine;

/// The text, if somebody records. It is made aside: nothing that a `Debug` of the user's does is a step. None
/// if it panics, or waits for others.
pub(super) fn told(text: impl FnOnce() -> String) -> Option<String> {
    if !engine::records() {
        return None;
    }
    let (mut text, mut told) = (Some(text), None);
    engine::holds(&mut || {
        told = (text.take()).and_then(|text| catch_unwind(AssertUnwindSafe(text)).ok());
        true
    });
    told
}
