//! Paths of files that lie elsewhere on each machine and in each build: those of dependencies, and those that
//! build scripts write.
//!
//! ```text
//! <flume 0.11.0>/src/lib.rs     a dependency's
//! <bank out>/generated.rs       of the build script of `bank`; behind `./` if rustc knows it from the root
//! ```

use std::fs;

use cct::origin::{Owner, Row, Table};

/// The folders of packages when a failure was found, and now.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Folders {
    /// Empty if the paths of the failure are portable.
    pub then: Table,
    /// The folders of this build.
    pub now: Table,
}

impl Folders {
    /// The path of a file now; as it was, if it lies nowhere else.
    pub(super) fn now(&self, file: &str) -> String {
        let known = portable(&self.then, file);
        here(&self.now, &known).unwrap_or_else(|| file.to_owned())
    }
}

/// The path for any machine; as it is, for files of the workspace and those that no package has.
pub(super) fn portable(table: &Table, file: &str) -> String {
    of_package(table, file).unwrap_or_else(|| file.to_owned())
}

fn of_package(table: &Table, file: &str) -> Option<String> {
    let row = table.row(file)?;
    let (prefix, whole) = if file.starts_with('/') {
        ("", file.to_owned())
    } else {
        ("./", format!("{}/{file}", table.workspace()))
    };
    // Sources below the root are there on each machine.
    if !prefix.is_empty() && !is_written(row) {
        return None;
    }
    let rest = whole.strip_prefix(&row.folder)?;
    Some(format!("{prefix}<{}>{rest}", key(row)?))
}

/// The path by this table; none if it has no such folder, or the path is none for any machine. Another
/// version of a package takes the place of one that is not there.
fn here(table: &Table, portable: &str) -> Option<String> {
    let from_root = portable.strip_prefix("./");
    let (wanted, rest) = from_root
        .unwrap_or(portable)
        .strip_prefix('<')?
        .split_once('>')?;
    let named = |row: &&Row| key(row).is_some_and(|key| key == wanted);
    let name = wanted.split(' ').next()?;
    let other = |row: &&Row| row.name == name && row.owner == Owner::Dependency && !is_written(row);
    let found: Vec<&Row> = table.rows().iter().filter(named).collect();
    let found = if found.is_empty() && !wanted.ends_with(OUT) {
        table.rows().iter().filter(other).collect()
    } else {
        found
    };
    // rustc has the path as cargo spells it, which may lead through links.
    let is_spelled =
        |row: &&&Row| fs::canonicalize(&row.folder).is_ok_and(|real| real != *row.folder);
    let row = found.iter().find(is_spelled).or(found.first())?;
    let path = format!("{}{rest}", row.folder);
    let inside = path
        .strip_prefix(table.workspace())
        .and_then(|path| path.strip_prefix('/'));
    Some(match inside.filter(|_| from_root.is_some()) {
        Some(inside) => inside.to_owned(),
        None => path,
    })
}

/// Behind the names of packages, for what their build scripts write.
const OUT: &str = " out";

/// The words for a folder; none for std's and this project's.
fn key(row: &Row) -> Option<String> {
    match row.owner {
        Owner::Member | Owner::Dependency if is_written(row) => Some(format!("{}{OUT}", row.name)),
        Owner::Member => Some(row.name.clone()),
        Owner::Dependency => Some(format!("{} {}", row.name, row.version)),
        Owner::Std | Owner::Cct => None,
    }
}

/// True for a folder that a build script writes.
fn is_written(row: &Row) -> bool {
    row.folder.ends_with("/out")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine with this workspace and this registry.
    fn machine(workspace: &str, registry: &str, flume: &str, hash: &str) -> Table {
        let row = |folder: String, owner, name: &str, version: &str| Row {
            folder,
            owner,
            name: name.to_owned(),
            version: version.to_owned(),
        };
        let rows = vec![
            row(
                format!("{registry}/flume-{flume}"),
                Owner::Dependency,
                "flume",
                flume,
            ),
            row(workspace.to_owned(), Owner::Member, "bank", "0.1.0"),
            row(
                format!("{workspace}/target/build/bank-{hash}/out"),
                Owner::Member,
                "bank",
                "0.1.0",
            ),
            row("/elsewhere/tool".to_owned(), Owner::Member, "tool", "0.1.0"),
            row("/sysroot/src".to_owned(), Owner::Std, "", ""),
        ];
        Table::new(workspace, rows)
    }

    #[test]
    fn files_are_found_on_another_machine_and_in_another_build() {
        let then = machine("/home/a/bank", "/home/a/.cargo", "0.11.0", "1f");
        for (file, portable_, now) in [
            (
                "/home/a/.cargo/flume-0.11.0/src/a.rs",
                "<flume 0.11.0>/src/a.rs",
                "/b/flume-0.11.1/src/a.rs",
            ),
            (
                "/home/a/bank/target/build/bank-1f/out/g.rs",
                "<bank out>/g.rs",
                "/ci/target/build/bank-2e/out/g.rs",
            ),
            (
                "target/build/bank-1f/out/g.rs",
                "./<bank out>/g.rs",
                "target/build/bank-2e/out/g.rs",
            ),
            ("src/lib.rs", "src/lib.rs", "src/lib.rs"),
            (
                "/elsewhere/tool/src/lib.rs",
                "<tool>/src/lib.rs",
                "/elsewhere/tool/src/lib.rs",
            ),
            (
                "/sysroot/src/std/a.rs",
                "/sysroot/src/std/a.rs",
                "/sysroot/src/std/a.rs",
            ),
            (
                "/rustc/5f/library/core/a.rs",
                "/rustc/5f/library/core/a.rs",
                "/rustc/5f/library/core/a.rs",
            ),
        ] {
            assert_eq!(portable(&then, file), portable_);
            let now_ = machine("/ci", "/b", "0.11.1", "2e");
            let folders = Folders {
                then: then.clone(),
                now: now_.clone(),
            };
            assert_eq!(folders.now(file), now, "{file}");
            // A kept schedule has it in its portable form.
            let folders = Folders {
                then: Table::default(),
                now: now_,
            };
            assert_eq!(folders.now(portable_), now, "{portable_}");
        }
    }

    #[test]
    fn a_package_that_is_gone_leaves_paths_as_they_were() {
        let folders = Folders {
            then: Table::default(),
            now: machine("/ci", "/b", "0.11.1", "2e"),
        };
        assert_eq!(
            folders.now("<dashmap 6.0.0>/src/lib.rs"),
            "<dashmap 6.0.0>/src/lib.rs"
        );
        assert_eq!(folders.now("<dashmap out>/a.rs"), "<dashmap out>/a.rs");
    }
}
