//! `Stdout`, `Stderr`, and their locks.

use cct::engine;
use cct::primitive::StreamHold;
use real::fmt;
use real::io::{IoSlice, Result, Write};
use real::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use real::process::Stdio;

use crate::streams::{STDERR, STDOUT};

macro_rules! streams {
    ($(
        $stream:ident $name:literal, $lock:ident $lock_name:literal,
        $open:ident $open_name:literal, $machine:ident, $is_error:literal;
    )*) => { $(
        #[doc = concat!("`std::io::", $open_name, "`.")]
        #[must_use]
        pub fn $open() -> $stream {
            $stream(real::io::$open())
        }

        #[doc = concat!("`std::io::", $name, "`.")]
        pub struct $stream(real::io::$stream);

        #[doc = concat!("`std::io::", $lock_name, "`.")]
        #[must_use = "if unused the stream will immediately unlock"]
        pub struct $lock<'a> {
            // Given back before ours is.
            real: real::io::$lock<'a>,
            _hold: Option<StreamHold>,
        }

        impl $stream {
            #[doc = concat!("See `std::io::", $name, "::lock`.")]
            #[track_caller]
            pub fn lock(&self) -> $lock<'static> {
                let hold = $machine.lock();
                $lock { real: self.0.lock(), _hold: hold }
            }

            /// For as long as one call on the stream takes.
            #[track_caller]
            fn enter(&self) -> $lock<'static> {
                let hold = $machine.enter();
                $lock { real: self.0.lock(), _hold: hold }
            }
        }

        impl fmt::Debug for $stream {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $lock<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.real.fmt(f)
            }
        }

        impl Write for $stream {
            #[track_caller]
            fn write(&mut self, bytes: &[u8]) -> Result<usize> {
                (&*self).write(bytes)
            }

            #[track_caller]
            fn write_vectored(&mut self, parts: &[IoSlice<'_>]) -> Result<usize> {
                (&*self).write_vectored(parts)
            }

            #[track_caller]
            fn flush(&mut self) -> Result<()> {
                (&*self).flush()
            }

            #[track_caller]
            fn write_all(&mut self, bytes: &[u8]) -> Result<()> {
                (&*self).write_all(bytes)
            }

            #[track_caller]
            fn write_fmt(&mut self, text: fmt::Arguments<'_>) -> Result<()> {
                (&*self).write_fmt(text)
            }
        }

        impl Write for &$stream {
            #[track_caller]
            fn write(&mut self, bytes: &[u8]) -> Result<usize> {
                self.enter().write(bytes)
            }

            #[track_caller]
            fn write_vectored(&mut self, parts: &[IoSlice<'_>]) -> Result<usize> {
                self.enter().write_vectored(parts)
            }

            #[track_caller]
            fn flush(&mut self) -> Result<()> {
                self.enter().flush()
            }

            #[track_caller]
            fn write_all(&mut self, bytes: &[u8]) -> Result<()> {
                self.enter().write_all(bytes)
            }

            #[track_caller]
            fn write_fmt(&mut self, text: fmt::Arguments<'_>) -> Result<()> {
                self.enter().write_fmt(text)
            }
        }

        impl Write for $lock<'_> {
            fn write(&mut self, bytes: &[u8]) -> Result<usize> {
                let written = self.real.write(bytes)?;
                engine::tell_print($is_error, bytes.get(..written).unwrap_or(bytes));
                Ok(written)
            }

            fn write_vectored(&mut self, parts: &[IoSlice<'_>]) -> Result<usize> {
                let written = self.real.write_vectored(parts)?;
                let mut left = written;
                for part in parts {
                    let part = part.get(..left).unwrap_or(part);
                    engine::tell_print($is_error, part);
                    left -= part.len();
                }
                Ok(written)
            }

            fn flush(&mut self) -> Result<()> {
                self.real.flush()
            }

            fn write_all(&mut self, bytes: &[u8]) -> Result<()> {
                engine::tell_print($is_error, bytes);
                self.real.write_all(bytes)
            }

            fn write_fmt(&mut self, text: fmt::Arguments<'_>) -> Result<()> {
                if engine::tells_prints() {
                    let told = Told { text, is_error: $is_error };
                    return self.real.write_fmt(format_args!("{told}"));
                }
                self.real.write_fmt(text)
            }
        }

        impl AsFd for $stream {
            fn as_fd(&self) -> BorrowedFd<'_> {
                self.0.as_fd()
            }
        }

        impl AsFd for $lock<'_> {
            fn as_fd(&self) -> BorrowedFd<'_> {
                self.real.as_fd()
            }
        }

        impl AsRawFd for $stream {
            fn as_raw_fd(&self) -> RawFd {
                self.0.as_raw_fd()
            }
        }

        impl AsRawFd for $lock<'_> {
            fn as_raw_fd(&self) -> RawFd {
                self.real.as_raw_fd()
            }
        }

        impl From<$stream> for Stdio {
            fn from(stream: $stream) -> Stdio {
                stream.0.into()
            }
        }

        impl super::IsTerminal for $stream {
            fn is_terminal(&self) -> bool {
                real::io::IsTerminal::is_terminal(&self.0)
            }
        }

        impl super::IsTerminal for $lock<'_> {
            fn is_terminal(&self) -> bool {
                real::io::IsTerminal::is_terminal(&self.real)
            }
        }
    )* };
}

streams! {
    Stdout "Stdout", StdoutLock "StdoutLock", stdout "stdout", STDOUT, false;
    Stderr "Stderr", StderrLock "StderrLock", stderr "stderr", STDERR, true;
}

/// A text that is told as it is printed.
struct Told<'a> {
    text: fmt::Arguments<'a>,
    is_error: bool,
}

impl fmt::Display for Told<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_error = self.is_error;
        fmt::write(&mut Telling { to: f, is_error }, self.text)
    }
}

/// Tells each piece of a text, and passes it on.
struct Telling<'a, 'b> {
    to: &'a mut fmt::Formatter<'b>,
    is_error: bool,
}

impl fmt::Write for Telling<'_, '_> {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        engine::tell_print(self.is_error, piece.as_bytes());
        self.to.write_str(piece)
    }
}

/// The expansion of `print!` and `println!`.
#[doc(hidden)]
#[track_caller]
#[expect(clippy::print_stdout, reason = "the program prints")]
pub fn _print(text: fmt::Arguments<'_>) {
    let _hold = STDOUT.enter();
    // Not through the lock: what is printed may be captured.
    if engine::tells_prints() {
        let is_error = false;
        return real::print!("{}", Told { text, is_error });
    }
    real::print!("{text}");
}

/// The expansion of `eprint!` and `eprintln!`.
#[doc(hidden)]
#[track_caller]
#[expect(clippy::print_stderr, reason = "the program prints")]
pub fn _eprint(text: fmt::Arguments<'_>) {
    let _hold = STDERR.enter();
    if engine::tells_prints() {
        let is_error = true;
        return real::eprint!("{}", Told { text, is_error });
    }
    real::eprint!("{text}");
}
