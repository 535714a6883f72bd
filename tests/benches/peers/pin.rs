//! Keeps this process, and those it starts, on one core.

use std::mem;

/// Pins to the last core that this process may use; says so when that fails.
pub(crate) fn to_one_core() {
    let size = size_of::<libc::cpu_set_t>();
    // SAFETY: a set of cores is plain bits, for which zero is valid.
    let mut cores: libc::cpu_set_t = unsafe { mem::zeroed() };
    // SAFETY: the set is ours and of the size given; 0 is this process.
    let known = unsafe { libc::sched_getaffinity(0, size, &raw mut cores) } == 0;
    // SAFETY: the index is within a set.
    let allowed = |&core: &usize| unsafe { libc::CPU_ISSET(core, &cores) };
    let last = (0..8 * size).rev().find(allowed);
    let pinned = last.is_some_and(|core| {
        // SAFETY: as above.
        let mut one: libc::cpu_set_t = unsafe { mem::zeroed() };
        // SAFETY: the core was found in a set of this size.
        unsafe { libc::CPU_SET(core, &mut one) };
        // SAFETY: the set is ours and of the size given.
        unsafe { libc::sched_setaffinity(0, size, &raw const one) == 0 }
    });
    if !known || !pinned {
        eprintln!("not pinned to one core: figures will vary more");
    }
}
