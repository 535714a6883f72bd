//! The crate that target crates get as `core`: core, with our atomics, spin hint and attributes.
//!
//! Each explicit item wins over the glob beside it, so what has no shim is core's own. Compiled by
//! rustc itself, under the name `core`.
#![no_std]
#![allow(
    deprecated,
    reason = "core still has deprecated items, and so has its facade"
)]

extern crate core as real;

pub use ::real::*;

/// The names in expansions of macros.
#[doc(hidden)]
pub mod __cct {
    pub use ::cct_shims::expand::*;
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

pub mod hint {
    //! Hints to the compiler and the processor.
    pub use ::cct_shims::std::hint::spin_loop;
    pub use ::real::hint::*;
}

pub mod sync {
    //! Synchronisation.
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
}

pub mod prelude {
    //! The prelude of every module: with our `#[test]` and `#[global_allocator]`.
    pub use ::real::prelude::*;

    pub mod v1 {
        //! The common part of all editions.
        pub use ::cct_shims::expand::{std_global_allocator as global_allocator, std_test as test};
        pub use ::cct_shims::rewritten::*;
        pub use ::real::prelude::v1::*;
    }

    pub mod rust_2015 {
        //! Edition 2015.
        pub use ::cct_shims::expand::{std_global_allocator as global_allocator, std_test as test};
        pub use ::cct_shims::rewritten::*;
        pub use ::real::prelude::rust_2015::*;
    }

    pub mod rust_2018 {
        //! Edition 2018.
        pub use ::cct_shims::expand::{std_global_allocator as global_allocator, std_test as test};
        pub use ::cct_shims::rewritten::*;
        pub use ::real::prelude::rust_2018::*;
    }

    pub mod rust_2021 {
        //! Edition 2021.
        pub use ::cct_shims::expand::{std_global_allocator as global_allocator, std_test as test};
        pub use ::cct_shims::rewritten::*;
        pub use ::real::prelude::rust_2021::*;
    }

    pub mod rust_2024 {
        //! Edition 2024.
        pub use ::cct_shims::expand::{std_global_allocator as global_allocator, std_test as test};
        pub use ::cct_shims::rewritten::*;
        pub use ::real::prelude::rust_2024::*;
    }
}
