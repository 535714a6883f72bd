//! What steps are called in records.

use crate::engine;

/// The text, if somebody records. It is made aside: nothing that a `Debug` of the user's does is a step.
pub(super) fn told(text: impl FnOnce() -> String) -> Option<String> {
    if !engine::records() {
        return None;
    }
    let (mut text, mut told) = (Some(text), None);
    engine::holds(&mut || {
        told = text.take().map(|text| text());
        true
    });
    told
}
