//! A semaphore that counts in a pipe: each byte is a permit.

use std::io::{self, PipeReader, PipeWriter, Read as _, Write as _};
use std::os::fd::AsRawFd as _;

use cct::instrument::Resource;

#[derive(Debug)]
pub(crate) struct Semaphore {
    permits: Resource,
    reader: PipeReader,
    writer: PipeWriter,
}

impl Semaphore {
    /// A semaphore without permits.
    pub(crate) fn new() -> io::Result<Semaphore> {
        let (reader, writer) = io::pipe()?;
        Ok(Semaphore {
            permits: Resource::new(),
            reader,
            writer,
        })
    }

    /// Gives a permit.
    pub(crate) fn post(&self) {
        self.permits.change("post", || {
            let written = (&self.writer).write_all(&[0]);
            written.expect("the reading end is open");
        });
    }

    /// Takes a permit; waits until there is one.
    pub(crate) fn wait(&self) {
        // Under control one waits here, where others can run, and never below.
        self.permits.wait_until(|| self.has_permits());
        let read = (&self.reader).read_exact(&mut [0]);
        read.expect("the writing end is open");
    }

    fn has_permits(&self) -> bool {
        let mut bytes: libc::c_int = 0;
        let descriptor = self.reader.as_raw_fd();
        // SAFETY: the call writes an int to where it is told.
        let result = unsafe { libc::ioctl(descriptor, libc::FIONREAD, &raw mut bytes) };
        result == 0 && bytes > 0
    }
}
