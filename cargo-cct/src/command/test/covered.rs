//! The files with what tests have covered of their machines.

use std::fs;
use std::io;
use std::path::Path;

use anyhow::Context as _;

use crate::build::workspace::Workspace;
use crate::command::relative;
use crate::plain_file;
use crate::report::Machines;

/// Writes a folder for each executable below `machines` of our part of the target folder, in place of that of
/// an earlier run. Returns the folder, if there is something to write.
pub(super) fn write(machines: &Machines, workspace: &Workspace) -> anyhow::Result<Option<String>> {
    let files = machines.files();
    if files.is_empty() {
        return Ok(None);
    }
    let folder = workspace.machines();
    for (binary, files) in files {
        let mut parts = binary.split("::");
        let made = plain_file::folder(&folder).and_then(|()| {
            parts.try_fold(folder.clone(), |path, part| {
                let path = path.join(part);
                plain_file::folder(&path).map(|()| path)
            })
        });
        let written = made.and_then(|folder| {
            clear(&folder)?;
            let mut files = files.iter();
            files.try_for_each(|(name, text)| {
                plain_file::put(&folder.join(name), |path| fs::write(path, text))
            })
        });
        written.with_context(|| format!("cannot write to `{}`", folder.display()))?;
    }
    Ok(Some(relative(&folder, &workspace.root)))
}

/// An earlier run may have had other machines. Folders in this one are other executables', and files with
/// other names are somebody's.
fn clear(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        let end = path.extension().and_then(|end| end.to_str());
        if entry.file_type()?.is_file() && matches!(end, Some("dot" | "svg")) {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}
