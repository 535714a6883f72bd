//! Replacing an atomic's value by a function of it, with each release of Rust.
//!
//! std has it as `fetch_update`, which later releases deprecate, and as `try_update` and `update`, which
//! older ones lack.

use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};

/// An atomic whose value can be replaced by a function of it.
pub trait Update: Sized {
    /// The type of the value.
    type Value: Copy;

    /// Replaces the value as `next` says, and returns the one before; refused, with the value, when `next`
    /// has none.
    fn replace_if(
        &self,
        set: Ordering,
        fetch: Ordering,
        next: impl FnMut(Self::Value) -> Option<Self::Value>,
    ) -> Result<Self::Value, Self::Value>;

    /// Replaces the value as `next` says, and returns the one before.
    #[inline]
    fn replace_with(
        &self,
        set: Ordering,
        fetch: Ordering,
        mut next: impl FnMut(Self::Value) -> Self::Value,
    ) -> Self::Value {
        let replaced = self.replace_if(set, fetch, |value| Some(next(value)));
        replaced.unwrap_or_else(|value| value)
    }
}

macro_rules! update {
    ($($atomic:ty, $value:ty;)*) => {
        $(
            impl Update for $atomic {
                type Value = $value;

                #[inline]
                #[allow(deprecated, reason = "the name that all releases have, before it goes")]
                fn replace_if(
                    &self,
                    set: Ordering,
                    fetch: Ordering,
                    next: impl FnMut($value) -> Option<$value>,
                ) -> Result<$value, $value> {
                    self.fetch_update(set, fetch, next)
                }
            }
        )*
    };
}

update! {
    AtomicU8, u8;
    AtomicU32, u32;
    AtomicU64, u64;
}
