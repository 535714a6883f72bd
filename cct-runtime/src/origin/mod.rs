//! The origin of a source file: whose code it is.
//!
//! There is one answer, for the engine, for reports and for what the tool asks of a trace. It is taken from a
//! table that the tool makes of what cargo says of the packages it builds, and hands to each test process. A
//! file that no package of the table has, such as std's, is told by the shape of its path.

mod shape;
mod table;

pub use table::{Owner, Row, Table};

use std::panic::Location;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The origin of a file's code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin<'a> {
    /// std's, or that of a crate it is made of.
    Std,
    /// This project's: the engine and the shims.
    Cct,
    /// A package's that is no member of the workspace, wherever it lies.
    Dependency(Package<'a>),
    /// Nobody's that is known, at an absolute path.
    Elsewhere,
    /// The workspace's.
    Workspace,
}

/// A package.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Package<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its version, or what else tells it from others of this name.
    pub version: &'a str,
}

/// The table of this process. It is made known before anybody asks.
static TABLE: OnceLock<Table> = OnceLock::new();

/// Makes the table known. A process has one: later ones are passed over.
pub fn install(table: Table) {
    let _ = TABLE.set(table);
}

/// The table of this process; empty if it has none.
pub fn table() -> Table {
    TABLE.get().cloned().unwrap_or_default()
}

/// The part of the table that these files need.
pub fn needed_for(files: &[&str]) -> Table {
    let table = TABLE.get().map(|table| table.for_files(files));
    table.unwrap_or_default()
}

impl Origin<'_> {
    /// Tells whose file this is.
    pub fn of(file: &str) -> Origin<'_> {
        let known = TABLE.get().and_then(|table| table.origin(file));
        known.unwrap_or_else(|| shape::of(file))
    }

    /// True for code that is neither the workspace's nor this project's.
    pub fn is_foreign(self) -> bool {
        !matches!(self, Origin::Workspace | Origin::Cct)
    }
}

/// True if the file is of a package of one of these names.
pub fn is_of(file: &str, names: &[String]) -> bool {
    match TABLE.get().and_then(|table| table.package(file)) {
        Some(package) => names.iter().any(|name| name == package.name),
        None => shape::is_of(file, names),
    }
}

const KNOWN: usize = 64;

/// The addresses of sites that were asked for, with the answer in the lowest bit.
static FOREIGN: [AtomicUsize; KNOWN] = [const { AtomicUsize::new(0) }; KNOWN];

/// True if the site is in code that is neither the workspace's nor this project's. Asking again costs a load.
pub fn is_foreign(site: &'static Location<'static>) -> bool {
    // A location is aligned as the numbers in it are.
    let address = std::ptr::from_ref(site).addr();
    let slot = &FOREIGN[(address >> 3) % KNOWN];
    let known = slot.load(Relaxed);
    if known & !1 == address {
        return known & 1 == 1;
    }
    let is_foreign = Origin::of(site.file()).is_foreign();
    slot.store(address | usize::from(is_foreign), Relaxed);
    is_foreign
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_as_foreign_as_its_file_however_often_it_is_asked_for() {
        let here = Location::caller();
        for _ in 0..2 {
            assert!(!is_foreign(here), "{here}");
        }
    }
}
