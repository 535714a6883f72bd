//! The owner of each file of source: the folders of all packages, as cargo's messages tell of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::{MetadataCommand, PackageId};
use cct::codec::Wire as _;
use cct::origin::{Owner, Row, Table};

use super::cargo::BuildError;
use super::digest;
use super::leftovers;
use super::sysroot::Sysroot;
use super::toolchain::Toolchain;
use super::workspace::Workspace;
use crate::run::helper;

/// The table of what was built: packages by their manifests, and the folders that their build scripts write.
pub(super) fn table(
    (workspace, toolchain, sysroot): (&Workspace, &Toolchain, &Sysroot),
    manifests: &BTreeMap<PackageId, PathBuf>,
    out_dirs: &BTreeMap<PackageId, PathBuf>,
) -> Table {
    let folders = manifests
        .iter()
        .filter_map(|(id, manifest)| Some((id, manifest.parent()?)));
    let written = out_dirs.iter().map(|(id, folder)| (id, folder.as_path()));
    let mut rows: Vec<Row> = folders
        .chain(written)
        .flat_map(|(id, folder)| {
            let owner = if workspace.packages.contains_key(id) {
                Owner::Member
            } else {
                Owner::Dependency
            };
            let (name, version) = name_and_version(&id.repr, folder);
            rows(owner, &name, &version, folder)
        })
        .collect();
    let std = toolchain.sysroot.join("lib/rustlib/src/rust");
    rows.extend(self::rows(Owner::Std, "", "", &std));
    if let Some(home) = sysroot.lib.parent() {
        rows.extend(self::rows(Owner::Cct, "", "", &home.join("src")));
    }
    Table::new(&workspace.root.to_string_lossy(), rows)
}

/// Writes the table of all packages that cargo knows of, built or not; returns its file.
pub(crate) fn of_metadata(
    workspace: &Workspace,
    toolchain: &Toolchain,
    sysroot: &Sysroot,
) -> Result<PathBuf, BuildError> {
    let mut asked = MetadataCommand::new();
    asked
        .cargo_path(&toolchain.cargo)
        .manifest_path(&workspace.manifest);
    let metadata =
        helper::metadata(&asked).map_err(|error| BuildError::Packages(Box::new(error)))?;
    let packages = metadata.packages.into_iter();
    let manifests = packages.map(|package| (package.id, package.manifest_path.into()));
    let of = (workspace, toolchain, sysroot);
    let bytes = table(of, &manifests.collect(), &BTreeMap::new()).to_bytes();
    write(&workspace.target, &bytes)
}

/// Writes a table; returns its file, which is named by what is in it.
pub(super) fn write(target: &Path, bytes: &[u8]) -> Result<PathBuf, BuildError> {
    let folder = target.join(leftovers::ORIGINS);
    let written = digest::write_named(&folder, bytes);
    written.map_err(|error| BuildError::Origins(folder, error))
}

/// A folder as cargo spells it, and as the kernel does: debug information has the latter.
fn rows(owner: Owner, name: &str, version: &str, folder: &Path) -> Vec<Row> {
    let real = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let mut spelled = vec![folder.to_owned(), real];
    spelled.dedup();
    let row = |folder: PathBuf| Row {
        folder: folder.to_string_lossy().into_owned(),
        owner,
        name: name.to_owned(),
        version: version.to_owned(),
    };
    spelled.into_iter().map(row).collect()
}

/// The parts of a package's id: `registry+https://…#flume@0.11.0`, `path+file:///ws/app#0.1.0`.
fn name_and_version(id: &str, folder: &Path) -> (String, String) {
    let (place, last) = id.rsplit_once('#').unwrap_or((id, ""));
    if let Some((name, version)) = last.split_once('@') {
        return (name.to_owned(), version.to_owned());
    }
    let place = place.split('?').next().unwrap_or(place);
    let name = place.trim_end_matches('/').rsplit('/').next();
    let name = name.filter(|name| !name.is_empty()).map(str::to_owned);
    let name = name.or_else(|| Some(folder.file_name()?.to_string_lossy().into_owned()));
    (name.unwrap_or_default(), last.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_says_name_and_version() {
        for (id, name, version) in [
            (
                "registry+https://github.com/rust-lang/crates.io-index#flume@0.11.0",
                "flume",
                "0.11.0",
            ),
            ("path+file:///ws/my-app#0.1.0", "my-app", "0.1.0"),
            ("path+file:///ws/folder#my-app@0.1.0", "my-app", "0.1.0"),
            ("git+https://host/loom?branch=main#0.7.2", "loom", "0.7.2"),
            ("git+https://host/all.git?rev=1#part@0.2.0", "part", "0.2.0"),
        ] {
            let found = name_and_version(id, Path::new("/other"));
            assert_eq!(found, (name.to_owned(), version.to_owned()), "{id}");
        }
    }

    #[test]
    fn a_folder_behind_a_link_has_both_its_names() {
        let folder = std::env::temp_dir().join(format!("cct-origins-{}", std::process::id()));
        fs::create_dir_all(folder.join("real")).expect("a folder");
        let link = folder.join("link");
        std::os::unix::fs::symlink(folder.join("real"), &link).expect("a link");
        let rows = rows(Owner::Member, "a", "1.0.0", &link);
        fs::remove_dir_all(&folder).expect("removable");
        let ends = rows.iter().map(|row| row.folder.rsplit('/').next());
        assert_eq!(ends.collect::<Vec<_>>(), [Some("link"), Some("real")]);
    }
}
