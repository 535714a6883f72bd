//! `cargo cct clean`: removes what was built and found.

use std::path::Path;
use std::{fs, io};

use anyhow::Context as _;

use super::load;
use crate::build::sysroot;
use crate::cli::CleanArgs;
use crate::exit::Exit;

/// Does it.
pub(super) fn run(args: &CleanArgs) -> anyhow::Result<Exit> {
    let (_, workspace) = load(&args.place.cargo_args())?;
    let mut folders = vec![if args.failures {
        workspace.failures()
    } else {
        workspace.target.clone()
    }];
    if args.cache {
        folders.push(sysroot::cache_folder()?);
    }
    for folder in folders {
        remove(&folder).with_context(|| format!("cannot remove `{}`", folder.display()))?;
        if !args.output.quiet {
            anstream::eprintln!("removed `{}`", folder.display());
        }
    }
    Ok(Exit::Success)
}

fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
