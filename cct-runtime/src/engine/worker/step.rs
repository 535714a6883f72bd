//! An operation under way, through which a shim tells what it read and wrote.

use std::panic::Location;
use std::sync::atomic::Ordering;

use super::memory::{Atomic, AtomicAct};
use super::weak::{Plain, Values, load_older, operate};
use crate::claim::Exception;
use crate::engine::decide::{Engine, engine, outside};
use crate::engine::observe::record::Note;
use crate::object::ObjectId;
use crate::operation::Operation;
use crate::trace::{Older, Outcome, Value};

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

    /// The operation loads from an atomic, whose latest store is this; returns what it reads.
    #[inline]
    pub fn loads<T: Plain + Into<Value>>(self, atomic: Atomic, latest: T) -> T {
        self.leaves_out_if(atomic.order != Ordering::SeqCst, Exception::WeakOrderings);
        if !self.is_looked_at() {
            return latest;
        }
        // SAFETY: as in `progressed`.
        unsafe {
            let bits = latest.to_bits();
            let values = Values {
                before: bits,
                after: bits,
            };
            self.note_atomic(atomic, Outcome::Done, (Some(latest.into()), None));
            if !self.is_part
                && let Some(read) = load_older(self.engine, atomic, (bits, None))
            {
                let older = T::of_bits(read.value);
                self.note_older(
                    (atomic, Outcome::Done),
                    older.into(),
                    (read.step, latest.into()),
                );
                return older;
            }
            operate(self.engine, (atomic, AtomicAct::Load, self.is_part), values);
        }
        latest
    }

    /// An operation on an atomic that fails unless it reads the value `expected` may read an older store than
    /// the latest, and fail for that: returns what it reads then.
    #[inline]
    pub fn refused_by_older<T: Plain + Into<Value>>(
        self,
        atomic: Atomic,
        latest: impl FnOnce() -> T,
        expected: T,
    ) -> Option<T> {
        if !self.is_looked_at() || self.is_part {
            return None;
        }
        // SAFETY: as in `progressed`.
        unsafe {
            let latest = latest();
            let bits = (latest.to_bits(), Some(expected.to_bits()));
            let read = load_older(self.engine, atomic, bits)?;
            let older = T::of_bits(read.value);
            self.note_older(
                (atomic, Outcome::Refused),
                older.into(),
                (read.step, latest.into()),
            );
            Some(older)
        }
    }

    /// An operation that may fail did not change an atomic; it read this.
    #[inline]
    pub fn refused_by<T: Plain + Into<Value>>(self, atomic: Atomic, value: T) {
        let (bits, read) = ([value.to_bits(); 2], Some(value.into()));
        self.operates(
            (atomic, AtomicAct::Load),
            Outcome::Refused,
            bits,
            (read, None),
        );
    }

    /// The operation stored this to an atomic that held the value `before`.
    #[inline]
    pub fn stored<T: Plain + Into<Value>>(self, atomic: Atomic, before: T, value: T) {
        let bits = [before.to_bits(), value.to_bits()];
        let values = (None, Some(value.into()));
        self.operates((atomic, AtomicAct::Store), Outcome::Done, bits, values);
    }

    /// The operation replaced one value of an atomic by another.
    #[inline]
    pub fn replaced<T: PartialEq + Plain + Into<Value>>(self, atomic: Atomic, read: T, written: T) {
        if read != written {
            self.progressed();
        }
        let bits = [read.to_bits(), written.to_bits()];
        let values = (Some(read.into()), Some(written.into()));
        self.operates((atomic, AtomicAct::Replace), Outcome::Done, bits, values);
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

    /// The operation puts this message of its object in, or takes it out: messages are numbered.
    #[inline]
    pub fn carries(self, message: u64) {
        self.record(Outcome::Done, || (None, Some(Value::Unsigned(message))));
    }

    /// The operation is done by the code at this place, which was not known before.
    #[inline]
    pub fn at(self, place: &'static Location<'static>) {
        // SAFETY: as in `progressed`.
        unsafe {
            if !self.engine.is_null() && !self.is_part && (*self.engine).observers.keeps_values {
                outside(|| {
                    if let Some(recorder) = &mut (*self.engine).observers.recorder {
                        recorder.note_place(place);
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

/// Something happens to the current worker that is worth a line and no step of its own.
pub(crate) fn note(operation: Operation, text: &str, site: &'static Location<'static>) {
    let engine = engine();
    if !engine.is_null() {
        let note = Note::of(operation, site).saying(text);
        // SAFETY: a set engine is live, and so is its current worker.
        outside(|| unsafe { (*engine).record_note((*engine).roster.current, &note) });
    }
}

impl Step {
    /// True if values and orderings are of interest to somebody.
    #[inline]
    fn is_looked_at(self) -> bool {
        // SAFETY: as in `progressed`.
        !self.engine.is_null() && unsafe { (*self.engine).observers.keeps_values }
    }

    /// An operation on an atomic, with the bits that it held before and after.
    #[inline]
    fn operates(
        self,
        (atomic, act): (Atomic, AtomicAct),
        outcome: Outcome,
        [before, after]: [u64; 2],
        values: (Option<Value>, Option<Value>),
    ) {
        self.leaves_out_if(atomic.order != Ordering::SeqCst, Exception::WeakOrderings);
        if self.is_looked_at() {
            self.note_atomic(atomic, outcome, values);
            // SAFETY: as in `progressed`.
            unsafe {
                operate(
                    self.engine,
                    (atomic, act, self.is_part),
                    Values { before, after },
                );
            };
        }
    }

    /// An operation on an atomic reads an older store than the latest: the value of the one, and of the
    /// other.
    #[cold]
    #[inline(never)]
    fn note_older(
        self,
        (atomic, outcome): (Atomic, Outcome),
        older: Value,
        (step, latest): (Option<u32>, Value),
    ) {
        self.note_atomic(atomic, outcome, (Some(older), None));
        // SAFETY: as in `progressed`.
        unsafe {
            if let Some(recorder) = &mut (*self.engine).observers.recorder {
                recorder.note_older(Older { step, latest });
            }
        }
    }

    /// Records an operation on an atomic; not part of what each operation is compiled to.
    #[cold]
    #[inline(never)]
    fn note_atomic(self, atomic: Atomic, outcome: Outcome, values: (Option<Value>, Option<Value>)) {
        if self.is_part {
            return;
        }
        // SAFETY: as in `progressed`.
        unsafe {
            note_values(self.engine, outcome, values.0, values.1);
            if let Some(recorder) = &mut (*self.engine).observers.recorder {
                recorder.note_order(atomic.order.into());
            }
        }
    }
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
