//! The accesses of the running thread that are known already: most are, and a few instructions tell.
//!
//! The detector says of which epoch the running thread's accesses are. A change of that, or of the running
//! thread, calls [`forget_epoch`]; the next access that is looked at whole says it anew.

use std::ops::Range;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};

use super::shadow::{Cell, GRANULE, is_first_and_covers};

/// The epoch of the running thread's accesses; 0, of which no access is, where nobody has said it.
static EPOCH: AtomicU64 = AtomicU64::new(0);
/// The shadow's cells.
static CELLS: AtomicPtr<Cell> = AtomicPtr::new(null_mut());
/// After so many accesses a sign of life is due.
static LEFT: AtomicU32 = AtomicU32::new(BEAT);

/// Where the program's memory begins and how long it is: its heap, its statics, its stacks.
static OWN: [(AtomicUsize, AtomicUsize); 3] =
    [const { (AtomicUsize::new(0), AtomicUsize::new(0)) }; 3];

/// A sign of life is due after so many accesses.
pub(crate) const BEAT: u32 = 1 << 20;

/// True if the running thread has accessed this memory like this already, and released nothing since: then
/// nothing is to be found, or to be kept. False also if it is not worth the time to tell.
#[inline]
pub(crate) fn is_known(address: usize, size: usize, writes: bool) -> bool {
    let (epoch, left) = (EPOCH.load(Relaxed), LEFT.load(Relaxed));
    if epoch == 0 || left == 0 || address % GRANULE + size > GRANULE {
        return false;
    }
    // SAFETY: whoever gave the epoch gave the cells before.
    let is_known =
        unsafe { is_first_and_covers(CELLS.load(Relaxed), epoch, (address, size), writes) };
    if is_known {
        // Threads that nobody controls may count as well: it need not be exact.
        LEFT.store(left - 1, Relaxed);
    }
    is_known
}

/// True for memory of the program, and gaps in it. Code of ours that is inlined into the program's accesses
/// other memory, too.
#[inline]
pub(crate) fn is_own(address: usize) -> bool {
    OWN.iter()
        .any(|(start, size)| address.wrapping_sub(start.load(Relaxed)) < size.load(Relaxed))
}

/// These are the program's memory from here on.
pub(crate) fn own(memory: [Range<usize>; 3]) {
    for ((start, size), memory) in OWN.iter().zip(memory) {
        start.store(memory.start, Relaxed);
        size.store(memory.len(), Relaxed);
    }
}

/// Counts an access that is not known. True if a sign of life is due.
#[inline]
pub(crate) fn is_time_for_a_beat() -> bool {
    let left = LEFT.load(Relaxed);
    LEFT.store(if left == 0 { BEAT } else { left - 1 }, Relaxed);
    left == 0
}

/// The shadow has these cells from here on.
pub(super) fn use_cells(cells: *mut Cell) {
    forget_epoch();
    CELLS.store(cells, Relaxed);
}

/// The accesses of the thread that runs are of this epoch, until [`forget_epoch`].
#[inline]
pub(super) fn know_epoch(epoch: u64) {
    EPOCH.store(epoch, Relaxed);
}

/// Another thread may run from here on, or in another epoch.
#[inline]
pub(crate) fn forget_epoch() {
    EPOCH.store(0, Relaxed);
}
