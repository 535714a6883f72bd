//! The subject of a run: a workspace that is built, or an archive that is unpacked.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use cct::config::Settings;

use super::{cargo, load, prepare};
use crate::archive::Archive;
use crate::build::cache::Cache;
use crate::build::cargo::{Built, Cargo};
use crate::build::chosen::Chosen;
use crate::build::digest;
use crate::build::sysroot::{Sysroot, engine};
use crate::build::toolchain::Toolchain;
use crate::build::workspace::Workspace;
use crate::cli::{CargoArgs, Output, Unpacked};
use crate::report;

/// The subject, and the tools and choices that it was made with.
#[derive(Debug)]
pub(super) struct Tested {
    pub toolchain: Toolchain,
    pub workspace: Workspace,
    pub chosen: Chosen,
    /// The arguments for cargo.
    pub selection: Vec<String>,
    pub built: Built,
    /// The settings that were typed, now or when the archive was made.
    pub typed: Settings,
    /// The archive's seed.
    pub seed: Option<u64>,
    executables: Option<String>,
    sysroot: Option<Sysroot>,
    /// Its files stay while it is here.
    _archive: Option<Archive>,
}

/// Where results go by default.
pub(super) const RESULTS: &str = "cct-results";

impl Tested {
    /// Builds the workspace's tests.
    pub(super) fn build(
        (toolchain, workspace): (Toolchain, Workspace),
        args: &CargoArgs,
        typed: &Settings,
        output: Output,
    ) -> anyhow::Result<Tested> {
        let chosen = Chosen::new(typed, &workspace);
        Tested::build_chosen((toolchain, workspace), chosen, args, typed, output)
    }

    /// The same with these choices.
    pub(super) fn build_chosen(
        (toolchain, mut workspace): (Toolchain, Workspace),
        chosen: Chosen,
        args: &CargoArgs,
        typed: &Settings,
        output: Output,
    ) -> anyhow::Result<Tested> {
        let sysroot = prepare(&toolchain, &mut workspace, output)?;
        if chosen.code.is_some_and(|code| !code.is_on(&sysroot.lib)) {
            crate::report::remark_line!("{}: {}", report::warning_word(), report::NO_CODE);
        }
        let cargo = cargo(&toolchain, &sysroot, &workspace, &chosen, output);
        let built = if args.doc {
            Built {
                has_doctests: true,
                ..Built::default()
            }
        } else {
            cargo.build(args)?
        };
        Ok(Tested {
            built,
            selection: args.selection(),
            typed: typed.clone(),
            seed: None,
            executables: None,
            sysroot: Some(sysroot),
            _archive: None,
            toolchain,
            workspace,
            chosen,
        })
    }

    /// Takes an archive's tests; what is found goes to the folder.
    pub(super) fn unpack(path: &Path, results: &Path, typed: &Settings) -> anyhow::Result<Tested> {
        let archive = Archive::open(path, &Cache::find()?)?;
        let packed = archive.typed()?;
        for (what, is_typed) in [
            (
                "rewrite",
                typed.rewrite.is_some() && typed.rewrite != packed.rewrite,
            ),
            (
                "spawn",
                typed.spawn.is_some() && typed.spawn != packed.spawn,
            ),
            (
                "drive",
                typed.drive.is_some() && typed.drive != packed.drive,
            ),
            (
                "interleave",
                typed.interleave.is_some() && typed.interleave != packed.interleave,
            ),
        ] {
            anyhow::ensure!(
                !is_typed,
                "`--{what}` decides how tests are built, and those of an archive are: give it to \
                 `cargo cct archive`"
            );
        }
        let folder = std::path::absolute(".").context("there is no current folder")?;
        let workspace = archive.workspace(results, &folder)?;
        let mut executables = archive.executables()?;
        for executable in &mut executables {
            executable
                .overrides
                .clone_from(&workspace.profile.overrides);
        }
        Ok(Tested {
            toolchain: archive.toolchain(),
            workspace,
            chosen: archive.manifest().chosen.clone(),
            selection: archive.manifest().selection.clone(),
            built: Built {
                executables,
                ..Built::default()
            },
            typed: typed.clone().over(packed),
            seed: Some(archive.manifest().seed),
            executables: Some(archive.digest()),
            sysroot: None,
            _archive: Some(archive),
        })
    }

    /// Cargo, if it is needed for anything more.
    pub(super) fn cargo(&self, output: Output) -> Option<Cargo<'_>> {
        let sysroot = self.sysroot.as_ref()?;
        Some(cargo(
            &self.toolchain,
            sysroot,
            &self.workspace,
            &self.chosen,
            output,
        ))
    }

    /// Names the executables' content.
    pub(super) fn digest(&self) -> anyhow::Result<String> {
        if let Some(known) = &self.executables {
            return Ok(known.clone());
        }
        let all = self.built.executables.iter().map(|executable| {
            let hash = executable
                .hash()
                .with_context(|| format!("cannot read `{}`", executable.path.display()))?;
            Ok((executable.label.clone(), hash.to_owned()))
        });
        let all: Vec<_> = all.collect::<anyhow::Result<_>>()?;
        Ok(digest::of_executables(all.into_iter()))
    }
}

/// The tool and its engine.
pub(super) fn tool() -> String {
    format!("{} {}", env!("CARGO_PKG_VERSION"), &engine()[..8])
}

/// The archive that a command is about, if it is about one, with the folder of what was found in it.
pub(super) fn unpacked(args: &Unpacked) -> anyhow::Result<Option<Tested>> {
    let Some(archive) = &args.archive else {
        return Ok(None);
    };
    let results = results_folder(args)?;
    Tested::unpack(archive, &results, &Settings::default()).map(Some)
}

/// The folder of results, whether it is there or not.
pub(super) fn results_folder(args: &Unpacked) -> anyhow::Result<PathBuf> {
    let folder = args.results.as_deref().unwrap_or(Path::new(RESULTS));
    Ok(std::path::absolute(folder)?)
}

/// The workspace that failures are looked for in: this one or an archive's.
pub(super) fn workspace(cargo: &CargoArgs, args: &Unpacked) -> anyhow::Result<Workspace> {
    if let Some(tested) = unpacked(args)? {
        return Ok(tested.workspace);
    }
    let (_, mut workspace) = load(cargo)?;
    if args.results.is_some() {
        workspace.target = results_folder(args)?;
    }
    Ok(workspace)
}
