//! The output of a test, kept of the iteration that fails and forgotten of all others.

use std::sync::atomic::Ordering;

use super::kept::kept;

/// So many iterations pass between two looks at the file itself.
const LOOK_EVERY: u32 = 64;

/// Notes that something was written. C code prints without a call of this, hence the looks at the file.
pub fn note_output() {
    kept().printed.store(true, Ordering::Relaxed);
}

/// Why the file does not take what is printed, if the machine is to blame: by the last error, of a write to
/// this descriptor.
pub(crate) fn lack(descriptor: libc::c_int) -> Option<String> {
    let error = std::io::Error::last_os_error();
    let is_lack = |number| [libc::ENOSPC, libc::EDQUOT, libc::EFBIG, libc::EIO].contains(&number);
    if !error.raw_os_error().is_some_and(is_lack) {
        return None;
    }
    // The test may have put something else into its place, a device that is always full say.
    let is_file = file(descriptor).is_some();
    is_file.then(|| format!("no space for what the test prints, in the target folder: {error}"))
}

/// The file that standard output and error go to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    /// The length when the first iteration began; -1 if nothing can be taken back, as from a pipe.
    start: libc::off_t,
    file: Option<Identity>,
    until_look: u32,
}

impl Output {
    /// Keeps the output up to now.
    pub(crate) fn now() -> Output {
        Output {
            start: position(),
            file: file(libc::STDOUT_FILENO),
            until_look: 0,
        }
    }

    /// Returns an output from which nothing is taken back.
    pub(crate) fn kept() -> Output {
        Output {
            start: -1,
            file: None,
            until_look: 0,
        }
    }

    /// Takes back everything that was printed since.
    pub(crate) fn forget(&mut self) {
        if self.start < 0 {
            return;
        }
        if kept().printed.swap(false, Ordering::Relaxed) || self.until_look == 0 {
            self.until_look = LOOK_EVERY;
            // The test may have put a file of its own there, and left it.
            if position() > self.start && file(libc::STDOUT_FILENO) == self.file {
                // SAFETY: touches no memory. The output is a file of ours, opened for appending.
                unsafe {
                    libc::ftruncate(libc::STDOUT_FILENO, self.start);
                    libc::lseek(libc::STDOUT_FILENO, self.start, libc::SEEK_SET);
                }
            }
        }
        self.until_look -= 1;
    }
}

/// The device and the number of a file.
type Identity = (libc::dev_t, libc::ino_t);

/// The file of a descriptor; none if it is something else.
fn file(descriptor: libc::c_int) -> Option<Identity> {
    // SAFETY: all zeroes are a place for an answer.
    let mut status: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: the place is ours.
    let is_told = unsafe { libc::fstat(descriptor, &raw mut status) == 0 };
    let is_file = is_told && status.st_mode & libc::S_IFMT == libc::S_IFREG;
    is_file.then_some((status.st_dev, status.st_ino))
}

fn position() -> libc::off_t {
    // SAFETY: touches no memory.
    unsafe { libc::lseek(libc::STDOUT_FILENO, 0, libc::SEEK_CUR) }
}
