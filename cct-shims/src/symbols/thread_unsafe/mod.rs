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

use cct::tsvd::{Api, call_from, call_under_lock};

use crate::std::env::is_locked;

/// Tells of a call from the place that it returns to.
pub(super) fn tell(api: &'static Api, key: u64, returns_to: usize) {
    if is_locked() {
        call_under_lock(api, key, returns_to);
    } else {
        call_from(api, key, returns_to);
    }
}
