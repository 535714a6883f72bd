//! Accounts in a store that several requests change at a time: an account that is **checked, then created**,
//! and one that is **read, then overwritten**.
//!
//! The manager is stateless: all that it knows is in a [`Collection`] of rows, each of whose operations is
//! atomic, and none of which are together. Requests are tasks.
//!
//! This is Coyote's sample *Account manager*, and its sequel with etags. [`Variant`] chooses the bug. With
//! [`Variant::ChecksThenActs`] two requests both find that there is no account, or that there is one, and the
//! store refuses what one of them does then. With [`Variant::IgnoresETags`] an update overwrites one that it
//! has not seen, also by an older version, which breaks the specification [`VersionsGrow`]. The mended
//! manager leaves the check to the store, and has it compare etags.
//!
//! ```text
//! cargo cct test -p account-manager
//! ```

mod account;
mod collection;
mod in_memory;
mod manager;
mod specification;
mod variant;

pub use account::Account;
pub use collection::{Collection, ETag, IfMatch, RowError};
pub use in_memory::InMemoryCollection;
pub use manager::AccountManager;
pub use specification::{RowChange, VersionsGrow};
pub use variant::Variant;
