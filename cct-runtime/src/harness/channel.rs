//! The pipe to cargo-cct.

use crate::codec::Wire as _;
use crate::wire::{ENV_EVENTS, Event};

/// Sends events to cargo-cct.
#[derive(Clone, Copy, Debug)]
pub(super) struct Channel {
    descriptor: libc::c_int,
}

impl Channel {
    /// The channel that the environment names; `None` if it names none.
    pub(super) fn open() -> Option<Channel> {
        let descriptor = std::env::var(ENV_EVENTS).ok()?.parse().ok()?;
        // SAFETY: touches no memory. A process that the test starts must not keep the pipe open.
        unsafe { libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC) };
        Some(Channel { descriptor })
    }

    /// Sends an event. When nobody listens any more the process has no reason to go on.
    pub(super) fn send(self, event: &Event) {
        let bytes = event.to_bytes();
        let mut frame = Vec::with_capacity(bytes.len() + 4);
        (bytes.len() as u32).put(&mut frame);
        frame.extend_from_slice(&bytes);
        let mut rest = &frame[..];
        while !rest.is_empty() {
            // SAFETY: `rest` is readable.
            let written = unsafe { libc::write(self.descriptor, rest.as_ptr().cast(), rest.len()) };
            match usize::try_from(written) {
                Ok(written) => rest = &rest[written..],
                Err(_) if std::io::Error::last_os_error().raw_os_error() == Some(libc::EINTR) => {}
                // SAFETY: ends the process.
                Err(_) => unsafe { libc::_exit(1) },
            }
        }
    }
}
