//! Plain variables of the programs, shared as C shares them: without synchronisation.
//!
//! SCTBench's method puts scheduling points at synchronisation and at those plain accesses that a race
//! detector names. So a cell says on which side it is, and the granularity of a run says who is looked
//! at. An access is one step; nobody else runs inside it, so that memory is sequentially consistent.

use std::cell::UnsafeCell;
use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU8, Ordering};

use cct::engine::{Step, is_controlled, point};
use cct::object::ObjectId;
use cct::operation::Operation;
use cct::trace::Value;

/// A plain variable, `int x` of the C program.
#[derive(Debug)]
pub(crate) struct RacyCell<T> {
    value: UnsafeCell<T>,
    /// The coarsest granularity at which an access is a scheduling point.
    visible_from: Granularity,
}

// SAFETY: controlled workers run one at a time, and an access contains no switch; elsewhere the programs
// do not run.
unsafe impl<T: Send> Sync for RacyCell<T> {}

impl<T> RacyCell<T> {
    /// A variable on which the program races.
    pub(crate) const fn new(value: T) -> Self {
        RacyCell {
            value: UnsafeCell::new(value),
            visible_from: Granularity::Racy,
        }
    }

    /// A shared variable whose accesses are always ordered, by locks, joins or the start of threads.
    pub(crate) const fn ordered(value: T) -> Self {
        RacyCell {
            value: UnsafeCell::new(value),
            visible_from: Granularity::All,
        }
    }
}

impl<T: Copy + Plain> RacyCell<T> {
    /// Loads it.
    #[track_caller]
    pub(crate) fn get(&self) -> T {
        let step = self.point(Operation::PlainLoad);
        // SAFETY: nobody else runs: see the impl of `Sync`.
        let value = unsafe { *self.value.get() };
        match (step, value.bits()) {
            (Some(step), Some(bits)) => step.read(bits),
            (Some(step), None) => step.done(),
            (None, _) => {}
        }
        value
    }

    /// Stores it.
    #[track_caller]
    pub(crate) fn set(&self, value: T) {
        let step = self.point(Operation::PlainStore);
        // SAFETY: as in `get`; no reference to the value is ever given away.
        unsafe { *self.value.get() = value };
        match (step, value.bits()) {
            (Some(step), Some(bits)) => step.wrote(bits),
            (Some(step), None) => step.done(),
            (None, _) => {}
        }
    }

    /// Loads it and then stores what `change` makes of it: two steps, as `x++` is. Returns what was stored.
    #[track_caller]
    pub(crate) fn update(&self, change: impl FnOnce(T) -> T) -> T {
        let value = change(self.get());
        self.set(value);
        value
    }

    #[track_caller]
    fn point(&self, operation: Operation) -> Option<Step> {
        debug_assert!(is_controlled(), "the programs run on controlled workers");
        if self.visible_from > granularity() {
            return None;
        }
        // Not in a closure, which would be the site of all accesses.
        Some(point(operation, ObjectId::of(self)))
    }
}

/// The types of a plain variable; a word or less has a value that strategies and traces can show.
pub(crate) trait Plain {
    /// The value, if it is a number, a truth value or an address.
    fn bits(self) -> Option<Value>
    where
        Self: Sized,
    {
        None
    }
}

macro_rules! plain {
    ($($type:ty)*) => { $(
        impl Plain for $type {
            fn bits(self) -> Option<Value> {
                Some(self.into())
            }
        }
    )* };
}
plain!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize bool);

impl Plain for f32 {}
impl Plain for f64 {}

impl<T> Plain for *mut T {
    fn bits(self) -> Option<Value> {
        Some(self.into())
    }
}

impl<T> Plain for Option<T> {}

/// Which accesses to plain variables are scheduling points; each includes those before it.
#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Default,
    Debug,
    serde::Serialize,
    serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub(crate) enum Granularity {
    /// None: synchronisation only.
    Sync,
    /// The accesses on which the program races: SCTBench's method.
    #[default]
    Racy,
    /// All of them.
    All,
}

/// The granularity of this process; it is set before the first iteration, so that restoring statics
/// does not change it.
static GRANULARITY: AtomicU8 = AtomicU8::new(Granularity::Racy as u8);

impl Granularity {
    /// Every granularity, coarsest first.
    pub(crate) const ALL: [Granularity; 3] =
        [Granularity::Sync, Granularity::Racy, Granularity::All];

    /// Its name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Granularity::Sync => "sync",
            Granularity::Racy => "racy",
            Granularity::All => "all",
        }
    }

    /// Makes it the granularity of this process.
    pub(crate) fn adopt(self) {
        GRANULARITY.store(self as u8, Ordering::Relaxed);
    }
}

/// The granularity of this process.
pub(crate) fn granularity() -> Granularity {
    Granularity::ALL[usize::from(GRANULARITY.load(Ordering::Relaxed))]
}

impl fmt::Display for Granularity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Granularity {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut all = Granularity::ALL.into_iter();
        all.find(|granularity| granularity.name() == text)
            .ok_or_else(|| "expected `sync`, `racy` or `all`".to_owned())
    }
}
