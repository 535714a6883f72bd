//! The names in rewritten source: all of it is in the facades' preludes.
//!
//! A pass that puts something new into a program brings it here.

pub use crate::future::{AwaitPoint as _, HandedFuture as _, HandedValue as _, Returned as _};
pub use crate::statement::{__cct_statement, OwnClock as _};
pub use crate::{__cct_handed, __cct_root, __cct_task};
