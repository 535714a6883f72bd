//! An operation under way, through which a shim tells what it read and wrote.

use std::sync::atomic::Ordering;

use super::memory::{Atomic, AtomicAct, access_atomic};
use crate::claim::Exception;
use crate::engine::decide::{Engine, engine, outside};
use crate::object::ObjectId;
use crate::trace::{Outcome, Value};

/// An operation that was declared and may now be carried out.
///
/// Tells the engine what came of it: whether an operation that may fail changed anything, and, when
/// somebody records, the values. Does nothing outside a controlled worker.
#[derive(Clone, Copy, Debug)]
#[must_use = "an operation has an outcome, even if it is only `done`"]
pub struct Step {
    engine: *mut Engine,
    /// It is no step of its own: its values are nobody's.
    is_part: bool,
}

/// The step that the current worker makes: for what comes of an operation that was waited for.
pub fn step_under_way() -> Step {
    Step::of(engine())
}

impl Step {
    #[inline]
    pub(super) fn of(engine: *mut Engine) -> Step {
        Step {
            engine,
            is_part: false,
        }
    }

    /// An operation that is part of another step.
    #[inline]
    pub(super) fn part_of(engine: *mut Engine) -> Step {
        Step {
            engine,
            is_part: true,
        }
    }

    /// The operation read this.
    #[inline]
    pub fn read(self, value: impl Into<Value>) {
        self.record(Outcome::Done, || (Some(value.into()), None));
    }

    /// The operation wrote this.
    #[inline]
    pub fn wrote(self, value: impl Into<Value>) {
        self.record(Outcome::Done, || (None, Some(value.into())));
    }

    /// The operation replaced one value by another.
    #[inline]
    pub fn exchanged<T: PartialEq + Into<Value>>(self, read: T, written: T) {
        if read != written {
            self.progressed();
        }
        self.record(Outcome::Done, || (Some(read.into()), Some(written.into())));
    }

    /// An operation on a count of references changed it. That alone is no progress: clones that are dropped
    /// again leave everything as it was.
    #[inline]
    pub fn counted(self, count: ObjectId, before: u64, after: u64) {
        if !self.engine.is_null() {
            // SAFETY: as in `progressed`.
            unsafe {
                let counts = &mut (*self.engine).granularity.counts;
                counts.add(count, after.wrapping_sub(before));
            }
        }
        if after == 0 {
            self.progressed();
        }
        self.record(Outcome::Done, || (Some(before.into()), Some(after.into())));
    }

    /// The operation read this from an atomic.
    #[inline]
    pub fn loaded(self, atomic: Atomic, value: impl Into<Value>) {
        let values = || (Some(value.into()), None);
        self.record_atomic(atomic, AtomicAct::Load, Outcome::Done, values);
    }

    /// An operation that may fail did not change an atomic; it read this.
    #[inline]
    pub fn refused_by(self, atomic: Atomic, value: impl Into<Value>) {
        let values = || (Some(value.into()), None);
        self.record_atomic(atomic, AtomicAct::Load, Outcome::Refused, values);
    }

    /// The operation wrote this to an atomic.
    #[inline]
    pub fn stored(self, atomic: Atomic, value: impl Into<Value>) {
        let values = || (None, Some(value.into()));
        self.record_atomic(atomic, AtomicAct::Store, Outcome::Done, values);
    }

    /// The operation replaced one value of an atomic by another.
    #[inline]
    pub fn replaced<T: PartialEq + Into<Value>>(self, atomic: Atomic, read: T, written: T) {
        if read != written {
            self.progressed();
        }
        let values = || (Some(read.into()), Some(written.into()));
        self.record_atomic(atomic, AtomicAct::Replace, Outcome::Done, values);
    }

    /// An operation that may fail changed nothing; it read this, if anything.
    #[inline]
    pub fn refused(self, read: Option<Value>) {
        self.record(Outcome::Refused, || (read, None));
    }

    /// An operation that may fail, without values, succeeded.
    #[inline]
    pub fn succeeded(self) {
        self.progressed();
    }

    /// An operation of a custom runtime, which calls it this.
    #[inline]
    pub fn named(self, name: &str) {
        // SAFETY: as in `progressed`.
        unsafe {
            if !self.engine.is_null() && !self.is_part && (*self.engine).observers.keeps_values {
                outside(|| {
                    if let Some(recorder) = &mut (*self.engine).observers.recorder {
                        recorder.note_name(name);
                    }
                });
            }
        }
    }

    /// A claim about all schedules leaves something of the operation out, if this is so.
    #[inline]
    pub fn leaves_out_if(self, is_so: bool, exception: Exception) {
        if is_so && !self.engine.is_null() {
            // SAFETY: as in `progressed`.
            unsafe { (*self.engine).leave_out(exception) };
        }
    }

    /// There is nothing to tell.
    #[inline]
    pub fn done(self) {}

    #[inline]
    fn progressed(self) {
        if !self.engine.is_null() {
            // SAFETY: the engine was set at the point, and no switch has happened since.
            unsafe {
                (*self.engine).budget.idle = 0;
                // The next look from the same place is no spinning.
                (*(*self.engine).roster.current).object = ObjectId::SUCCEEDED;
            }
        }
    }

    #[inline]
    fn record(self, outcome: Outcome, values: impl FnOnce() -> (Option<Value>, Option<Value>)) {
        // SAFETY: as in `progressed`.
        unsafe {
            if !self.engine.is_null() && !self.is_part && (*self.engine).observers.keeps_values {
                let (read, written) = values();
                note_values(self.engine, outcome, read, written);
            }
        }
    }
}

impl Step {
    #[inline]
    fn record_atomic(
        self,
        atomic: Atomic,
        act: AtomicAct,
        outcome: Outcome,
        values: impl FnOnce() -> (Option<Value>, Option<Value>),
    ) {
        self.leaves_out_if(atomic.order != Ordering::SeqCst, Exception::WeakOrderings);
        // SAFETY: as in `progressed`.
        unsafe {
            if !self.engine.is_null() && (*self.engine).observers.keeps_values {
                let (read, written) = values();
                if !self.is_part {
                    note_values(self.engine, outcome, read, written);
                }
                note_atomic(self, atomic, act);
            }
        }
    }
}

/// The operation under way is on an atomic; not part of what each operation is compiled to.
///
/// # Safety
///
/// The step's engine is live.
#[cold]
#[inline(never)]
unsafe fn note_atomic(step: Step, atomic: Atomic, act: AtomicAct) {
    // SAFETY: the caller's.
    unsafe {
        let recorder = (*step.engine).observers.recorder.as_mut();
        if let Some(recorder) = recorder.filter(|_| !step.is_part) {
            recorder.note_order(atomic.order.into());
        }
    }
    access_atomic(atomic, act);
}

/// The operation under way read and wrote this; not part of what each operation is compiled to.
///
/// # Safety
///
/// The engine is live.
#[cold]
#[inline(never)]
unsafe fn note_values(
    engine: *mut Engine,
    outcome: Outcome,
    read: Option<Value>,
    written: Option<Value>,
) {
    // SAFETY: the caller's.
    unsafe { (*engine).observers.note_values(outcome, read, written) };
}
