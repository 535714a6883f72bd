//! Descriptors that an iteration opened are closed at its end.

/// How many iterations pass between two thorough looks.
const THOROUGH_EVERY: u32 = 64;

/// The lowest descriptor that was free before the first iteration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Descriptors {
    first_free: libc::c_int,
    until_thorough: u32,
}

impl Descriptors {
    /// Remembers which descriptors are open now.
    ///
    /// Those that an iteration gets lie above the lowest free one; gaps below are filled first.
    pub(crate) fn now() -> Descriptors {
        // SAFETY: duplicating and closing descriptors touches no memory.
        let first_free = unsafe {
            let probe = libc::fcntl(0, libc::F_DUPFD_CLOEXEC, 3);
            libc::close(probe);
            probe
        };
        Descriptors {
            first_free: first_free.max(3),
            until_thorough: 0,
        }
    }

    /// Closes those opened since.
    ///
    /// Descriptors are given out lowest first, so the first free one tells most of the time whether there
    /// are any, and is ten times cheaper to ask for than the whole range; now and then all are closed.
    pub(crate) fn close_new(&mut self) {
        // SAFETY: asks whether a descriptor is open.
        let is_open = unsafe { libc::fcntl(self.first_free, libc::F_GETFD) } >= 0;
        if is_open || self.until_thorough == 0 {
            self.until_thorough = THOROUGH_EVERY;
            let first = self.first_free.cast_unsigned();
            // SAFETY: what an iteration opened is nobody's any more: its owners were cut off with it.
            unsafe { libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, 0) };
        }
        self.until_thorough -= 1;
    }
}
