//! The user's workspace: where it is, where our part of its target folder is, what it sets.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, io};

use cargo_metadata::{MetadataCommand, Package, PackageId, Target, TargetKind};
use cct::config::{Kind, Setting, Settings};

use super::owned::{self, OwnedError, Use};
use super::toolchain::Toolchain;
use crate::cli::CargoArgs;
use crate::config::{
    self, ConfigError, ConfigFile, FileError, FilterError, NoProfile, Profile, Subject, configured,
};
use crate::run::helper;

/// Says that `CARGO_TARGET_DIR` is our part of the target folder already.
pub(crate) const OWN_TARGET: &str = "CCT_TARGET_DIR";

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
    /// The settings of the profile and of the workspace's manifest.
    pub config: Settings,
    /// The profiles that it has.
    pub file: ConfigFile,
    /// The profile that counts.
    pub profile: Profile,
    /// The settings of its manifest.
    own: Settings,
    /// Nobody removes the folder meanwhile.
    used: Option<Use>,
}

/// A package of the workspace.
#[derive(Debug)]
pub(crate) struct Member {
    /// Cargo's description of it.
    pub package: Package,
    /// The settings of the profile, its own, and the workspace's.
    pub config: Settings,
    /// The settings of its manifest.
    own: Settings,
}

/// A setting that a file gives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Source {
    /// Its name.
    pub setting: &'static str,
    /// Its value, as it could be typed.
    pub value: String,
    /// The file, and the part of it.
    pub place: String,
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
    /// The file of settings makes no sense.
    #[error("wrong settings")]
    File(#[source] FileError),
    /// The file of settings does not have the profile.
    #[error(transparent)]
    Profile(#[from] NoProfile),
}

impl Workspace {
    /// True if a package of this name is a member.
    pub(crate) fn has_member(&self, name: &str) -> bool {
        let mut members = self.packages.values();
        members.any(|member| member.package.name.as_str() == name)
    }

    /// Refuses an override whose filter fits no target of the members.
    pub(crate) fn check_filters(&self) -> Result<(), FilterError> {
        let targets: Vec<_> = self.targets().collect();
        // Names that are not there as text.
        let named = targets.iter().map(|(package, target, kind)| {
            let label = label(&package.name, kind, &target.name);
            (kind.to_string(), label)
        });
        let named: Vec<_> = named.collect();
        let subjects = targets.iter().zip(&named);
        let subjects = subjects.map(|((package, target, _), (kind, label))| Subject {
            package: &package.name,
            binary: &target.name,
            binary_id: label,
            kind,
            test: "",
        });
        let subjects: Vec<_> = subjects.collect();
        let mut overrides = self.profile.overrides.iter();
        overrides.try_for_each(|one| one.filter.check(&one.expression, &subjects))
    }

    /// True unless the member in this folder is known and has no such target.
    pub(crate) fn may_have(&self, folder: &Path, kind: &str, name: &str) -> bool {
        let is_its = |package: &Package| {
            package
                .manifest_path
                .parent()
                .is_some_and(|it| it == folder)
        };
        let mut targets = self
            .targets()
            .filter(|(package, _, _)| is_its(package))
            .peekable();
        targets.peek().is_none()
            || targets.any(|(_, target, of)| target.name == name && of.to_string() == kind)
    }

    fn targets(&self) -> impl Iterator<Item = (&Package, &Target, &TargetKind)> {
        let packages = self.packages.values().map(|member| &member.package);
        packages.flat_map(|package| {
            let targets = package.targets.iter();
            targets.filter_map(move |target| Some((package, target, target.kind.first()?)))
        })
    }

    /// A workspace that is only unpacked: its root, the current folder, its manifest, where files go, and its
    /// settings.
    pub(crate) fn unpacked(
        [root, folder, manifest, target]: [PathBuf; 4],
        config: Settings,
        file: ConfigFile,
    ) -> Result<Workspace, NoProfile> {
        let profile = Profile::of(&file, "default")?;
        Ok(Workspace {
            root,
            folder,
            manifest,
            target,
            packages: BTreeMap::new(),
            own: config.clone(),
            config,
            file,
            profile,
            used: None,
        })
    }

    /// Makes the folder for what we build and find, if it is not there, and keeps it until the end. `waits`
    /// is called first if somebody removes it at this moment.
    pub(crate) fn use_target(&mut self, waits: &dyn Fn(&Path)) -> Result<(), OwnedError> {
        let used = owned::use_folder(&self.target, &|| waits(&self.target))?;
        self.used = Some(used);
        Ok(())
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
        let mut asked = MetadataCommand::new();
        asked
            .cargo_path(&toolchain.cargo)
            .manifest_path(&manifest)
            .no_deps()
            .other_options(args.for_metadata());
        let metadata =
            helper::metadata(&asked).map_err(|error| WorkspaceError::Metadata(Box::new(error)))?;
        let target = match &args.target_dir {
            Some(path) => absolute(Path::new(path))?,
            None => metadata.target_directory.into_std_path_buf(),
        };
        let target = match env::var_os(OWN_TARGET) {
            // `CARGO_TARGET_DIR` is set to it, for cargo as others call it.
            Some(own) if own == target.as_os_str() => target,
            _ => target.join("cct"),
        };
        let root = metadata.workspace_root.into_std_path_buf();
        let file = ConfigFile::read(&root).map_err(WorkspaceError::File)?;
        let profile = Profile::of(&file, "default")?;
        let own = configured(&metadata.workspace_metadata, "workspace")
            .map_err(|error| WorkspaceError::Config(root.join("Cargo.toml"), error))?;
        let mut packages = BTreeMap::new();
        for package in metadata.packages {
            let own = configured(&package.metadata, "package").map_err(|error| {
                WorkspaceError::Config(package.manifest_path.clone().into(), error)
            })?;
            let member = Member {
                config: Settings::default(),
                package,
                own,
            };
            packages.insert(member.package.id.clone(), member);
        }
        let mut workspace = Workspace {
            root,
            folder,
            manifest,
            target,
            packages,
            config: Settings::default(),
            file,
            profile,
            own,
            used: None,
        };
        workspace.merge();
        Ok(workspace)
    }

    /// A workspace that cargo has described before, without its packages: enough to keep failures.
    pub(crate) fn restored(
        (root, folder, manifest, target): (&Path, &Path, &Path, &Path),
        file: ConfigFile,
        profile: &str,
    ) -> Result<Workspace, WorkspaceError> {
        let mut workspace = Workspace {
            root: root.to_owned(),
            folder: folder.to_owned(),
            manifest: manifest.to_owned(),
            target: target.to_owned(),
            packages: BTreeMap::new(),
            config: Settings::default(),
            profile: Profile::of(&file, "default")?,
            file,
            own: Settings::default(),
            used: None,
        };
        workspace.choose(profile)?;
        Ok(workspace)
    }

    /// Has another profile count.
    pub(crate) fn choose(&mut self, profile: &str) -> Result<(), WorkspaceError> {
        self.profile = Profile::of(&self.file, profile)?;
        self.merge();
        Ok(())
    }

    /// Settings in the order in which they count: the profile's, a package's, the workspace's.
    fn merge(&mut self) {
        let (profile, own) = (&self.profile.settings, &self.own);
        self.config = profile.clone().over(own.clone());
        for member in self.packages.values_mut() {
            let lower = member.own.clone().over(own.clone());
            member.config = profile.clone().over(lower);
        }
    }

    /// Each setting that a file gives for all tests, and what counts where several do; with its source.
    pub(crate) fn sources(&self) -> Vec<Source> {
        let file = format!("{}, profile {}", config::PATH, self.profile.name);
        let all = |settings: &Settings, source: &str| -> Vec<Source> {
            let given = settings.given();
            let given = given.map(|(row, text)| Source {
                setting: row.name,
                value: as_typed(row, text),
                place: source.to_owned(),
            });
            given.collect()
        };
        let mut sources = all(&self.profile.settings, &file);
        for member in self.packages.values() {
            let source = format!("package.metadata.cct of {}", member.package.name);
            sources.extend(all(&member.own, &source));
        }
        sources.extend(all(&self.own, "workspace.metadata.cct"));
        sources
    }

    /// Where failures are kept.
    pub(crate) fn failures(&self) -> PathBuf {
        self.target.join("failures")
    }

    /// The folder with what tests have covered of their machines.
    pub(crate) fn machines(&self) -> PathBuf {
        self.target.join("machines")
    }

    /// The folder of violations that delay injection has found.
    pub(crate) fn violations(&self) -> PathBuf {
        self.target.join("violations")
    }
}

/// Lengths of time and sizes with their unit.
fn as_typed(row: &Setting, text: String) -> String {
    match row.kind {
        Kind::TimeOrOff if text == "0" => "off".to_owned(),
        Kind::Time | Kind::TimeOrOff => match text.strip_suffix("000") {
            Some(seconds) if !seconds.is_empty() => format!("{seconds}s"),
            _ => format!("{text}ms"),
        },
        Kind::Bytes => match text
            .parse()
            .map(|bytes: u64| (bytes, bytes.trailing_zeros()))
        {
            Ok((bytes, 30..)) => format!("{}G", bytes >> 30),
            Ok((bytes, 20..)) => format!("{}M", bytes >> 20),
            _ => text,
        },
        _ => text,
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

/// How people call a target's executable.
pub(super) fn label(package: &str, kind: &TargetKind, target: &str) -> String {
    match kind {
        TargetKind::Test => format!("{package}::{target}"),
        TargetKind::Bin | TargetKind::Example | TargetKind::Bench => {
            format!("{package}::{kind}/{target}")
        }
        _ => package.to_owned(),
    }
}
