//! A table that moves to another place while clients use it: **`MigratingTable`**.
//!
//! Clients use one *virtual* table. A migrator moves its rows from an old table to a new one, in five phases
//! that clients learn of at different times. Nobody tells the clients of one another: they share the two
//! tables and a configuration service. All the time the virtual table has to behave like a single table.
//!
//! The system and its test are those of Deligiannis, `McCutchen`, Thomson, Chen, Donaldson, Erickson, Huang,
//! Lal, Mudduluru, Qadeer and Schulte, *Uncovering Bugs in Distributed Storage Systems during Testing (Not in
//! Production!)*, FAST 2016, written anew. So are eleven [mistakes](Bug), each of which the test finds:
//!
//! ```text
//! cargo cct test -p migrating-table --iterations 100000
//! ```
//!
//! Most of the crate is the system: [`MigratingTable`] and its [`Stream`], the [`Migrator`], and the
//! [`ConfigService`]. [`SpecTable`] is a table that is correct by inspection. The machine [`Tables`] has
//! three of them: the old one, the new one, and a reference. The system reports after each call of a table
//! whether it was an operation's linearization point; the operation is then executed on the reference, and
//! must have the same outcome. [`harness`] has the clients, which choose their operations at random.

pub mod backend;
pub mod bug;
pub mod client;
pub mod config;
pub mod filter;
pub mod harness;
pub mod migrator;
pub mod names;
pub mod operation;
pub mod spec;
pub mod stream;
pub mod tables;
pub mod value;

pub use bug::Bug;
pub use client::MigratingTable;
pub use config::ConfigService;
pub use migrator::Migrator;
pub use spec::SpecTable;
pub use stream::Stream;
pub use tables::Tables;
