//! The names in expansions of our macros; none of it is meant to be used by hand.

pub use cct::engine::LocalSlot;
pub use cct::harness::{ShouldPanic, TestCase, run_test};
pub use cct_macros::{std_global_allocator, std_test};
/// The attribute that [`std_global_allocator`] stands in for.
pub use real::prelude::v1::global_allocator as real_global_allocator;
/// The attribute that [`std_test`] stands in for.
pub use real::prelude::v1::test as real_test;

pub use crate::std::alloc::Allocator;
