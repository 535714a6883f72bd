//! Closes the descriptors that an iteration has opened, at its end.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use libc::{c_int, c_uint};

/// So many iterations pass between two thorough looks.
const THOROUGH_EVERY: u32 = 64;

/// Somebody may have chosen the number of a descriptor.
static ANY_CHOSEN: AtomicBool = AtomicBool::new(false);

/// A descriptor was made a copy of another one, with whatever number.
pub fn note_copy() {
    ANY_CHOSEN.store(true, Relaxed);
}

/// The descriptors that were open before the first iteration.
#[derive(Clone, Debug)]
pub(crate) struct Descriptors {
    /// The lowest that was free.
    first_free: c_int,
    /// The others behind it, in order: the process was started with them, and they are taken in
    /// each iteration.
    kept: Vec<c_int>,
    until_thorough: u32,
}

impl Descriptors {
    /// Remembers which descriptors are open now: an iteration gets the lowest others, since the system gives
    /// these out.
    pub(crate) fn now() -> Descriptors {
        // SAFETY: duplicating and closing descriptors touches no memory.
        let first_free = unsafe {
            let probe = libc::fcntl(0, libc::F_DUPFD_CLOEXEC, 3);
            libc::close(probe);
            probe
        };
        let first_free = first_free.max(3);
        let number = |entry: std::io::Result<std::fs::DirEntry>| {
            entry.ok()?.file_name().to_str()?.parse().ok()
        };
        let all = std::fs::read_dir("/proc/self/fd").into_iter().flatten();
        // The list itself is read by the lowest that is free.
        let behind = all.filter_map(number).filter(|&open| open > first_free);
        let mut kept: Vec<c_int> = behind.collect();
        kept.sort_unstable();
        Descriptors {
            first_free,
            kept,
            until_thorough: 0,
        }
    }

    /// Closes the descriptors that were opened since.
    ///
    /// The system gives out the lowest free descriptor unless it is told which, so one question tells as a
    /// rule whether there are any, and costs a tenth of closing the whole range. Now and then the whole range
    /// is closed.
    pub(crate) fn close_new(&mut self) {
        let any_chosen = ANY_CHOSEN.swap(false, Relaxed);
        if any_chosen || is_open(self.first_free) || self.until_thorough == 0 {
            self.until_thorough = THOROUGH_EVERY;
            let mut first = self.first_free.cast_unsigned();
            for kept in self.kept.iter().map(|kept| kept.cast_unsigned()) {
                close(first, kept - 1);
                first = kept + 1;
            }
            close(first, c_uint::MAX);
        }
        self.until_thorough -= 1;
    }
}

fn is_open(descriptor: c_int) -> bool {
    // SAFETY: asks whether a descriptor is open.
    unsafe { libc::fcntl(descriptor, libc::F_GETFD) >= 0 }
}

/// Closes the descriptors from `first` to `last`, if there are any.
fn close(first: c_uint, last: c_uint) {
    if first <= last {
        // SAFETY: what an iteration opened is nobody's any more: its owners were cut off with it.
        unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) };
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::fd::AsRawFd as _;

    use super::*;

    /// Other tests of this process open descriptors meanwhile: so high up there are none.
    #[test]
    fn what_was_open_before_stays_open() {
        let file = File::open("/dev/null").expect("there is one");
        let at = |number: c_int| {
            // SAFETY: duplicates a descriptor.
            unsafe { libc::fcntl(file.as_raw_fd(), libc::F_DUPFD_CLOEXEC, number) }
        };
        let [low, high] = [at(900), at(910)];
        let mut descriptors = Descriptors::now();
        assert!(descriptors.kept.contains(&low) && descriptors.kept.contains(&high));
        descriptors.first_free = low - 1;
        descriptors.kept.retain(|&kept| kept >= low);
        let new = [at(low - 1), at(905), at(920)];
        descriptors.close_new();
        assert!(is_open(low) && is_open(high));
        assert_eq!(new.map(is_open), [false; 3]);
        close(low.cast_unsigned(), high.cast_unsigned());
    }
}
