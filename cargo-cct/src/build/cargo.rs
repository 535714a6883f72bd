//! Cargo, run so that every crate of the target goes through our wrapper.
//!
//! Executables are taken from cargo's own messages; no path is guessed.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::{self, BufReader};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Command};
use std::sync::OnceLock;

use cargo_metadata::{Artifact, Message, PackageId, TargetKind};
use cct::codec::Wire as _;
use cct::config::Settings;
use cct::known::Crate;
use cct::origin;

use super::chosen::Chosen;
use super::digest;
use super::facts::SourceFacts;
use super::layer;
use super::leftovers;
use super::linked::Linked;
use super::marker::{Marker, Treatment};
use super::origins;
use super::raw_calls;
use super::sysroot::Sysroot;
use super::toolchain::Toolchain;
use super::variables;
use super::versions;
use super::workspace::{Workspace, label, library_path};
use super::wrapper;
use crate::cli::{CargoArgs, Output};
use crate::config::{Override, Profile, Subject};
use crate::rewrite::{self, Part, Passes};
use crate::room;
use crate::run::{helper, signal_name};

/// The common parts of every call of cargo.
#[derive(Debug)]
pub(crate) struct Cargo<'a> {
    /// The toolchain whose cargo it is.
    pub toolchain: &'a Toolchain,
    /// The sysroot that is linked in.
    pub sysroot: &'a Sysroot,
    /// The workspace that is built.
    pub workspace: &'a Workspace,
    /// The packages that were chosen for rewriting.
    pub chosen: &'a Chosen,
    /// How much cargo says.
    pub output: Output,
}

/// The products of a build.
#[derive(Debug, Default)]
pub(crate) struct Built {
    /// The test executables, by label.
    pub executables: Vec<Executable>,
    /// How each crate was built that is under control, by package.
    pub crates: Vec<BuiltCrate>,
    /// True when a package among them has tests in its documentation.
    pub has_doctests: bool,
}

/// A crate, and how it was built.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct BuiltCrate {
    /// The kind and name of its target, as cargo calls them.
    pub target: (String, String),
    /// Whether its package is a member of the workspace.
    pub is_member: bool,
    /// The manifest of its package.
    pub manifest: PathBuf,
    /// The wrapper's note.
    pub marker: Marker,
}

impl BuiltCrate {
    /// The calls in it that are not under control, for a reason that is known; none when all are.
    pub(crate) fn out_of_sight(&self) -> Option<&'static str> {
        let (name, version) = &self.marker.package;
        raw_calls::out_of_sight(name, version)
    }

    /// Its name in paths.
    pub(crate) fn name_in_paths(&self) -> String {
        self.target.1.replace('-', "_")
    }

    /// The entry of the table of known crates, if that is of other versions.
    pub(crate) fn unchecked(&self) -> Option<&'static Crate> {
        let (name, version) = &self.marker.package;
        versions::unchecked(name, version)
    }

    /// Tells whether the functions are missing by which it is known to choose branches at random, and which
    /// were to be edited.
    pub(crate) fn has_lost_choices(&self) -> bool {
        let passes = match &self.marker.treatment {
            Treatment::AsWritten => Passes::NONE,
            Treatment::Rewritten(passes) | Treatment::Reduced { passes, .. } => *passes,
        };
        let read = |file: &str| fs::read_to_string(self.manifest.parent()?.join(file)).ok();
        passes.contains(Part::Choices) && rewrite::has_lost_choices(&self.marker.package.0, read)
    }
}

/// A test executable, and what cargo would run it with.
#[derive(Clone, Debug)]
pub(crate) struct Executable {
    /// The file.
    pub path: PathBuf,
    /// Its package.
    pub package: String,
    /// The kind of its target, as in `cargo metadata`.
    pub kind: String,
    /// The name of its target.
    pub target: String,
    /// How people call it: `package`, `package::test`, `package::bin/name`.
    pub label: String,
    /// Abilities of the crates in it that no run can see.
    pub linked: SourceFacts,
    /// How it was built; none when it is not under control at all.
    pub marker: Option<Marker>,
    /// The folder that its tests run in.
    pub folder: PathBuf,
    /// The workspace's root, where rustc ran.
    pub root: PathBuf,
    /// The variables that its tests run with.
    pub env: Vec<(String, OsString)>,
    /// The settings of its package and of the workspace.
    pub config: Settings,
    /// Settings for some of its tests, which count more.
    pub overrides: Vec<Override>,
    /// The file that says whose code is where.
    pub origins: PathBuf,
    /// The hash of the file, once somebody has asked for it.
    pub hash: OnceLock<String>,
}

impl Executable {
    /// The hash of the file, which is read once.
    pub(crate) fn hash(&self) -> io::Result<&str> {
        if let Some(known) = self.hash.get() {
            return Ok(known);
        }
        let hash = digest::of_file(&self.path)?;
        Ok(self.hash.get_or_init(|| hash))
    }

    /// The settings that files give for one of its tests.
    pub(crate) fn config_of(&self, test: &str) -> Settings {
        let subject = Subject {
            package: &self.package,
            binary: &self.target,
            binary_id: &self.label,
            kind: &self.kind,
            test,
        };
        Profile::overrides_of(&self.overrides, &subject).over(self.config.clone())
    }
}

/// Why there are no executables.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BuildError {
    /// Cargo could not be started.
    #[error("cannot run `{0}`")]
    Run(PathBuf, #[source] io::Error),
    /// Cargo's messages cannot be read.
    #[error("cannot read cargo's messages")]
    Messages(#[source] io::Error),
    /// The table of packages cannot be written.
    #[error("cannot write `{0}`")]
    Origins(PathBuf, #[source] io::Error),
    /// Cargo does not tell of the packages.
    #[error("cannot read the packages of the workspace")]
    Packages(#[source] Box<cargo_metadata::Error>),
    /// A crate whose note is damaged is in the way of a new one.
    #[error("cannot remove `{0}`, whose note is damaged: `cargo cct clean` removes all")]
    Damaged(PathBuf, #[source] io::Error),
    /// The build failed, and cargo said why.
    #[error("the build failed")]
    Failed,
    /// A signal ended cargo, which has said nothing then.
    #[error("the build failed: cargo was ended by {}", signal_name(*.0))]
    Killed(i32),
    /// The build failed, and there was no room for it.
    #[error("the build failed, maybe since files cannot be written")]
    NoRoom(#[source] io::Error),
}

impl Cargo<'_> {
    /// Builds the selected tests.
    pub(crate) fn build(&self, args: &CargoArgs) -> Result<Built, BuildError> {
        let mut selection = args.selection();
        selection.extend(args.manner());
        self.build_selection(&selection)
    }

    /// The same for a selection that was written down before. Crates whose notes are damaged are built
    /// again: by what a note says a test is under control, and its claims are qualified.
    pub(crate) fn build_selection(&self, selection: &[String]) -> Result<Built, BuildError> {
        let mut made = self.make(selection)?;
        let damaged = made.without_notes(&self.workspace.target.join(&self.toolchain.host));
        if !damaged.is_empty() {
            // Cargo builds what is not there.
            for file in damaged {
                fs::remove_file(&file).map_err(|error| BuildError::Damaged(file, error))?;
            }
            made = self.make(selection)?;
        }
        let origins = self.origins(&made)?;
        Ok(self.describe(&made, &origins))
    }

    /// Has cargo build it, and hears what it has made.
    fn make(&self, selection: &[String]) -> Result<Made, BuildError> {
        let mut command = self.command();
        command
            .args(["--no-run", "--message-format=json-render-diagnostics"])
            .args(selection);
        let failed = |error| BuildError::Run(self.toolchain.cargo.clone(), error);
        let read = |stdout: Option<ChildStdout>| {
            let mut made = Made {
                variables: variables::configured(&self.workspace.folder, selection),
                ..Made::default()
            };
            for message in stdout
                .into_iter()
                .flat_map(|it| Message::parse_stream(BufReader::new(it)))
            {
                made.add(message.map_err(BuildError::Messages)?);
            }
            Ok(made)
        };
        let (status, made) = helper::heard(&mut command, read).map_err(failed)?;
        let made = made?;
        if !status.success() {
            let lack = room::lacks(&self.workspace.target, room::FOR_A_BUILD);
            let lack = lack.or_else(room::lacks_for_temporary_files);
            let reason = status
                .signal()
                .map_or(BuildError::Failed, BuildError::Killed);
            return Err(lack.map_or(reason, BuildError::NoRoom));
        }
        Ok(made)
    }

    /// `cargo test` with all that our builds have in common.
    pub(crate) fn command(&self) -> Command {
        let Cargo {
            toolchain,
            workspace,
            output,
            ..
        } = self;
        let mut command = Command::new(&toolchain.cargo);
        command
            .arg("test")
            .args(["--target", &toolchain.host])
            .arg("--target-dir")
            .arg(&workspace.target)
            .arg("--manifest-path")
            .arg(&workspace.manifest)
            .args(["--color", output.color.word()])
            .args((output.verbose > 1).then_some("--verbose"))
            .args(output.quiet.then_some("--quiet"))
            .env_remove(wrapper::ENV_CHAINED)
            .envs(self.variables());
        command.current_dir(&workspace.folder);
        command
    }

    /// The variables that have cargo build what is under control.
    pub(crate) fn variables(&self) -> Vec<(String, OsString)> {
        let (sysroot, workspace) = (self.sysroot, self.workspace);
        let mut all = self.chosen.variables(workspace);
        let mut set = |name: &str, value: OsString| all.push((name.to_owned(), value));
        set("RUSTC_WRAPPER", sysroot.wrappers.rustc.clone().into());
        set(wrapper::ENV_SYSROOT, sysroot.lib.clone().into());
        set(
            layer::ENV_SHADOW,
            workspace.target.join(leftovers::SHADOW).into(),
        );
        // A build folder that the user shares with plain builds would mix with them.
        set("CARGO_BUILD_BUILD_DIR", workspace.target.clone().into());
        if let Some(before) = wrapper::wrapper_before(&workspace.folder) {
            set(wrapper::ENV_CHAINED, before);
            // Cargo would remember the answers of this compiler, and its failures, for one without it.
            set("CARGO_CACHE_RUSTC_INFO", "0".into());
        }
        // Not a proxy that picks one: cargo remembers the answers of each path, and would mix toolchains.
        set("RUSTC", self.toolchain.rustc.clone().into());
        if let Some((name, value)) = self.toolchain.pinned() {
            set(name, value);
        }
        all
    }

    /// Makes known whose code is where; returns the file that says so to test processes.
    fn origins(&self, made: &Made) -> Result<PathBuf, BuildError> {
        let table = origins::table(
            (self.workspace, self.toolchain, self.sysroot),
            &made.packages,
            &made.out_dirs,
        );
        let bytes = table.to_bytes();
        origin::install(table);
        origins::write(&self.workspace.target, &bytes)
    }

    fn describe(&self, made: &Made, origins: &Path) -> Built {
        let mut linked = Linked::new(made.host_libraries());
        let mut executables: Vec<_> = made
            .tests
            .iter()
            .filter_map(|artifact| self.executable(artifact, made, &mut linked, origins))
            .collect();
        // Cargo tells of each when it is built, which may be in another order the next time.
        executables.sort_by(|one, other| one.label.cmp(&other.label));
        let has_doctests = made.tests.iter().any(|artifact| {
            let member = self.workspace.packages.get(&artifact.package_id);
            member.is_some_and(|member| member.package.targets.iter().any(|target| target.doctest))
        });
        Built {
            executables,
            crates: made.crates(self.workspace),
            has_doctests,
        }
    }

    fn executable(
        &self,
        artifact: &Artifact,
        made: &Made,
        linked: &mut Linked,
        origins: &Path,
    ) -> Option<Executable> {
        let path = PathBuf::from(artifact.executable.clone()?);
        let member = self.workspace.packages.get(&artifact.package_id)?;
        let package = &member.package;
        let kind = artifact.target.kind.first()?;
        let target = artifact.target.name.clone();
        let folder = package
            .manifest_path
            .parent()?
            .to_owned()
            .into_std_path_buf();
        let mut env = made.variables.clone();
        env.extend(variables::of_package(package, &folder));
        env.push(("CARGO".to_owned(), self.toolchain.cargo.clone().into()));
        env.push(("LD_LIBRARY_PATH".to_owned(), self.library_path(&path, made)));
        if let Some(out_dir) = made.out_dirs.get(&artifact.package_id) {
            env.push(("OUT_DIR".to_owned(), out_dir.into()));
        }
        let programs = made
            .programs
            .iter()
            .filter(|(owner, _, _)| *owner == artifact.package_id);
        env.extend(programs.map(|(_, name, path)| (format!("CARGO_BIN_EXE_{name}"), path.into())));
        Some(Executable {
            label: label(&package.name, kind, &target),
            linked: linked.of(&path),
            marker: Marker::read(&path),
            path,
            package: package.name.to_string(),
            kind: kind.to_string(),
            target,
            folder,
            root: self.workspace.root.clone(),
            env,
            config: member.config.clone(),
            overrides: self.workspace.profile.overrides.clone(),
            origins: origins.to_owned(),
            hash: OnceLock::new(),
        })
    }

    fn library_path(&self, executable: &Path, made: &Made) -> OsString {
        let sysroot = &self.toolchain.sysroot;
        let own = executable.ancestors().skip(1).take(2).map(Path::to_owned);
        let rust = [
            sysroot
                .join("lib")
                .join("rustlib")
                .join(&self.toolchain.host)
                .join("lib"),
            sysroot.join("lib"),
        ];
        let native = made
            .linked
            .iter()
            .filter(|path| path.starts_with(&self.workspace.target));
        library_path(native.cloned().chain(own).chain(rust))
    }
}

/// The products that cargo's messages name.
#[derive(Debug, Default)]
struct Made {
    /// The variables that cargo's configuration sets.
    variables: Vec<(String, OsString)>,
    artifacts: Vec<(PackageId, TargetKind, String, Vec<PathBuf>)>,
    tests: Vec<Artifact>,
    programs: Vec<(PackageId, String, PathBuf)>,
    /// The manifests of all packages.
    packages: BTreeMap<PackageId, PathBuf>,
    out_dirs: BTreeMap<PackageId, PathBuf>,
    linked: Vec<PathBuf>,
}

impl Made {
    fn add(&mut self, message: Message) {
        match message {
            Message::CompilerArtifact(artifact) => {
                let manifest = artifact.manifest_path.clone().into();
                self.packages.insert(artifact.package_id.clone(), manifest);
                self.artifacts
                    .extend(artifact.target.kind.first().map(|kind| {
                        let files = artifact.filenames.iter().chain(&artifact.executable);
                        let files = files.map(|file| file.clone().into()).collect();
                        let id = artifact.package_id.clone();
                        (id, kind.clone(), artifact.target.name.clone(), files)
                    }));
                if let Some(path) = artifact.executable.clone() {
                    if artifact.profile.test {
                        self.tests.push(artifact);
                    } else if artifact.target.kind.contains(&TargetKind::Bin) {
                        self.programs.push((
                            artifact.package_id,
                            artifact.target.name,
                            path.into(),
                        ));
                    }
                }
            }
            Message::BuildScriptExecuted(script) => {
                self.linked.extend(script.linked_paths.iter().map(|path| {
                    let path = path.as_str();
                    // Cargo puts the kind of the path before it, as in `native=/…`.
                    PathBuf::from(path.split_once('=').map_or(path, |(_, path)| path))
                }));
                self.out_dirs
                    .insert(script.package_id, script.out_dir.into());
            }
            _ => {}
        }
    }

    /// The files in this folder of crates whose note cannot be read: each of them has one.
    fn without_notes(&self, folder: &Path) -> Vec<PathBuf> {
        let tests = self.tests.iter().map(|test| {
            let file = test.executable.clone().map(PathBuf::from);
            file.into_iter().collect::<Vec<_>>()
        });
        let libraries = self.artifacts.iter().map(|(.., files)| {
            let is_library = |file: &&PathBuf| {
                let extension = file.extension().and_then(|extension| extension.to_str());
                matches!(extension, Some("rlib" | "rmeta"))
            };
            files.iter().filter(is_library).cloned().collect()
        });
        let damaged = tests.chain(libraries).filter(|files: &Vec<PathBuf>| {
            let is_of_it = |file: &PathBuf| file.starts_with(folder);
            !files.is_empty()
                && files.iter().all(is_of_it)
                && files.iter().all(|file| Marker::read(file).is_none())
        });
        let mut files: Vec<PathBuf> = damaged.flatten().filter(|file| file.exists()).collect();
        files.sort();
        files.dedup();
        files
    }

    /// The libraries and procedural macros that were built for the build itself: no wrapper left a note.
    fn host_libraries(&self) -> Vec<PathBuf> {
        let files = self.artifacts.iter().flat_map(|(.., files)| files);
        let is_library = |file: &&PathBuf| {
            let extension = file.extension().and_then(|extension| extension.to_str());
            matches!(extension, Some("rlib" | "so"))
        };
        let is_noted = |file: &&PathBuf| Marker::read(file).is_some();
        let mut files: Vec<_> = files
            .filter(is_library)
            .filter(|file| !is_noted(file))
            .cloned()
            .collect();
        files.sort();
        files.dedup();
        files
    }

    fn crates(&self, workspace: &Workspace) -> Vec<BuiltCrate> {
        let crates = self.artifacts.iter().filter_map(|(id, kind, name, files)| {
            Some(BuiltCrate {
                is_member: workspace.packages.contains_key(id),
                manifest: self.packages.get(id).cloned().unwrap_or_default(),
                target: (kind.to_string(), name.clone()),
                marker: files.iter().find_map(|file| Marker::read(file))?,
            })
        });
        let mut crates: Vec<_> = crates.collect();
        crates.sort_by(|one, other| {
            let key = |it: &BuiltCrate| (it.marker.package.clone(), it.target.clone());
            key(one).cmp(&key(other))
        });
        crates.dedup();
        crates
    }
}

/// Returns what the crates in an executable may do, by the files beside it alone.
pub(crate) fn linked_facts(executable: &Path) -> SourceFacts {
    let folder = executable.parent().unwrap_or(Path::new("."));
    // The build's own libraries are in the folder of the host, `<target>/<profile>/deps`.
    let parts: Vec<_> = folder.iter().collect();
    let host = match &parts[..] {
        [before @ .., _, profile, deps] => before.iter().chain([profile, deps]).collect(),
        _ => PathBuf::new(),
    };
    let files = fs::read_dir(host).into_iter().flatten().flatten();
    let libraries = files.map(|entry| entry.path()).filter(|path| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        matches!(extension, Some("rlib" | "so"))
    });
    Linked::new(libraries.collect()).of(executable)
}
