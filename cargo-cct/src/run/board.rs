//! The tool's side of the memory that it shares with a test process.
//!
//! Read as a file: the process that writes it may be dying, and nothing here may die with it.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::mem::{offset_of, size_of};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use cct::codec::Wire as _;
use cct::trace::Schedule;
use cct::verdict::Bug;
use cct::wire::{Board, Ended};
use walkdir::WalkDir;

/// The file behind a board; removed with this value.
#[derive(Debug)]
pub(crate) struct BoardFile {
    path: PathBuf,
    file: File,
    temporary: PathBuf,
    is_owner: bool,
}

/// The counters that move as long as a test lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pulse([u64; 3]);

impl Pulse {
    /// True once the engine is up.
    pub(crate) fn is_up(self) -> bool {
        self != Pulse([0; 3])
    }

    /// How far it is: iterations, and steps of the last.
    pub(crate) fn place(self) -> [u64; 2] {
        [self.0[0], self.0[1]]
    }
}

impl BoardFile {
    /// Makes an empty board, for a process with this folder for temporary files, which is removed with it.
    pub(crate) fn create(path: &Path, temporary: &Path) -> io::Result<BoardFile> {
        // In a folder where anybody may put a file, or a link.
        let mut options = OpenOptions::new();
        let file = options
            .read(true)
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(path)?;
        // The part with a process's last words is there: without room for the rest, it can still say so.
        let made = file
            .write_all_at(&vec![0; offset_of!(Board, run_table)], 0)
            .and_then(|()| file.set_len(Board::FILE_SIZE));
        if let Err(error) = made {
            // There may be room elsewhere, with the same folder.
            let _ = fs::remove_file(path);
            return Err(error);
        }
        Ok(BoardFile {
            path: path.to_owned(),
            file,
            temporary: temporary.to_owned(),
            is_owner: true,
        })
    }

    /// The same board, read by somebody else; the file is removed with the first.
    pub(crate) fn another(&self) -> io::Result<BoardFile> {
        Ok(BoardFile {
            path: self.path.clone(),
            file: self.file.try_clone()?,
            temporary: self.temporary.clone(),
            is_owner: false,
        })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The folder for temporary files of the process.
    pub(crate) fn temporary(&self) -> &Path {
        &self.temporary
    }

    /// Reads what moves as long as the test lives.
    pub(crate) fn pulse(&self) -> Pulse {
        let offsets = [
            offset_of!(Board, iteration),
            offset_of!(Board, steps),
            offset_of!(Board, beats),
        ];
        Pulse(offsets.map(|offset| self.u64_at(offset).unwrap_or_default()))
    }

    /// The iteration that the process was in, from 1; 0 before the first.
    pub(crate) fn iteration(&self) -> u64 {
        self.u64_at(offset_of!(Board, iteration))
            .unwrap_or_default()
    }

    /// The counts of the process; the iteration that it was in has all but its switches and choice points in
    /// them.
    pub(crate) fn counts(&self) -> Ended {
        let bytes = self.bytes_at(offset_of!(Board, ended), to_u32(size_of::<Ended>()));
        let mut counts = bytes
            .and_then(|bytes| Ended::from_bytes(&bytes))
            .unwrap_or_default();
        if self.iteration() > counts.iteration {
            let steps = self.u64_at(offset_of!(Board, steps)).unwrap_or_default();
            // The process may have written anything.
            counts.schedules = counts.schedules.saturating_add(1);
            // No schedule that has ended is the same as one that does not.
            counts.distinct = counts.distinct.saturating_add(1);
            counts.steps = counts.steps.saturating_add(steps);
            counts.longest = counts.longest.max(steps);
        }
        counts
    }

    /// Says that the tool has waited for long enough.
    pub(crate) fn say_enough(&self) -> io::Result<()> {
        let offset = u64::try_from(offset_of!(Board, enough)).unwrap_or_default();
        self.file.write_all_at(&1u32.to_le_bytes(), offset)
    }

    /// Says that the process takes more memory than this limit.
    pub(crate) fn say_exceeded(&self, limit: u64) -> io::Result<()> {
        let offset = u64::try_from(offset_of!(Board, exceeded)).unwrap_or_default();
        self.file.write_all_at(&limit.to_le_bytes(), offset)
    }

    /// The OS thread that runs the engine; 0 before it is up.
    pub(crate) fn thread(&self) -> u32 {
        self.u32_at(offset_of!(Board, thread)).unwrap_or_default()
    }

    /// True while the engine sleeps by itself, to wait for the outside.
    pub(crate) fn waits(&self) -> bool {
        self.u32_at(offset_of!(Board, waits)).unwrap_or_default() != 0
    }

    /// The schedule of that iteration, if the process came as far as one.
    pub(crate) fn schedule(&self) -> Option<Schedule> {
        if self.u64_at(offset_of!(Board, magic))? != Board::MAGIC {
            return None;
        }
        let head = self.bytes_at(
            offset_of!(Board, head),
            self.u32_at(offset_of!(Board, head_length))?,
        )?;
        let mut schedule = Schedule::from_bytes(&head)?;
        let runs = self.numbers_at(
            offset_of!(Board, run_table),
            self.u32_at(offset_of!(Board, runs))?
                .min(to_u32(Board::RUNS))
                * 2,
        )?;
        let (pairs, _) = runs.as_chunks::<2>();
        schedule.runs = pairs
            .iter()
            .map(|&[worker, steps]| (worker, steps).into())
            .collect();
        schedule.choices = self.numbers_at(
            offset_of!(Board, choice_table),
            self.u32_at(offset_of!(Board, choices))?
                .min(to_u32(Board::CHOICES)),
        )?;
        Some(schedule)
    }

    /// The bug that a signal handler left behind.
    pub(crate) fn last_words(&self) -> Option<Bug> {
        let length = self.u32_at(offset_of!(Board, last_words_length))?;
        if length == 0 {
            return None;
        }
        Bug::from_bytes(&self.bytes_at(offset_of!(Board, last_words), length)?)
    }

    /// The calls that led to where a signal ended the process, the innermost first.
    pub(crate) fn frames(&self) -> Option<Vec<u64>> {
        let count = self.u32_at(offset_of!(Board, frame_count))?;
        let count = count.min(to_u32(Board::FRAMES)) * to_u32(size_of::<u64>());
        let bytes = self.bytes_at(offset_of!(Board, frames), count)?;
        let (frames, _) = bytes.as_chunks::<8>();
        Some(
            frames
                .iter()
                .map(|&frame| u64::from_le_bytes(frame))
                .collect(),
        )
    }

    fn u64_at(&self, offset: usize) -> Option<u64> {
        let bytes = self.bytes_at(offset, to_u32(size_of::<u64>()))?;
        Some(u64::from_le_bytes(bytes.try_into().ok()?))
    }

    fn u32_at(&self, offset: usize) -> Option<u32> {
        self.numbers_at(offset, 1)?.first().copied()
    }

    fn numbers_at(&self, offset: usize, count: u32) -> Option<Vec<u32>> {
        let bytes = self.bytes_at(offset, count.checked_mul(to_u32(size_of::<u32>()))?)?;
        let (numbers, _) = bytes.as_chunks::<4>();
        Some(
            numbers
                .iter()
                .map(|&number| u32::from_le_bytes(number))
                .collect(),
        )
    }

    fn bytes_at(&self, offset: usize, length: u32) -> Option<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(length).ok()?];
        if bytes.len() > size_of::<Board>() {
            return None;
        }
        self.file
            .read_exact_at(&mut bytes, u64::try_from(offset).ok()?)
            .ok()?;
        Some(bytes)
    }
}

impl Drop for BoardFile {
    fn drop(&mut self) {
        if self.is_owner {
            // Another process may have removed it before us.
            let _ = fs::remove_file(&self.path);
            remove_folder(&self.temporary);
        }
    }
}

/// Removes a folder, also where a test has taken the rights to some of it. The rest is left to the system.
fn remove_folder(folder: &Path) {
    if fs::remove_dir_all(folder).is_ok() {
        return;
    }
    for entry in WalkDir::new(folder).into_iter().filter_entry(|entry| {
        if entry.file_type().is_dir() {
            let all = fs::Permissions::from_mode(0o700);
            let _ = fs::set_permissions(entry.path(), all);
        }
        true
    }) {
        drop(entry);
    }
    let _ = fs::remove_dir_all(folder);
}

fn to_u32(size: usize) -> u32 {
    u32::try_from(size).expect("the board is smaller than 4 GiB")
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::any;
    use proptest::proptest;

    use super::*;
    use crate::fuzz;

    #[test]
    fn a_schedule_is_read_back() {
        let path = std::env::temp_dir().join(format!("cct-board-{}", std::process::id()));
        let board =
            BoardFile::create(&path, &path.with_extension("none")).expect("a temporary file");
        assert_eq!(board.schedule(), None);

        let head = Schedule {
            seed: 7,
            ..Schedule::default()
        }
        .to_bytes();
        let put = |offset: usize, bytes: &[u8]| {
            board
                .file
                .write_all_at(bytes, offset as u64)
                .expect("a writable file");
        };
        put(offset_of!(Board, head), &head);
        put(
            offset_of!(Board, head_length),
            &to_u32(head.len()).to_le_bytes(),
        );
        put(offset_of!(Board, runs), &2u32.to_le_bytes());
        put(
            offset_of!(Board, run_table),
            &[0u32, 5, 1, 6].map(u32::to_le_bytes).concat(),
        );
        put(offset_of!(Board, choices), &1u32.to_le_bytes());
        put(offset_of!(Board, choice_table), &9u32.to_le_bytes());
        put(offset_of!(Board, magic), &Board::MAGIC.to_le_bytes());
        let schedule = board.schedule().expect("a schedule");
        assert_eq!(schedule.seed, 7);
        assert_eq!(schedule.runs, [(0, 5).into(), (1, 6).into()]);
        assert_eq!(schedule.choices, [9]);
        assert_eq!(board.last_words(), None);

        let before = board.pulse();
        put(offset_of!(Board, beats), &1u64.to_le_bytes());
        assert_ne!(board.pulse(), before);
        drop(board);
        assert!(!path.exists());
    }

    proptest! {
        #![proptest_config(fuzz::config())]

        /// A program that has lost its way may have written anywhere.
        #[test]
        fn a_board_of_any_bytes_is_read(
            head in vec(any::<u8>(), size_of::<Ended>() + 100),
            fills in any::<bool>(),
        ) {
            let path = std::env::temp_dir().join(format!("cct-any-board-{}", std::process::id()));
            let board = BoardFile::create(&path, &path.with_extension("none")).expect("a temporary file");
            let head = if fills { vec![0xFF; head.len()] } else { head };
            board.file.write_all_at(&head, 0).expect("a writable file");
            let magic = Board::MAGIC.to_le_bytes();
            board.file.write_all_at(&magic, offset_of!(Board, magic) as u64).expect("a writable file");
            let counters = (board.pulse(), board.counts());
            drop((counters, board.schedule(), board.last_words(), board.frames()));
        }
    }
}
