//! Address space, of which much is reserved and little used.
//!
//! Where `ulimit -v` or `ulimit -d` allow less than is wanted, less is reserved: fewer and smaller blocks fit
//! then. Below what a search takes at least it is refused.

use std::ptr::null_mut;

/// The least that a search takes: room for blocks, for stacks, for the detector of data races, and for what
/// the program maps itself.
const LEAST: u64 = 4 << 30;

/// Returns why there is too little for a search, if there is.
pub(crate) fn lack() -> Option<String> {
    let limits = [
        (libc::RLIMIT_AS, "ulimit -v"),
        (libc::RLIMIT_DATA, "ulimit -d"),
    ];
    limits.into_iter().find_map(|(which, command)| {
        let mut limit = libc::rlimit {
            rlim_cur: 0,
            rlim_max: 0,
        };
        // SAFETY: the place is ours.
        let is_known = unsafe { libc::getrlimit(which, &raw mut limit) == 0 };
        (is_known && limit.rlim_cur < LEAST).then(|| {
            format!(
                "no space for a search: `{command}` allows {} KiB of address space, and it takes {} KiB, \
                 most of which is reserved and not used: raise the limit, or limit memory by \
                 `--max-memory` instead",
                limit.rlim_cur >> 10,
                LEAST >> 10
            )
        })
    })
}

/// Reserves so much, or where limits do not allow it a `part`th of the largest power of two that they do: the
/// rest is for others. Returns its address and size; none if there is hardly any.
pub(crate) fn reserve(
    at: usize,
    wanted: usize,
    protection: i32,
    part: usize,
) -> Option<(usize, usize)> {
    reserved(wanted, part, |size| {
        map(at, size, protection, libc::MAP_PRIVATE)
    })
}

/// As [`reserve`], anywhere, memory that copies of this process share with it.
pub(crate) fn reserve_shared(wanted: usize, part: usize) -> Option<(usize, usize)> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    reserved(wanted, part, |size| {
        map(0, size, protection, libc::MAP_SHARED)
    })
}

fn reserved(
    wanted: usize,
    part: usize,
    map: impl Fn(usize) -> Option<usize>,
) -> Option<(usize, usize)> {
    if let Some(place) = map(wanted) {
        return Some((place, wanted));
    }
    let mut size = wanted.next_power_of_two() / 2;
    while size > part << 20 {
        if let Some(place) = map(size) {
            let kept = size / part;
            // SAFETY: the end of the mapping that was just made, which nobody uses.
            unsafe { libc::munmap((place + kept) as *mut _, size - kept) };
            return Some((place, kept));
        }
        size /= 2;
    }
    None
}

fn map(at: usize, size: usize, protection: i32, sharing: i32) -> Option<usize> {
    let flags = sharing | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let at = if at == 0 {
        null_mut()
    } else {
        at as *mut libc::c_void
    };
    // SAFETY: a fresh mapping touches nobody's memory.
    let place = unsafe { libc::mmap(at, size, protection, flags, -1, 0) };
    (place != libc::MAP_FAILED).then_some(place as usize)
}
