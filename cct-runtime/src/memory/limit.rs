//! The most memory that a test may take.
//!
//! The arena asks at the same points of each iteration, so that a replay comes to the same end: when so much
//! of it was handed out that the limit could be reached, again each time a sixteenth more was, and from
//! there on before a great block is freed. Pages count that were touched. Other memory of the process is
//! watched from outside.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use crate::engine::{os_thread, outside};
use crate::wire::WATCHDOG_SIGNAL;

const PAGE: usize = 4096;
/// So many pages are asked about at a time.
const AT_A_TIME: usize = 4096;

/// The limit in bytes.
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);
/// The limit, once it is exceeded; 0 before.
static EXCEEDED: AtomicU64 = AtomicU64::new(0);

/// Sets the limit, for the rest of the process.
pub(super) fn set(bytes: u64) {
    LIMIT.store(usize::try_from(bytes).unwrap_or(usize::MAX), Relaxed);
}

/// The address up to which an arena that begins at `start` is handed out before it asks; after `top`.
pub(super) fn next_look(start: usize, top: usize) -> usize {
    let limit = LIMIT.load(Relaxed);
    let beyond = (top - start).saturating_sub(limit);
    let step = (limit / 16).max(PAGE);
    let looks = beyond.div_ceil(step);
    start.saturating_add(limit.saturating_add(looks.saturating_mul(step)))
}

/// True if so much memory would exceed the limit.
pub(super) fn is_in_reach(bytes: usize) -> bool {
    bytes > LIMIT.load(Relaxed)
}

/// Freed blocks are used again from so many bytes on, unless the limit wants it earlier.
pub(super) fn reuse_from(most: usize) -> usize {
    most.min(LIMIT.load(Relaxed) / 4)
}

/// Ends the process if more of this memory than the limit was touched, and is not given back: with last words
/// as a crash has.
#[cold]
pub(super) fn look(start: usize, end: usize, give_back: impl FnOnce()) {
    let limit = LIMIT.load(Relaxed);
    let is_beyond = || touched(start, end).is_some_and(|touched| touched > limit);
    if !is_beyond() {
        return;
    }
    give_back();
    if is_beyond() {
        EXCEEDED.store(limit as u64, Relaxed);
        outside(|| {
            // SAFETY: sends a signal to this thread, whose handler ends the process.
            unsafe {
                libc::syscall(
                    libc::SYS_tgkill,
                    libc::getpid(),
                    os_thread(),
                    WATCHDOG_SIGNAL,
                );
            }
        });
    }
}

/// The limit, if it has been exceeded.
pub(crate) fn exceeded() -> Option<u64> {
    let limit = EXCEEDED.load(Relaxed);
    (limit != 0).then_some(limit)
}

/// How many bytes of this memory have pages; none where the system does not tell.
fn touched(start: usize, end: usize) -> Option<usize> {
    let mut pages = [0_u8; AT_A_TIME];
    let mut count = 0;
    for from in (start..end).step_by(AT_A_TIME * PAGE) {
        let size = (end - from).min(AT_A_TIME * PAGE);
        let part = &mut pages[..size.div_ceil(PAGE)];
        // SAFETY: there is a byte for each page; the memory is not touched.
        let told = unsafe { libc::mincore(from as *mut _, size, part.as_mut_ptr().cast()) };
        if told != 0 {
            return None;
        }
        count += part.iter().filter(|&&page| page & 1 != 0).count();
    }
    Some(count * PAGE)
}

#[cfg(test)]
mod tests {
    use std::ptr::null_mut;

    use super::*;

    #[test]
    fn pages_count_that_were_touched() {
        let size = 64 * PAGE;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a fresh mapping touches nobody's memory, and all that is written lies in it.
        let start = unsafe {
            let start = libc::mmap(null_mut(), size, protection, flags, -1, 0);
            assert_ne!(start, libc::MAP_FAILED);
            libc::madvise(start, size, libc::MADV_NOHUGEPAGE);
            for page in [3, 4, 63] {
                start.cast::<u8>().add(page * PAGE).write(1);
            }
            start as usize
        };
        assert_eq!(touched(start, start + size), Some(3 * PAGE));
    }
}
