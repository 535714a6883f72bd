//! Cargo's build profiles: which there are, to tell them from profiles of settings.

use std::env;
use std::fs;
use std::path::PathBuf;

use super::workspace::Workspace;
use crate::cli::CargoArgs;

/// The profiles that need not be written down.
const BUILT_IN: [&str; 5] = ["dev", "release", "test", "bench", "doc"];

/// Tells whether cargo knows a build profile of this name.
pub(crate) fn has_build_profile(workspace: &Workspace, args: &CargoArgs, name: &str) -> bool {
    let files = [workspace.root.join("Cargo.toml")];
    let folders = workspace
        .folder
        .ancestors()
        .map(|folder| folder.join(".cargo"));
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let folders = folders.chain(home);
    let configured = folders.flat_map(|folder| [folder.join("config.toml"), folder.join("config")]);
    let given = args.config.iter();
    let given = given.map(|word| fs::read_to_string(word).unwrap_or_else(|_| word.clone()));
    let texts = files.into_iter().chain(configured);
    let mut texts = texts
        .filter_map(|file| fs::read_to_string(file).ok())
        .chain(given);
    let has = |text: String| {
        let table: Option<toml::Table> = text.parse().ok();
        table.is_some_and(|table| {
            table
                .get("profile")
                .is_some_and(|all| all.get(name).is_some())
        })
    };
    let variable = format!(
        "CARGO_PROFILE_{}_",
        name.to_ascii_uppercase().replace('-', "_")
    );
    BUILT_IN.contains(&name)
        || texts.any(has)
        || env::vars_os().any(|(name, _)| name.to_string_lossy().starts_with(&variable))
}
