//! Descriptors that an iteration opened are closed at its end.

/// The lowest descriptor that was free before the first iteration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Descriptors {
    first_free: libc::c_int,
}

impl Descriptors {
    /// Remembers which descriptors are open now.
    ///
    /// Those that an iteration gets lie above the lowest free one; gaps below are filled first.
    pub(crate) fn now() -> Descriptors {
        // SAFETY: duplicating and closing descriptors touches no memory.
        let highest = unsafe {
            let probe = libc::fcntl(0, libc::F_DUPFD_CLOEXEC, 0);
            libc::close(probe);
            probe
        };
        Descriptors { first_free: highest.max(3) }
    }

    /// Closes those opened since.
    pub(crate) fn close_new(self) {
        let first = self.first_free.cast_unsigned();
        // SAFETY: what an iteration opened is nobody's any more: its owners were cut off with it.
        unsafe { libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, 0) };
    }
}
