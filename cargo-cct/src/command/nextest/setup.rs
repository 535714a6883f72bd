//! The facts that a runner has to know of the workspace, in a file: there is a runner for each test, and
//! cargo takes long to answer.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use cct::config::Settings;
use serde::{Deserialize, Serialize};

use crate::build::chosen::Chosen;
use crate::build::sysroot::Sysroot;
use crate::build::toolchain::Toolchain;
use crate::build::workspace::Workspace;
use crate::build::{digest, origins};
use crate::plain_file;

/// The facts.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Setup {
    /// The workspace's root.
    pub root: PathBuf,
    /// The folder that the command was given in.
    pub folder: PathBuf,
    /// The workspace's manifest, or a member's.
    pub manifest: PathBuf,
    /// The folder for all that is built and found.
    pub target: PathBuf,
    /// The table of packages.
    pub origins: PathBuf,
    /// The toolchain.
    pub toolchain: Toolchain,
    /// The packages that are rewritten.
    pub chosen: Chosen,
    /// The arguments that cargo builds the same with.
    pub selection: Vec<String>,
    /// The name of the profile.
    pub profile: String,
    /// The settings of the workspace, as text.
    pub config: String,
    /// The settings of each member, likewise.
    pub members: BTreeMap<String, String>,
}

impl Setup {
    /// Writes it; returns the file.
    pub(super) fn write(
        workspace: &Workspace,
        toolchain: &Toolchain,
        sysroot: &Sysroot,
        chosen: &Chosen,
        selection: &[String],
    ) -> anyhow::Result<PathBuf> {
        let members = workspace.packages.values();
        let members = members.map(|it| (it.package.name.to_string(), text(&it.config)));
        let setup = Setup {
            root: workspace.root.clone(),
            folder: workspace.folder.clone(),
            manifest: workspace.manifest.clone(),
            target: workspace.target.clone(),
            origins: origins::of_metadata(workspace, toolchain, sysroot)?,
            toolchain: toolchain.clone(),
            chosen: chosen.clone(),
            selection: selection.to_vec(),
            profile: workspace.profile.name.clone(),
            config: text(&workspace.config),
            members: members.collect(),
        };
        let bytes = serde_json::to_vec(&setup)?;
        let folder = workspace.target.join("nextest");
        // A shell with the variables goes on with its own setup, whatever others do.
        let file = folder.join(format!("{}.json", &digest::of_parts(&[&bytes])[..16]));
        let write = || {
            plain_file::folder(&folder)?;
            plain_file::put(&file, |path| fs::write(path, &bytes))
        };
        write().with_context(|| format!("cannot write `{}`", file.display()))?;
        Ok(file)
    }

    /// Reads it.
    pub(super) fn read(file: &Path) -> anyhow::Result<Setup> {
        let setup = fs::read(file)
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok());
        setup.with_context(|| {
            format!(
                "`{}` is gone or of another version: use `cargo cct nextest`, or `cargo cct show-env` again",
                file.display()
            )
        })
    }

    /// The settings of a package's tests.
    pub(super) fn settings_of(&self, package: &str) -> anyhow::Result<Settings> {
        let text = self.members.get(package).unwrap_or(&self.config);
        Settings::parse(text).context("the settings of the package")
    }
}

fn text(settings: &Settings) -> String {
    let lines = settings
        .given()
        .map(|(row, text)| format!("{}={text}\n", row.name));
    lines.collect()
}
