//! The user's workspace: where it is, where our part of its target folder is, what it sets.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, io};

use cargo_metadata::{MetadataCommand, Package, PackageId};
use cct::config::Settings;

use super::toolchain::Toolchain;
use crate::cli::{CargoArgs, ConfigError, configured};

/// The user's workspace.
#[derive(Debug)]
pub(crate) struct Workspace {
    /// Its root folder.
    pub root: PathBuf,
    /// The folder that cargo runs in: its configuration depends on it.
    pub folder: PathBuf,
    /// The manifest that the command is about: given, or found from the current folder.
    pub manifest: PathBuf,
    /// The folder for all that we build and find: `<target>/cct`.
    pub target: PathBuf,
    /// Its members.
    pub packages: BTreeMap<PackageId, Member>,
    /// The settings of the workspace.
    pub config: Settings,
}

/// A package of the workspace.
#[derive(Debug)]
pub(crate) struct Member {
    /// Cargo's description of it.
    pub package: Package,
    /// Its settings and the workspace's.
    pub config: Settings,
}

/// Why the workspace cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WorkspaceError {
    /// There is no manifest here.
    #[error("no `Cargo.toml` in `{0}` or any folder above it")]
    NoManifest(PathBuf),
    /// The path of the manifest makes no sense.
    #[error("cannot use the path `{0}`")]
    Path(PathBuf, #[source] io::Error),
    /// Cargo refused.
    #[error("cannot read the workspace")]
    Metadata(#[source] Box<cargo_metadata::Error>),
    /// The settings make no sense.
    #[error("wrong settings in `{0}`")]
    Config(PathBuf, #[source] ConfigError),
}

impl Workspace {
    /// True if a package of this name is a member.
    pub(crate) fn has_member(&self, name: &str) -> bool {
        let mut members = self.packages.values();
        members.any(|member| member.package.name.as_str() == name)
    }

    /// Asks cargo about the workspace that the arguments mean.
    pub(crate) fn load(
        toolchain: &Toolchain,
        args: &CargoArgs,
    ) -> Result<Workspace, WorkspaceError> {
        let absolute = |path: &Path| {
            std::path::absolute(path).map_err(|error| WorkspaceError::Path(path.into(), error))
        };
        let folder = absolute(Path::new("."))?;
        let manifest = match &args.manifest_path {
            Some(path) => absolute(Path::new(path))?,
            None => find_manifest(&folder)?,
        };
        let metadata = MetadataCommand::new()
            .cargo_path(&toolchain.cargo)
            .manifest_path(&manifest)
            .no_deps()
            .other_options(args.for_metadata())
            .exec()
            .map_err(|error| WorkspaceError::Metadata(Box::new(error)))?;
        let target = match &args.target_dir {
            Some(path) => absolute(Path::new(path))?,
            None => metadata.target_directory.into_std_path_buf(),
        };
        let root = metadata.workspace_root.into_std_path_buf();
        let config = configured(&metadata.workspace_metadata, "workspace")
            .map_err(|error| WorkspaceError::Config(root.join("Cargo.toml"), error))?;
        let mut packages = BTreeMap::new();
        for package in metadata.packages {
            let own = configured(&package.metadata, "package").map_err(|error| {
                WorkspaceError::Config(package.manifest_path.clone().into(), error)
            })?;
            let member = Member {
                config: own.over(config.clone()),
                package,
            };
            packages.insert(member.package.id.clone(), member);
        }
        Ok(Workspace {
            root,
            folder,
            manifest,
            target: target.join("cct"),
            packages,
            config,
        })
    }

    /// Where failures are kept.
    pub(crate) fn failures(&self) -> PathBuf {
        self.target.join("failures")
    }
}

fn find_manifest(folder: &Path) -> Result<PathBuf, WorkspaceError> {
    let manifests = folder.ancestors().map(|folder| folder.join("Cargo.toml"));
    let found = manifests.into_iter().find(|manifest| manifest.is_file());
    found.ok_or_else(|| WorkspaceError::NoManifest(folder.to_owned()))
}

/// The variables by which a process and its children find shared libraries.
pub(crate) fn library_path(folders: impl IntoIterator<Item = PathBuf>) -> std::ffi::OsString {
    let before = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let mut all: Vec<PathBuf> = folders.into_iter().collect();
    all.extend(env::split_paths(&before).filter(|folder| !folder.as_os_str().is_empty()));
    let mut seen = std::collections::BTreeSet::new();
    all.retain(|folder| seen.insert(folder.clone()));
    // A folder with a colon in its name cannot be told; it is left to the linker's own path.
    all.retain(|folder| !folder.as_os_str().to_string_lossy().contains(':'));
    env::join_paths(all).unwrap_or(before)
}
