//! Functions that compiled code calls where it would access memory: the code layer.
//!
//! The wrapper has the compiler's ThreadSanitizer pass instrument each crate of the target. Atomics of the
//! facade are not concerned: their operations are functions of this crate, which is never instrumented. There
//! remain plain accesses, and the atomics of std's own generic code, compiled into the crates that use it:
//! the counts of `Arc` and `Weak`.
//!
//! The names and signatures are those of ThreadSanitizer's runtime (LLVM, `tsan_interface.h` and
//! `tsan_interface_atomic.h`).

mod count;
mod other;
mod plain;
