//! The files of one run: boards, schedules to replay, what tests print.

use std::fs::{DirBuilder, File};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::{env, fs, io, path};

use super::board::BoardFile;
use crate::build::owned::remove_any;
use crate::maker::Maker;
use crate::{plain_file, room};

/// A folder of this run's own; removed with this value.
#[derive(Debug)]
pub(crate) struct Scratch {
    maker: Maker,
    folder: PathBuf,
    memory: PathBuf,
    /// Where test processes have their folders for temporary files: in the user's, since the paths of sockets
    /// must be short.
    temporary: PathBuf,
    next: AtomicU32,
    /// Takes the lowest free descriptors, see `super::process`.
    _lowest: [File; 2],
}

impl Scratch {
    /// Makes the folder inside `target`.
    pub(crate) fn create(target: &Path) -> io::Result<Scratch> {
        let maker = Maker::own();
        let runs = target.join("run");
        let folder = runs.join(maker.to_string());
        let made = plain_file::folder(&runs).and_then(|()| {
            sweep(&runs, of_run);
            fs::create_dir_all(&folder)
        });
        made.map_err(|error| room::at(&folder, error))?;
        if let Some(lack) = room::lacks(&folder, room::A_LITTLE) {
            // A leftover is swept by the next run.
            let _ = fs::remove_dir(&folder);
            return Err(lack);
        }
        // Boards are written at each step and must not wait for a disk.
        let shared = Path::new("/dev/shm");
        let memory = if shared.is_dir() {
            shared.to_owned()
        } else {
            folder.clone()
        };
        // Tests run elsewhere.
        let temporary = path::absolute(env::temp_dir()).unwrap_or_else(|_| folder.clone());
        for shared in [&memory, &temporary] {
            sweep(shared, of_board);
        }
        Ok(Scratch {
            maker,
            folder,
            memory,
            temporary,
            next: AtomicU32::new(0),
            _lowest: [File::open("/dev/null")?, File::open("/dev/null")?],
        })
    }

    /// A path that no other process of this run has. All are equally long, so that the environments
    /// of test processes are too, and with them the addresses on their stacks.
    pub(crate) fn path(&self, purpose: &str) -> PathBuf {
        self.folder.join(self.unique(purpose))
    }

    /// A folder that stays, beside those of runs.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        let target = self.folder.ancestors().nth(2);
        target.unwrap_or(&self.folder).join(name)
    }

    /// Writes a file that no other process of this run has.
    pub(crate) fn write(&self, purpose: &str, bytes: &[u8]) -> io::Result<PathBuf> {
        let path = self.path(purpose);
        fs::write(&path, bytes).map_err(|error| room::at(&path, error))?;
        Ok(path)
    }

    /// A new board, in memory, or where that is full, on the disk; and a folder for the temporary files of
    /// its process.
    pub(crate) fn board(&self) -> io::Result<BoardFile> {
        let name = self.unique("cct");
        // The board may lie there, too.
        let folder = format!("{name}-tmp");
        let mut temporary = self.temporary.join(&folder);
        let make = |folder: &Path| DirBuilder::new().mode(0o700).create(folder);
        if make(&temporary).is_err() {
            temporary = self.folder.join(&folder);
            make(&temporary).map_err(|error| room::at(&temporary, error))?;
        }
        let board = BoardFile::create(&self.memory.join(&name), &temporary).or_else(|_| {
            let path = self.folder.join(&name);
            BoardFile::create(&path, &temporary).map_err(|error| room::at(&path, error))
        });
        if board.is_err() {
            let _ = fs::remove_dir(&temporary);
        }
        board
    }

    /// The reason why a failure of a test says nothing: there is no room for files.
    pub(crate) fn lack(&self) -> Option<io::Error> {
        room::lacks_for_files(&self.folder)
    }

    fn unique(&self, purpose: &str) -> String {
        let number = self.next.fetch_add(1, Relaxed);
        format!("{purpose}-{}-{number:06}", self.maker)
    }
}

/// The maker of a run's folder.
fn of_run(name: &str) -> Option<Maker> {
    let (before, maker) = Maker::at_end(name)?;
    before.is_empty().then_some(maker)
}

/// The maker of a board, of a folder for temporary files, or of a file that was written to see if it can be.
fn of_board(name: &str) -> Option<Maker> {
    if let Some((file, maker)) = plain_file::half_written(name) {
        return (file == room::ATTEMPT).then_some(maker);
    }
    let name = name.strip_suffix("-tmp").unwrap_or(name);
    let (name, number) = name.rsplit_once('-')?;
    let (before, maker) = Maker::at_end(name)?;
    let is_number = number.len() >= 6 && number.bytes().all(|byte| byte.is_ascii_digit());
    (before == "cct-" && is_number).then_some(maker)
}

/// Removes what runs have left in a folder that were killed, and could not. There may be files of anybody
/// else's, too.
fn sweep(folder: &Path, maker: fn(&str) -> Option<Maker>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let maker = name.to_str().and_then(maker);
        let path = entry.path();
        if maker.is_some_and(|maker| maker.had_left(&path)) {
            // Another user's files stay.
            let _ = remove_any(&path);
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A leftover is swept with the target folder.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn what_killed_runs_left_is_removed_and_nothing_else() {
        let folder = std::env::temp_dir().join(format!("cct-sweep.{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let (own, gone) = (Maker::own(), Maker::gone());
        let (another, elsewhere) = (Maker::another(), Maker::elsewhere());
        let boards = [
            format!("cct-{gone}-000000"),
            format!("cct-{gone}-000001-tmp"),
            format!("{}.tmp-{gone}", room::ATTEMPT),
            // Of a container before, in which a process had the number of this one.
            format!("cct-{own}-000001"),
        ];
        let runs = [gone.to_string(), own.to_string()];
        let mut stay = vec![
            another.to_string(),
            elsewhere.to_string(),
            format!("cct-{another}-000001"),
            format!("{}.tmp-{another}", room::ATTEMPT),
            format!("notes.tmp-{gone}"),
            format!("cct-{elsewhere}-000001"),
            format!("cct-{gone}"),
            format!("cct-{gone}-notes"),
            format!("cct-{gone}-000001-notes"),
            format!("{gone}-notes"),
            format!("0{gone}"),
            format!("{gone}0000"),
            format!("cct-notes-{gone}-000001"),
        ];
        // Somebody's, by the day and the like.
        stay.extend(["20261128", "9999999", "cct-9999999-000000", "cct-notes"].map(str::to_owned));
        for name in boards.iter().chain(&runs).chain(&stay) {
            fs::create_dir(folder.join(name)).expect("a folder");
        }
        let left = || {
            let left = fs::read_dir(&folder).expect("it is there").flatten();
            left.map(|entry| entry.file_name().into_string().expect("a text"))
                .collect::<BTreeSet<_>>()
        };
        let all = |parts: &[&[String]]| parts.concat().into_iter().collect::<BTreeSet<_>>();
        sweep(&folder, of_board);
        assert_eq!(left(), all(&[&runs, &stay]));
        sweep(&folder, of_run);
        assert_eq!(left(), all(&[&stay]));
        fs::remove_dir_all(&folder).expect("removable");
    }
}
