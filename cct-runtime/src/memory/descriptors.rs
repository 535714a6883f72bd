//! Closes the descriptors that an iteration has opened, at its end.

/// So many iterations pass between two thorough looks.
const THOROUGH_EVERY: u32 = 64;

/// The lowest descriptor that was free before the first iteration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Descriptors {
    first_free: libc::c_int,
    until_thorough: u32,
}

impl Descriptors {
    /// Remembers the lowest descriptor that is free now: an iteration gets those from there on, since the
    /// system gives out the lowest free one.
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

    /// Closes the descriptors that were opened since.
    ///
    /// The system gives out the lowest free descriptor, so one question tells as a rule whether there are
    /// any, and costs a tenth of closing the whole range. Now and then the whole range is closed.
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
