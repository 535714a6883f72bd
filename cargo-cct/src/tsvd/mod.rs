//! The findings of delay injection: violations, and pairs of places that are worth a delay.

mod place;
mod trap_file;
mod violations;

pub(crate) use place::Locator;
pub(crate) use trap_file::TrapFile;
pub(crate) use violations::{Found, FoundSide, Violations};
