//! A worker uses what the engine does not control.

use libc::c_int;

use super::{engine, outside};
use crate::engine::decide::outside::{Source, note_use};

/// The current worker does something that the outside may answer: it is counted, and the next decision
/// waits a little for the answer. Does nothing where no engine is.
pub fn stir(source: Source) {
    let engine = engine();
    if !engine.is_null() {
        // SAFETY: a set engine is live.
        unsafe { note_use(&mut *engine, source) };
    }
}

/// The current worker has made a process: the outside, which may answer. Does nothing where no engine is.
pub fn note_child(child: libc::pid_t) {
    stir(Source::Process);
    let engine = engine();
    if !engine.is_null() {
        // SAFETY: a set engine is live; no switch happens in here.
        outside(|| unsafe { (*engine).outside.children.add(child, (*engine).time.now) });
    }
}

/// The current worker changes something that no look at memory shows: whoever looks again may find it. Does
/// nothing where no engine is.
pub fn note_change() {
    let engine = engine();
    if !engine.is_null() {
        // SAFETY: a set engine is live; no reference is kept.
        unsafe { (*engine).progress.forget() };
    }
}

/// The current worker reads from this open file, and may be further in it then. Does nothing where no engine
/// is.
pub fn note_reading(file: c_int) {
    let engine = engine();
    if !engine.is_null() {
        // SAFETY: as above.
        let progress = unsafe { &mut (*engine).progress };
        progress.files = progress.files.max(file.saturating_add(1));
    }
}
