//! The manifest of an archive: what is in it, for whom, and where it was built.

use std::io;
use std::path::{Path, PathBuf};

use cct::claim::Exceptions;
use serde::{Deserialize, Serialize};

use crate::build::chosen::Chosen;
use crate::build::code::Code;

/// The name of the manifest's entry, which is the first.
pub(super) const NAME: &str = "manifest.json";
/// The text of [`Manifest::format`].
pub(super) const FORMAT: &str = "cargo-cct archive";
/// The version of everything in here.
pub(super) const VERSION: u32 = 1;

/// The contents of an archive.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[expect(clippy::struct_field_names, reason = "the other manifest is cargo's")]
pub(crate) struct Manifest {
    /// Always [`FORMAT`].
    pub format: String,
    /// Always [`VERSION`].
    pub version: u32,
    /// The version of the tool.
    pub tool: String,
    /// Names the engine that is linked in: the tool must speak with it.
    pub engine: String,
    /// The triple of the machine.
    pub host: String,
    /// The compiler.
    pub rustc: String,
    /// The seed of runs that do not name one, so that shards agree.
    pub seed: u64,
    /// The settings that were typed, as lines.
    pub settings: String,
    /// The settings of the workspace, likewise.
    pub config: String,
    /// The workspace's root.
    pub root: String,
    /// The workspace's manifest, from the root.
    pub manifest: String,
    /// The folder that cargo ran in, from the root.
    pub folder: String,
    /// The arguments for cargo.
    pub selection: Vec<String>,
    /// The packages that were rewritten.
    pub chosen: Chosen,
    /// Folders as they were, and as they are in the archive; deeper ones come first.
    pub moved: Vec<Moved>,
    /// The test executables.
    pub executables: Vec<Packed>,
    /// All files.
    pub files: Vec<File>,
    /// All symbolic links.
    pub links: Vec<Link>,
}

/// A folder that is elsewhere in the archive.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Moved {
    /// Where it was.
    pub from: String,
    /// Its path in the archive.
    pub to: String,
}

/// A test executable; paths are those of the build.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Packed {
    pub path: String,
    pub package: String,
    pub kind: String,
    pub target: String,
    pub label: String,
    pub linked: Exceptions,
    pub looks_at_counts: bool,
    /// The accesses to memory that are seen.
    pub code: Option<Code>,
    /// The wrapper's note, as its text.
    pub marker: Option<String>,
    pub folder: String,
    pub env: Vec<(String, String)>,
    /// As lines.
    pub config: String,
    pub origins: String,
}

/// A file of the archive.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct File {
    /// Its path in the archive.
    pub path: String,
    /// Its length.
    pub size: u64,
    /// Whether it is a program.
    pub executable: bool,
    /// The digest of its content.
    pub sha256: String,
}

/// A symbolic link of the archive.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Link {
    /// Its path in the archive.
    pub path: String,
    /// Where it points, from its own folder.
    pub to: String,
}

/// Why an archive cannot be written or used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ArchiveError {
    /// A file cannot be read or written.
    #[error("cannot access `{0}`")]
    Access(PathBuf, #[source] io::Error),
    /// The file ends too early.
    #[error("`{0}` ends too early: it was cut off when it was written or copied")]
    Truncated(PathBuf),
    /// The file is not as it was written.
    #[error("`{0}` is damaged: {1}")]
    Damaged(PathBuf, String),
    /// The file is something else.
    #[error("`{0}` is no archive that `cargo cct archive` wrote")]
    Foreign(PathBuf),
    /// The archive is of another version.
    #[error(
        "`{0}` was made by {1}, and this is {2}: its tests speak another language; make it again, or use the \
         version that made it"
    )]
    Version(PathBuf, String, String),
    /// The archive is for another machine.
    #[error("`{0}` is for `{1}`, and this machine is `{2}`: make it on a machine of that sort")]
    Host(PathBuf, String, String),
    /// There is nothing to put in.
    #[error("there is no test executable to put into an archive")]
    Empty,
    /// A path is no text.
    #[error("the path `{0}` is not in Unicode, and cannot be put into an archive")]
    Path(PathBuf),
}

/// This machine's triple: of those that the tool works on.
pub(super) fn host() -> String {
    format!("{}-unknown-linux-gnu", std::env::consts::ARCH)
}

/// The place of a path of the build in the archive; none if it is not in one of these folders.
pub(super) fn inside(moved: &[Moved], path: &str) -> Option<String> {
    moved.iter().find_map(|moved| {
        let rest = path.strip_prefix(&moved.from)?;
        match rest.strip_prefix('/') {
            Some(rest) => Some(format!("{}/{rest}", moved.to)),
            None => rest.is_empty().then(|| moved.to.clone()),
        }
    })
}

/// A variable's value where the archive was unpacked: each path in it, with colons between, is where the
/// folder is now.
pub(super) fn moved_value(moved: &[Moved], home: &Path, value: &str) -> String {
    let pieces = value.split(':').map(|piece| match inside(moved, piece) {
        Some(inside) => home.join(inside).to_string_lossy().into_owned(),
        None => piece.to_owned(),
    });
    pieces.collect::<Vec<_>>().join(":")
}

/// True if a path stays in the folder that it is put into.
pub(super) fn stays_inside(path: &Path) -> bool {
    let mut depth = 0_i32;
    path.components().all(|part| {
        use std::path::Component;
        match part {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir => depth -= 1,
            Component::RootDir | Component::Prefix(_) => return false,
        }
        depth >= 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_the_build_are_found_again() {
        let moved = [("/ws/target/cct", "target"), ("/ws", "workspace")];
        let moved = moved.map(|(from, to)| Moved {
            from: from.to_owned(),
            to: to.to_owned(),
        });
        let value = |text| moved_value(&moved, Path::new("/new"), text);
        assert_eq!(value("/ws/target/cct/x"), "/new/target/x");
        assert_eq!(
            value("/ws/app:/usr/lib:/ws"),
            "/new/workspace/app:/usr/lib:/new/workspace"
        );
        assert_eq!(value("/wsp/app"), "/wsp/app");
        assert_eq!(value("0.1.0"), "0.1.0");
    }

    #[test]
    fn paths_that_lead_out_are_known() {
        for inside in ["a", "a/b", "a/../b", "./a"] {
            assert!(stays_inside(Path::new(inside)), "{inside}");
        }
        for outside in ["/a", "..", "a/../../b", "../a/b"] {
            assert!(!stays_inside(Path::new(outside)), "{outside}");
        }
    }
}
