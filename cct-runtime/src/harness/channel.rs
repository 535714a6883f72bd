//! The pipe to cargo-cct, and the one from it.

use crate::codec::Wire as _;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::wire::{ENV_ANSWERS, ENV_EVENTS, Event};

/// Sends events to cargo-cct.
#[derive(Clone, Copy, Debug)]
pub(super) struct Channel {
    descriptor: libc::c_int,
}

impl Channel {
    /// Opens the channel that the environment names; `None` if it names none.
    pub(super) fn open() -> Option<Channel> {
        let descriptor = descriptor_in(ENV_EVENTS)?;
        Some(Channel { descriptor })
    }

    /// Sends an event. The process ends if nobody reads it: there is no reason to go on.
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

/// Takes answers from cargo-cct.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answers {
    descriptor: libc::c_int,
}

impl Answers {
    /// Opens the answers that the environment names; `None` if it names none.
    pub(super) fn open() -> Option<Answers> {
        let descriptor = descriptor_in(ENV_ANSWERS)?;
        Some(Answers { descriptor })
    }

    /// Waits for the next answer. The process ends if nobody writes one: there is no reason to go on.
    pub(super) fn next(self) -> u32 {
        let mut bytes = [0; 4];
        let mut filled = 0;
        while filled < bytes.len() {
            let rest = &mut bytes[filled..];
            // SAFETY: `rest` is writable.
            let read = unsafe { libc::read(self.descriptor, rest.as_mut_ptr().cast(), rest.len()) };
            match usize::try_from(read) {
                Ok(read @ 1..) => filled += read,
                Err(_) if std::io::Error::last_os_error().raw_os_error() == Some(libc::EINTR) => {}
                // SAFETY: ends the process.
                _ => unsafe { libc::_exit(1) },
            }
        }
        u32::from_le_bytes(bytes)
    }
}

/// Returns the descriptor that a variable names, if it is open: a debugger may have closed it. Processes that
/// the test starts do not inherit it.
fn descriptor_in(variable: &str) -> Option<libc::c_int> {
    let descriptor: libc::c_int = std::env::var(variable).ok()?.parse().ok()?;
    // SAFETY: touches no memory.
    let set = unsafe { libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC) };
    let number = descriptor.cast_unsigned();
    if set == 0 && number < u64::BITS {
        OWN.fetch_or(1 << number, Relaxed);
    }
    (set == 0).then_some(descriptor)
}

/// The descriptors of channels, as bits: cargo-cct gives them the lowest numbers.
static OWN: AtomicU64 = AtomicU64::new(0);

/// True for a descriptor that natively nobody has opened: the program must not close it.
pub fn is_own_descriptor(descriptor: libc::c_int) -> bool {
    let number = descriptor.cast_unsigned();
    number < u64::BITS && OWN.load(Relaxed) & 1 << number != 0
}
