//! Functions of the C library that are not thread-safe: each call is told to delay injection, and passed on.
//!
//! The table has the words of glibc's manual: a function is MT-Unsafe by `race:tmbuf` or `const:env`, or
//! MT-Safe as long as nobody writes the `env` or `locale` that it reads.
//!
//! Left out are functions that glibc, since 2.34, makes safe and POSIX does not: `rand` and `random` have a
//! lock there; `strerror`, `strsignal`, `inet_ntoa` and `dlerror` a buffer for each thread; `rewinddir` takes
//! the stream's lock. So are those of other libraries, `lgamma` and `crypt`: a definition here would keep the
//! linker from taking the library.

pub(crate) mod group;

mod function;
mod table;
