//! Puts the current directory and the mask for new files back, if the program has changed them.

use std::env;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Set by whoever changes one of them.
static ARE_CHANGED: AtomicBool = AtomicBool::new(false);

/// The program is about to change the current directory, or the mask.
pub fn note_change() {
    ARE_CHANGED.store(true, Relaxed);
}

/// Both as they were before the first iteration.
#[derive(Debug)]
pub(crate) struct Folder {
    path: Option<PathBuf>,
    mask: libc::mode_t,
}

impl Folder {
    /// Keeps them as they are now.
    pub(crate) fn now() -> Folder {
        // SAFETY: no memory is involved, and no other thread makes files meanwhile.
        let mask = unsafe { libc::umask(0) };
        put_back(mask);
        ARE_CHANGED.store(false, Relaxed);
        Folder {
            path: env::current_dir().ok(),
            mask,
        }
    }

    /// Puts them back.
    pub(crate) fn restore(&self) {
        if ARE_CHANGED.swap(false, Relaxed) {
            if let Some(path) = &self.path {
                // It may be gone, as it would be natively.
                let _ = env::set_current_dir(path);
            }
            put_back(self.mask);
            ARE_CHANGED.store(false, Relaxed);
        }
    }
}

fn put_back(mask: libc::mode_t) {
    // SAFETY: no memory is involved.
    unsafe { libc::umask(mask) };
}
