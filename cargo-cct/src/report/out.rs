//! The standard streams: where results and remarks go until nobody reads them any more.
//!
//! A reader that has seen enough, as `head` has, is no error: from there on nothing is written, and commands
//! come to their ends, with their own exit codes. A run of tests asks [`nobody_reads`], and stops.

use std::fmt::{Arguments, Display};
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// True once the reader of standard output is gone.
static IS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Tells whether the reader of standard output is gone.
pub(crate) fn nobody_reads() -> bool {
    IS_CLOSED.load(Relaxed)
}

/// Writes a text to standard output.
pub(crate) fn say(text: impl Display) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    heard(write!(out, "{text}").and_then(|()| out.flush()))
}

/// Writes a text to standard output as it is: for programs.
pub(crate) fn say_plainly(text: impl Display) -> io::Result<()> {
    let mut out = io::stdout().lock();
    heard(write!(out, "{text}").and_then(|()| out.flush()))
}

fn heard(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            IS_CLOSED.store(true, Relaxed);
            Ok(())
        }
        Err(error) => {
            let said = format!("cannot write to standard output: {error}");
            Err(io::Error::new(error.kind(), said))
        }
        Ok(()) => Ok(()),
    }
}

/// Writes to standard error, if anybody reads it: the place for [`remark`] and [`remark_line`].
pub(crate) fn note(text: Arguments<'_>) {
    let mut err = anstream::stderr().lock();
    // There is no other place to say that this cannot be said.
    let _ = err.write_fmt(text).and_then(|()| err.flush());
}

/// `eprint!` that does not panic where standard error is closed or full.
macro_rules! remark {
    ($($word:tt)*) => { $crate::report::note(format_args!($($word)*)) };
}

/// `eprintln!` that does not panic where standard error is closed or full.
macro_rules! remark_line {
    ($($word:tt)*) => { $crate::report::note(format_args!("{}\n", format_args!($($word)*))) };
}

pub(crate) use {remark, remark_line};
