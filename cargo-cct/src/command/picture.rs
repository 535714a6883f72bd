//! The picture of a failure: a page beside its report, and the desktop's browser that shows it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, io, thread};

use super::{lose, relative};
use crate::build::workspace::Workspace;
use crate::failure::{Id, Record, Store};
use crate::plain_file;
use crate::report::{Report, timeline};
use crate::room;

/// The name of the page in a failure's folder.
const FILE: &str = "timeline.html";
/// The desktop's program that opens a file as the user wants it opened.
pub(super) const OPENER: &str = if cfg!(target_os = "macos") {
    "open"
} else {
    "xdg-open"
};
/// An opener that has not failed by now will not: it may go on for as long as the browser does.
const PATIENCE: Duration = Duration::from_secs(2);

/// Writes the page into the failure's folder, and into the report where it is; that it cannot be written is
/// only told.
pub(super) fn keep(
    store: &Store,
    record: &Record,
    report: Report,
    workspace: &Workspace,
) -> Report {
    let folder = store.folder_of(&record.id);
    let made = plain_file::folder(&folder);
    let written = made.and_then(|()| write(store, &folder, record, &report, &workspace.root));
    match written {
        Ok(path) => {
            let path = path.map(|path| relative(&path, &workspace.folder));
            report.with_picture(path)
        }
        Err(error) => {
            lose(&error);
            report
        }
    }
}

/// The page in this folder, if it is there.
pub(super) fn in_folder(folder: &Path) -> Option<PathBuf> {
    let path = folder.join(FILE);
    path.is_file().then_some(path)
}

/// Removes the picture of this failure, for the room that it takes.
pub(super) fn remove(store: &Store, id: &Id) -> io::Result<()> {
    fs::remove_file(store.folder_of(id).join(FILE))
}

/// Writes the page into a folder; returns its path, or none if there are no steps to be seen.
pub(super) fn write(
    store: &Store,
    folder: &Path,
    record: &Record,
    report: &Report,
    root: &Path,
) -> io::Result<Option<PathBuf>> {
    let as_found = folder.join("as-found");
    let as_found = store.read(&as_found.to_string_lossy()).ok();
    // A failure that is found again is, for the time being, as found.
    let as_found = as_found.filter(|found| found.schedule != record.schedule);
    let as_found = as_found.map(|found| Report::of(&found, root));
    let Some(page) = timeline(report, as_found.as_ref()) else {
        return Ok(None);
    };
    let path = folder.join(FILE);
    let written = plain_file::put(&path, |path| fs::write(path, page));
    written.map_err(|error| room::at(&path, error))?;
    Ok(Some(path))
}

/// Opens a file by the desktop's opener; false if there is none, or it would not.
pub(super) fn open(path: &Path) -> bool {
    let mut command = Command::new(OPENER);
    command.arg(path).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else {
        return false;
    };
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) => thread::sleep(Duration::from_millis(20)),
            Err(_) => return false,
        }
    }
    true
}
