//! Facts about iterations that outlive the process that has made one.
//!
//! Where each iteration is made by a copy of this process, they are in memory that the copies share.

use std::alloc::Layout;
use std::collections::BTreeMap;
use std::ptr::null_mut;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering::Relaxed};

use super::own;
use super::shared_files::PathUse;

/// So many kinds of things are not controlled.
pub(crate) const KINDS: usize = 7;

/// The facts.
pub(crate) struct Kept {
    /// Something was written to standard output or error.
    pub(crate) printed: AtomicBool,
    /// A process was about to be made, on any thread.
    pub(crate) any_process: AtomicBool,
    /// Somebody has used a file or a folder, on any thread.
    pub(crate) any_path: AtomicBool,
    /// The paths that iterations have used.
    pub(crate) paths: Mutex<BTreeMap<Box<[u8]>, PathUse>>,
    /// How often each kind of what is not controlled has been used.
    pub(crate) outside: [AtomicU64; KINDS],
}

/// The facts in shared memory; null if they are the process's.
static SHARED: AtomicPtr<Kept> = AtomicPtr::new(null_mut());

impl Kept {
    const fn new() -> Kept {
        Kept {
            printed: AtomicBool::new(false),
            any_process: AtomicBool::new(false),
            any_path: AtomicBool::new(false),
            paths: Mutex::new(BTreeMap::new()),
            outside: [const { AtomicU64::new(0) }; KINDS],
        }
    }
}

/// The facts so far.
pub(crate) fn kept() -> &'static Kept {
    static OWN: Kept = Kept::new();
    let shared = SHARED.load(Relaxed);
    // SAFETY: if it is set, then for good, to what is never dropped.
    unsafe { shared.as_ref() }.unwrap_or(&OWN)
}

/// Keeps them in the engine's heap from here on, which is in shared memory. False if that is full.
pub(super) fn share() -> bool {
    #[expect(clippy::cast_ptr_alignment, reason = "the layout is theirs")]
    let place = own::allocate(Layout::new::<Kept>()).cast::<Kept>();
    if place.is_null() {
        return false;
    }
    // SAFETY: the block is new, and has the layout.
    unsafe { place.write(Kept::new()) };
    SHARED.store(place, Relaxed);
    true
}
