//! A failure on record, with its executable built again.

use anyhow::Context as _;
use cct::config::Settings;

use super::keeper::Keeper;
use super::{cargo, load, prepare, tested};
use crate::build::cargo::{Built, Executable};
use crate::build::toolchain::Toolchain;
use crate::build::workspace::Workspace;
use crate::cli::{CargoArgs, Output, Place, Unpacked};
use crate::failure::{Record, Store};
use crate::run::{Launch, plan, tests_of};

/// A failure, and all that it takes to run its test again.
#[derive(Debug)]
pub(super) struct Rebuilt {
    pub record: Record,
    pub toolchain: Toolchain,
    pub workspace: Workspace,
    pub built: Built,
    /// The failure's executable among those that were built.
    pub index: usize,
    /// The executable is another one than the failure was found in.
    pub changed: bool,
    overrides: Settings,
    defaults: Settings,
}

impl Rebuilt {
    /// Reads the failure that is called this, and builds what it was found in.
    pub(super) fn new(
        failure: &str,
        (place, packed): (&Place, &Unpacked),
        output: Output,
    ) -> anyhow::Result<Rebuilt> {
        if let Some(tested) = tested::unpacked(packed)? {
            let record = Store::new(tested.workspace.failures()).read(failure)?;
            return Rebuilt::of(record, tested.toolchain, tested.workspace, tested.built);
        }
        let (_, found_in) = load(&place.cargo_args())?;
        let failures = match &packed.results {
            Some(_) => tested::results_folder(packed)?.join("failures"),
            None => found_in.failures(),
        };
        let record = Store::new(failures).read(failure)?;
        let manifest = found_in.root.join(&record.provenance.manifest);
        let mut cargo_args = CargoArgs {
            manifest_path: Some(manifest.to_string_lossy().into_owned()),
            ..place.cargo_args()
        };
        if !manifest.exists() {
            cargo_args.manifest_path.clone_from(&place.manifest_path);
        }
        let (toolchain, mut workspace) = load(&cargo_args)?;
        let folder = workspace.root.join(&record.provenance.folder);
        if folder.is_dir() {
            workspace.folder = folder;
        }
        let sysroot = prepare(&toolchain, &mut workspace, output)?;
        let mut selection = record.provenance.selection.clone();
        // Cargo has nothing to say that matters here, unless it fails.
        if output.verbose == 0 && !output.quiet {
            selection.push("--quiet".to_owned());
        }
        let chosen = &record.provenance.chosen;
        let cargo = cargo(&toolchain, &sysroot, &workspace, chosen, output);
        let built = cargo.build_selection(&selection)?;
        Rebuilt::of(record, toolchain, workspace, built)
    }

    fn of(
        record: Record,
        toolchain: Toolchain,
        workspace: Workspace,
        built: Built,
    ) -> anyhow::Result<Rebuilt> {
        let index = find(&built.executables, &record, &workspace)?;
        let changed = built.executables[index].hash()? != record.provenance.executable_hash;
        let (executable, test) = (&built.executables[index], &record.name.test);
        if changed {
            let names = plan::names(executable, &[])?;
            for test in tests_of(test) {
                anyhow::ensure!(
                    names.iter().any(|name| name == test),
                    "the test of `{}` is gone: `{}` has none that is called `{test}`",
                    record.id,
                    executable.label
                );
            }
        }
        let parse = |text| Settings::parse(text).context("the failure's settings");
        Ok(Rebuilt {
            changed,
            overrides: parse(&record.overrides)?,
            defaults: parse(&record.defaults)?,
            record,
            toolchain,
            workspace,
            built,
            index,
        })
    }

    /// The executable of the failure's test.
    pub(super) fn executable(&self) -> &Executable {
        &self.built.executables[self.index]
    }

    /// The failure's test, to be run with the failure's settings.
    pub(super) fn launch(&self) -> Launch<'_> {
        let settings = (&self.overrides, &self.defaults);
        Launch::exploring(self.executable(), &self.record.name.test, settings)
    }

    /// Writes what is found of the failure to disk.
    pub(super) fn keeper(&self) -> Keeper<'_> {
        Keeper {
            workspace: &self.workspace,
            toolchain: &self.toolchain,
            executables: &self.built.executables,
            selection: self.record.provenance.selection.clone(),
            chosen: &self.record.provenance.chosen,
            store: Store::new(self.workspace.failures()),
            run_seed: self.record.provenance.run_seed,
        }
    }
}

/// The executable that the failure was found in, built again.
fn find(
    executables: &[Executable],
    record: &Record,
    workspace: &Workspace,
) -> anyhow::Result<usize> {
    let from = &record.provenance;
    let found = executables.iter().position(|executable| {
        executable.package == from.package
            && executable.kind == from.kind
            && executable.target == from.target
    });
    found.with_context(|| {
        format!(
            "`{}` is of package `{}`, {} `{}`, which is not in the workspace at `{}`",
            record.id,
            from.package,
            from.kind,
            from.target,
            workspace.root.display()
        )
    })
}
