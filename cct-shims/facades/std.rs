//! The crate that target crates get as `std`: std, with our shims in the place of its concurrency.
//!
//! Each explicit item wins over the glob beside it, so what has no shim is std's own, and what is
//! unstable in std stays so. Compiled by rustc itself, under the name `std`.
#![no_std]
#![allow(
    deprecated,
    reason = "std still has deprecated items, and so has its facade"
)]

extern crate std as real;

pub use ::cct_shims::{dbg, eprint, eprintln, print, println, thread_local};
pub use ::real::*;

/// The names in expansions of macros, and functions of rewritten source.
#[doc(hidden)]
pub mod __cct {
    pub use ::cct_shims::expand::*;
    pub use ::cct_shims::statement::{choose, shuffle};
}

pub mod arch {
    //! Items that only some processors have.
    pub use ::cct_shims::asm;
    pub use ::real::arch::*;

    #[cfg(target_arch = "x86_64")]
    pub mod x86_64 {
        //! x86-64.
        pub use ::cct_shims::std::arch::{__cpuid, __cpuid_count, __rdtscp, _rdtsc};
        pub use ::real::arch::x86_64::*;
    }
}

pub mod env {
    //! The environment.
    pub use ::cct_shims::std::env::{
        current_dir, home_dir, remove_var, set_current_dir, set_var, temp_dir, var, var_os, vars,
        vars_os,
    };
    pub use ::real::env::*;
}

pub mod hint {
    //! Hints to the compiler and the processor.
    pub use ::cct_shims::std::hint::spin_loop;
    pub use ::real::hint::*;
}

pub mod io {
    //! Input and output.
    pub use ::cct_shims::std::io::{
        IsTerminal, Stderr, StderrLock, Stdout, StdoutLock, stderr, stdin, stdout,
    };
    pub use ::real::io::*;
}

pub mod panic {
    //! Panics.
    pub use ::cct_shims::std::panic::{catch_unwind, resume_unwind, set_hook, take_hook};
    pub use ::real::panic::*;
}

pub mod process {
    //! Processes.
    pub use ::cct_shims::std::process::{abort, exit};
    pub use ::real::process::*;
}

pub mod sync {
    //! Synchronisation.
    pub use ::cct_shims::std::sync::{
        Barrier, BarrierWaitResult, Condvar, LazyLock, Mutex, MutexGuard, ONCE_INIT, Once,
        OnceLock, OnceState, RwLock, RwLockReadGuard, RwLockWriteGuard, WaitTimeoutResult,
    };
    pub use ::real::sync::*;

    pub mod atomic {
        //! Atomics.
        pub use ::cct_shims::std::sync::atomic::{
            ATOMIC_BOOL_INIT, ATOMIC_ISIZE_INIT, ATOMIC_USIZE_INIT, AtomicBool, AtomicI8,
            AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicPtr, AtomicU8, AtomicU16,
            AtomicU32, AtomicU64, AtomicUsize, fence, spin_loop_hint,
        };
        pub use ::real::sync::atomic::*;
    }

    pub mod mpsc {
        //! Channels.
        pub use ::cct_shims::std::sync::mpsc::{
            IntoIter, Iter, Receiver, Sender, SyncSender, TryIter, channel, sync_channel,
        };
        pub use ::real::sync::mpsc::*;
    }
}

pub mod thread {
    //! Threads.
    pub use ::cct_shims::std::thread::{
        AccessError, Builder, JoinHandle, LocalKey, Scope, ScopedJoinHandle, Thread, ThreadId,
        available_parallelism, current, panicking, park, park_timeout, park_timeout_ms, scope,
        sleep, sleep_ms, spawn, yield_now,
    };
    pub use ::real::thread::*;
}

pub mod prelude {
    //! The prelude of every module: with our `#[test]` and `#[global_allocator]`, and with
    //! `thread_local!`, which a crate otherwise gets from the real std.
    pub use ::real::prelude::*;

    pub mod v1 {
        //! The common part of all editions.
        pub use ::cct_shims::expand::{std_global_allocator as global_allocator, std_test as test};
        pub use ::cct_shims::rewritten::*;
        pub use ::cct_shims::{dbg, eprint, eprintln, print, println, thread_local};
        pub use ::real::prelude::v1::*;
    }

    pub mod rust_2015 {
        //! Edition 2015.
        pub use ::cct_shims::expand::{std_global_allocator as global_allocator, std_test as test};
        pub use ::cct_shims::rewritten::*;
        pub use ::cct_shims::{dbg, eprint, eprintln, print, println, thread_local};
        pub use ::real::prelude::rust_2015::*;
    }

    pub mod rust_2018 {
        //! Edition 2018.
        pub use ::cct_shims::expand::{std_global_allocator as global_allocator, std_test as test};
        pub use ::cct_shims::rewritten::*;
        pub use ::cct_shims::{dbg, eprint, eprintln, print, println, thread_local};
        pub use ::real::prelude::rust_2018::*;
    }

    pub mod rust_2021 {
        //! Edition 2021.
        pub use ::cct_shims::expand::{std_global_allocator as global_allocator, std_test as test};
        pub use ::cct_shims::rewritten::*;
        pub use ::cct_shims::{dbg, eprint, eprintln, print, println, thread_local};
        pub use ::real::prelude::rust_2021::*;
    }

    pub mod rust_2024 {
        //! Edition 2024.
        pub use ::cct_shims::expand::{std_global_allocator as global_allocator, std_test as test};
        pub use ::cct_shims::rewritten::*;
        pub use ::cct_shims::{dbg, eprint, eprintln, print, println, thread_local};
        pub use ::real::prelude::rust_2024::*;
    }
}
