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
        let folder = binary
            .split("::")
            .fold(folder.clone(), |path, part| path.join(part));
        let written = clear(&folder).and_then(|()| {
            let mut files = files.iter();
            files.try_for_each(|(name, text)| fs::write(folder.join(name), text))
        });
        written.with_context(|| format!("cannot write to `{}`", folder.display()))?;
    }
    Ok(Some(relative(&folder, &workspace.root)))
}

/// An earlier run may have had other machines. Folders in this one are other executables'.
fn clear(folder: &Path) -> io::Result<()> {
    plain_file::folder(folder)?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
