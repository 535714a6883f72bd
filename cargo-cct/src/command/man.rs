//! `cargo cct man`: the manual pages, one for each verb.

use std::fs;

use anyhow::Context as _;
use clap::CommandFactory as _;

use crate::cli::{Cli, ManArgs};
use crate::exit::Exit;

/// Does it.
pub(super) fn run(args: &ManArgs) -> anyhow::Result<Exit> {
    let folder = &args.folder;
    let write = || {
        fs::create_dir_all(folder)?;
        // Man looks for `cargo-cct-test`, not for `cargo cct-test`.
        let command = Cli::command()
            .bin_name("cargo-cct")
            .disable_help_subcommand(true);
        clap_mangen::generate_to(command, folder)
    };
    write().with_context(|| format!("cannot write to `{}`", folder.display()))?;
    Ok(Exit::Success)
}
