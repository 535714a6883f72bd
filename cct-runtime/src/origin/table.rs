//! Packages by their folders, as cargo tells of them.

use super::{Origin, Package};
use crate::codec::{wire_enum, wire_struct};

/// The owner of each folder of source.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Table {
    /// The workspace's root: cargo gives rustc paths from there for what lies below it.
    workspace: String,
    /// Deeper folders come first.
    rows: Vec<Row>,
}

/// A folder.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Row {
    /// Its absolute path.
    pub folder: String,
    /// Its owner.
    pub owner: Owner,
    /// The package's name; empty for std and this project.
    pub name: String,
    /// The package's version.
    pub version: String,
}

/// The owner of a folder.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Owner {
    /// A member's of the workspace.
    Member,
    /// Another package's.
    Dependency,
    /// std's.
    Std,
    /// This project's.
    Cct,
}

wire_struct!(Table { workspace, rows });
wire_struct!(Row {
    folder,
    owner,
    name,
    version
});
wire_enum!(Owner { 0 Member, 1 Dependency, 2 Std, 3 Cct });

impl Table {
    /// A table of these folders. Of two rows for one folder, the first counts.
    pub fn new(workspace: &str, mut rows: Vec<Row>) -> Table {
        rows.sort_by_key(|row| std::cmp::Reverse(row.folder.matches('/').count()));
        Table {
            workspace: workspace.to_owned(),
            rows,
        }
    }

    /// Tells whose file this is, if that is known here.
    pub fn origin(&self, file: &str) -> Option<Origin<'_>> {
        let row = self.row(file)?;
        Some(match row.owner {
            Owner::Member => Origin::Workspace,
            Owner::Dependency => Origin::Dependency(row.package()),
            Owner::Std => Origin::Std,
            Owner::Cct => Origin::Cct,
        })
    }

    /// The package of a file, if it is known here.
    pub fn package(&self, file: &str) -> Option<Package<'_>> {
        let row = self.row(file)?;
        matches!(row.owner, Owner::Member | Owner::Dependency).then(|| row.package())
    }

    /// The part of the table that these files need.
    #[must_use]
    pub fn for_files(&self, files: &[&str]) -> Table {
        let mut needed: Vec<&Row> = files.iter().filter_map(|file| self.row(file)).collect();
        needed.sort();
        needed.dedup();
        Table::new(&self.workspace, needed.into_iter().cloned().collect())
    }

    /// The workspace's root.
    pub fn workspace(&self) -> &str {
        &self.workspace
    }

    /// All folders, deeper ones first.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The innermost folder that a file is in.
    pub fn row(&self, file: &str) -> Option<&Row> {
        let is_absolute = file.starts_with('/');
        // The sysroot is built as a workspace of its own: its paths are from there.
        if !is_absolute && super::shape::of(file) == Origin::Cct {
            return None;
        }
        self.rows.iter().find(|row| {
            if is_absolute {
                is_below(file, &row.folder)
            } else {
                // `<folder>` is `<workspace>`, or `<workspace>/<inside>` and the file is below `inside`.
                let inside = row.folder.strip_prefix(self.workspace.as_str());
                inside.is_some_and(|inside| match inside.strip_prefix('/') {
                    Some(inside) => is_below(file, inside),
                    None => inside.is_empty(),
                })
            }
        })
    }
}

impl Row {
    fn package(&self) -> Package<'_> {
        Package {
            name: &self.name,
            version: &self.version,
        }
    }
}

fn is_below(file: &str, folder: &str) -> bool {
    let inside = file.strip_prefix(folder);
    inside.is_some_and(|inside| inside.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::Wire as _;

    fn row(folder: &str, owner: Owner, name: &str) -> Row {
        Row {
            folder: folder.to_owned(),
            owner,
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
        }
    }

    /// A workspace below cargo's own folder, with members in and outside of it, a path dependency in it that
    /// is no member, one outside, a vendored one, one of a repository, and what a build script writes.
    fn table() -> Table {
        use Owner::{Cct, Dependency, Member, Std};
        let ws = "/h/.cargo/registry/src/ws";
        let below = |folder: &str| format!("{ws}/{folder}");
        Table::new(
            ws,
            vec![
                row(ws, Member, "root"),
                row(&below("crates/app"), Member, "app"),
                row("/elsewhere/tool", Member, "tool"),
                row(&below("fork"), Dependency, "fork"),
                row("/elsewhere/library", Dependency, "library"),
                row(&below("vendor/flume"), Dependency, "flume"),
                row(
                    "/h/.cargo/git/checkouts/loom-01234567/0123456/loom",
                    Dependency,
                    "loom",
                ),
                row(
                    &below("target/cct/debug/build/flume-01/out"),
                    Dependency,
                    "flume",
                ),
                row("/rust/lib/rustlib/src/rust", Std, ""),
                row("/cache/key/src", Cct, ""),
            ],
        )
    }

    #[track_caller]
    fn dependency(file: &str) -> String {
        match table().origin(file) {
            Some(Origin::Dependency(package)) => package.name.to_owned(),
            other => panic!("{file}: {other:?}"),
        }
    }

    #[test]
    fn members_are_the_workspaces_wherever_they_lie() {
        for file in [
            "src/lib.rs",
            "crates/app/src/lib.rs",
            "crates/app/src/../../shared.rs",
            "/h/.cargo/registry/src/ws/src/lib.rs",
            "/elsewhere/tool/src/main.rs",
        ] {
            assert_eq!(table().origin(file), Some(Origin::Workspace), "{file}");
        }
        let name = |file| table().package(file).map(|package| package.name.to_owned());
        assert_eq!(name("crates/app/src/lib.rs").as_deref(), Some("app"));
        assert_eq!(name("crates/application/a.rs").as_deref(), Some("root"));
    }

    #[test]
    fn other_packages_are_dependencies_wherever_they_lie() {
        assert_eq!(dependency("fork/src/lib.rs"), "fork");
        assert_eq!(dependency("/elsewhere/library/src/lib.rs"), "library");
        assert_eq!(
            dependency("/h/.cargo/registry/src/ws/vendor/flume/src/lib.rs"),
            "flume"
        );
        let checkout = "/h/.cargo/git/checkouts/loom-01234567/0123456/loom/src/rt.rs";
        assert_eq!(dependency(checkout), "loom");
        let made = "/h/.cargo/registry/src/ws/target/cct/debug/build/flume-01/out/made.rs";
        assert_eq!(dependency(made), "flume");
    }

    #[test]
    fn std_and_this_project_are_known_by_their_folders() {
        let std = "/rust/lib/rustlib/src/rust/library/core/src/a.rs";
        assert_eq!(table().origin(std), Some(Origin::Std));
        assert_eq!(
            table().origin("/cache/key/src/cct-shims/src/a.rs"),
            Some(Origin::Cct)
        );
    }

    #[test]
    fn what_nobody_has_is_not_known_here() {
        for file in [
            "/elsewhere/toolbox/a.rs",
            "/rustc/0/library/a.rs",
            "cct-shims/src/a.rs",
        ] {
            assert_eq!(table().origin(file), None, "{file}");
        }
    }

    #[test]
    fn a_part_answers_for_its_files_as_the_whole_does() {
        let files = [
            "fork/src/lib.rs",
            "src/lib.rs",
            "/elsewhere/tool/src/main.rs",
        ];
        let part = table().for_files(&files);
        assert_eq!(part.rows.len(), 3);
        for file in files {
            assert_eq!(part.origin(file), table().origin(file), "{file}");
        }
        assert_eq!(Table::from_bytes(&part.to_bytes()), Some(part));
    }
}
