//! Folders that the tool has made: a tag says so, and nothing else is ever removed. An empty one in the place
//! of such a folder is taken over.

use std::fs::{self, DirEntry, File, TryLockError};
use std::io::{self, Read as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::plain_file;
use crate::run::stop;

/// The tag's name, which cargo and programs for backups know, too: <https://bford.info/cachedir/>.
const TAG: &str = "CACHEDIR.TAG";

/// The tag's content. Others have the first line alike.
const TEXT: &str = "Signature: 8a477f597d28d172789f06886806bc55\n\
    # This folder was made by cargo-cct, and `cargo cct clean` removes it with all that is in it.\n";

/// The file in an own folder that its users lock.
const LOCK: &str = ".lock";

/// So many moments are a short wait.
const SHORT: u32 = 10;
const A_MOMENT: Duration = Duration::from_millis(20);

/// A folder that others remove is made again so often: there are places where nothing can be made.
const AGAIN: u32 = 100;

/// Why a folder is not used, or not removed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OwnedError {
    /// Somebody else has made it.
    #[error(
        "`{0}` was not made by cargo-cct (there is no `CACHEDIR.TAG` that says so), and may have files of \
         yours: move it away, or choose another folder"
    )]
    Foreign(PathBuf),
    /// It cannot be read or written.
    #[error("cannot use `{0}`")]
    Access(PathBuf, #[source] io::Error),
}

/// True if the tool has made the folder.
pub(crate) fn is_own(folder: &Path) -> bool {
    let mut text = String::new();
    let read = plain_file::open(&folder.join(TAG))
        .and_then(|tag| tag.take(2 * TEXT.len() as u64).read_to_string(&mut text));
    read.is_ok() && text == TEXT
}

/// True of a folder that runs lock as a whole, as they do with their part of a target folder.
pub(super) fn is_used_by_runs(folder: &Path) -> bool {
    folder.join(LOCK).exists()
}

/// Makes the folder, unless it is there and the tool's own or empty.
pub(crate) fn claim(folder: &Path) -> Result<(), OwnedError> {
    let claimed = again_if_removed(|| {
        if is_own(folder) {
            return Ok(true);
        }
        make(folder)?;
        let is_free = !is_foreign(folder)?;
        if is_free {
            mark(folder)?;
        }
        Ok(is_free)
    });
    match claimed {
        Ok(true) => Ok(()),
        Ok(false) => Err(OwnedError::Foreign(folder.to_owned())),
        Err(error) => Err(OwnedError::Access(folder.to_owned(), error)),
    }
}

fn make(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder).map_err(|error| match error.kind() {
        kind @ (io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory) => {
            io::Error::new(kind, "there is no folder, but something else: move it away")
        }
        _ => error,
    })
}

/// True if others have put something into it, and no tag says that it is the tool's own.
fn is_foreign(folder: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if is_own(folder) {
            return Ok(false);
        }
        // Since it was listed, others may have removed it with the folder, and may have made that anew.
        if is_of_others(&entry)? && !is_own(folder) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// False of what is gone, and of files that are there while some claim or remove a folder.
fn is_of_others(entry: &DirEntry) -> io::Result<bool> {
    let about = match fs::symlink_metadata(entry.path()) {
        Err(error) if is_for_removal(&error) => return Ok(false),
        about => about?,
    };
    let name = entry.file_name();
    let name = name.to_str().unwrap_or_default();
    let is_begun = plain_file::half_written(name).is_some_and(|(file, _)| file == TAG);
    let is_lock = name == LOCK && about.len() == 0;
    // NFS has this name for a file that somebody has open, and that was removed.
    let is_removed = name.starts_with(".nfs");
    Ok(!(about.is_file() && (is_begun || is_lock || is_removed)))
}

/// Does again what found nothing: somebody may have removed the folder meanwhile.
fn again_if_removed<T>(act: impl Fn() -> io::Result<T>) -> io::Result<T> {
    for _ in 0..AGAIN {
        match act() {
            Err(error) if is_for_removal(&error) => {}
            done => return done,
        }
    }
    act()
}

/// True of what fails where somebody removes a folder at this moment. It is there still when it is to be
/// made, and is none any more when that is looked at: another kind of thing in its place is told the same.
fn is_for_removal(error: &io::Error) -> bool {
    use io::ErrorKind::{AlreadyExists, NotFound, StaleNetworkFileHandle};
    matches!(
        error.kind(),
        NotFound | AlreadyExists | StaleNetworkFileHandle
    )
}

/// Says of a folder, which the tool has made, that it is its own.
pub(crate) fn mark(folder: &Path) -> io::Result<()> {
    plain_file::put(&folder.join(TAG), |path| fs::write(path, TEXT))
}

/// Refuses a folder that the tool has not made, unless it is empty or gone.
pub(crate) fn check(folder: &Path) -> Result<(), OwnedError> {
    match is_foreign(folder) {
        Ok(false) => Ok(()),
        Ok(true) => Err(OwnedError::Foreign(folder.to_owned())),
        Err(error) if is_for_removal(&error) => Ok(()),
        Err(error) => Err(OwnedError::Access(folder.to_owned(), error)),
    }
}

/// Removes a part of an own folder, if it is there.
pub(crate) fn remove_part(path: &Path) -> Result<(), OwnedError> {
    remove_any(path).map_err(|error| OwnedError::Access(path.to_owned(), error))
}

/// Removes an own folder, or all that is in it where the folder is a link; the tag goes last, so that a
/// removal that was cut off can be done again. False if there is none.
pub(crate) fn remove(folder: &Path) -> Result<bool, OwnedError> {
    let failed = |error| OwnedError::Access(folder.to_owned(), error);
    if !folder.exists() {
        return Ok(false);
    }
    check(folder)?;
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.file_name() != TAG && entry.file_name() != LOCK {
            remove_any(&entry.path()).map_err(failed)?;
        }
    }
    // A run that waits for the lock claims the folder again.
    for last in [TAG, LOCK] {
        remove_any(&folder.join(last)).map_err(failed)?;
    }
    let left = fs::remove_dir(folder).err();
    let is_done = left.as_ref().is_none_or(|error| match error.kind() {
        // It is gone; it is a link; a file system is mounted there; or the folder that it is in cannot be
        // written to: it is empty all the same.
        io::ErrorKind::NotFound
        | io::ErrorKind::NotADirectory
        | io::ErrorKind::ResourceBusy
        | io::ErrorKind::PermissionDenied
        | io::ErrorKind::ReadOnlyFilesystem => true,
        io::ErrorKind::DirectoryNotEmpty => check(folder).is_ok(),
        _ => false,
    });
    match left {
        Some(error) if !is_done => Err(failed(error)),
        _ => Ok(true),
    }
}

/// Removes a file, a link or a folder, if it is there.
pub(crate) fn remove_any(path: &Path) -> io::Result<()> {
    let about = match fs::symlink_metadata(path) {
        Ok(about) => about,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let remove = || {
        if about.is_dir() {
            fs::remove_dir_all(path)
        } else {
            fs::remove_file(path)
        }
    };
    let removed = match remove() {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied && about.is_dir() => {
            open_up(path);
            remove()
        }
        removed => removed,
    };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Gives itself the right to change a folder and those in it; links lead nowhere.
fn open_up(folder: &Path) {
    let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_up(&entry.path());
        }
    }
}

/// The use of a folder, which others do not remove meanwhile.
#[derive(Debug)]
pub(crate) struct Use(#[expect(dead_code, reason = "it is locked")] File);

/// How a folder is locked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum How {
    /// By one of many users.
    Shared,
    /// By who fills or removes it.
    Alone,
}

/// Claims a folder, and locks it. `waits` is called first if others have to be waited for.
pub(crate) fn use_folder(folder: &Path, waits: &dyn Fn()) -> Result<Use, OwnedError> {
    lock_folder(folder, How::Shared, waits)
}

/// Locks an own folder that is to be removed, or part of it; likewise.
pub(crate) fn lock(folder: &Path, waits: &dyn Fn()) -> Result<Use, OwnedError> {
    lock_folder(folder, How::Alone, waits)
}

fn lock_folder(folder: &Path, how: How, waits: &dyn Fn()) -> Result<Use, OwnedError> {
    loop {
        claim(folder)?;
        let lock = folder.join(LOCK);
        match lock_file(&lock, how, waits) {
            // It was removed meanwhile, or its tag was, which goes before the lock.
            Err(error) if is_for_removal(&error) => {}
            Ok(_) if !is_own(folder) => {}
            locked => return locked.map_err(|error| OwnedError::Access(lock, error)),
        }
    }
}

/// Locks a file in a folder. Both are made if they are not there.
pub(crate) fn lock_in(folder: &Path, file: &Path, how: How, waits: &dyn Fn()) -> io::Result<Use> {
    again_if_removed(|| {
        fs::create_dir_all(folder)?;
        lock_file(file, how, waits)
    })
}

/// Locks a file, which is made if it is not there; the folder is.
pub(crate) fn lock_file(path: &Path, how: How, waits: &dyn Fn()) -> io::Result<Use> {
    loop {
        let file = open(path)?;
        let tried = || match how {
            How::Shared => file.try_lock_shared(),
            How::Alone => file.try_lock(),
        };
        // Nothing is said of waits that are short.
        let mut locked = tried();
        for _ in 0..SHORT {
            if !matches!(locked, Err(TryLockError::WouldBlock)) {
                break;
            }
            thread::sleep(A_MOMENT);
            locked = tried();
        }
        match locked {
            Ok(()) => {}
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) => {
                waits();
                // A signal ends the wait.
                while let Err(TryLockError::WouldBlock) = locked {
                    stop::check()?;
                    thread::sleep(A_MOMENT);
                    locked = tried();
                }
                locked?;
            }
        }
        if is_at(&file, path)? {
            return Ok(Use(file));
        }
    }
}

/// The same of one that nobody uses: none if somebody does, or has removed it meanwhile.
pub(crate) fn lock_unused(path: &Path) -> io::Result<Option<Use>> {
    let file = open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(is_at(&file, path)?.then_some(Use(file))),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// True if the file is there still: it goes with the folder when somebody removes that.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let open = file.metadata()?;
    Ok(fs::metadata(path).is_ok_and(|it| (it.dev(), it.ino()) == (open.dev(), open.ino())))
}

/// On a medium that cannot be written a lock that is there will do.
fn open(path: &Path) -> io::Result<File> {
    plain_file::lockable(path).or_else(|error| {
        if path.is_symlink() {
            return Err(error);
        }
        plain_file::open(path).map_err(|_| error)
    })
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::process::{self, Command, Stdio};

    use super::*;

    fn scratch(name: &str) -> PathBuf {
        let folder = env::temp_dir().join(format!("cct-owned-{name}.{}", process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn a_folder_of_others_is_neither_claimed_nor_removed() {
        let folder = scratch("foreign");
        fs::create_dir_all(&folder).expect("a folder");
        for tag in [
            "",
            "Signature: 8a477f597d28d172789f06886806bc55\n",
            "something else",
        ] {
            fs::write(folder.join("notes"), "mine").expect("a file");
            fs::write(folder.join(TAG), tag).expect("a tag");
            assert!(
                matches!(claim(&folder), Err(OwnedError::Foreign(_))),
                "{tag}"
            );
            assert!(
                matches!(remove(&folder), Err(OwnedError::Foreign(_))),
                "{tag}"
            );
        }
        assert_eq!(
            fs::read_to_string(folder.join("notes")).expect("it is there"),
            "mine"
        );
        fs::remove_dir_all(&folder).expect("removable");
    }

    #[test]
    fn what_has_the_names_of_the_tools_files_may_be_somebodys() {
        let folder = scratch("names");
        for name in [TAG, LOCK] {
            for is_folder in [false, true] {
                let place = folder.join(name);
                let letter = if is_folder {
                    place.join("letter")
                } else {
                    place.clone()
                };
                fs::create_dir_all(letter.parent().expect("it has one")).expect("a folder");
                fs::write(&letter, "mine").expect("a file");
                for refused in [check(&folder), claim(&folder), remove(&folder).map(drop)] {
                    assert!(
                        matches!(refused, Err(OwnedError::Foreign(_))),
                        "{refused:?}"
                    );
                }
                assert_eq!(fs::read_to_string(&letter).expect("it is there"), "mine");
                fs::remove_dir_all(&folder).expect("removable");
            }
        }
    }

    #[test]
    fn an_empty_folder_is_taken_over() {
        let folder = scratch("empty");
        fs::create_dir_all(&folder).expect("a folder");
        check(&folder).expect("nothing is in it");
        drop(lock(&folder, &|| ()).expect("a lock"));
        assert!(is_own(&folder) && remove(&folder).expect("removable"));
        check(&folder).expect("it is gone");
    }

    #[test]
    fn a_file_in_the_place_of_a_folder_is_told_and_stays() {
        let folder = scratch("file");
        for place in [folder.clone(), folder.join("cct")] {
            fs::write(&folder, "mine").expect("a file");
            let Err(OwnedError::Access(_, error)) = claim(&place) else {
                panic!("it is no folder");
            };
            assert!(error.to_string().contains("move it away"), "{error}");
            assert_eq!(fs::read_to_string(&folder).expect("a file"), "mine");
        }
        fs::remove_file(&folder).expect("removable");
    }

    /// A folder is moved aside, a link replaced.
    #[test]
    fn a_lock_takes_the_place_of_folders_and_links() {
        let folder = scratch("lock");
        let lock = folder.join(LOCK);
        claim(&folder).expect("a folder");
        fs::create_dir_all(&lock).expect("a folder");
        drop(super::lock(&folder, &|| {}).expect("a lock of its own"));
        assert!(lock.is_file() && folder.join(".lock.aside").is_dir());
        fs::remove_file(&lock).expect("removable");
        for leads_to in ["/no/such/file", "/proc/self/maps"] {
            std::os::unix::fs::symlink(leads_to, &lock).expect("a link");
            use_folder(&folder, &|| {}).expect("a lock of its own");
            assert!(!lock.is_symlink());
            fs::remove_file(&lock).expect("removable");
        }
        fs::remove_dir_all(&folder).expect("removable");
    }

    #[test]
    fn an_own_folder_is_removed_with_what_is_in_it_and_what_links_lead_to_stays() {
        let (folder, other) = (scratch("own"), scratch("other"));
        fs::create_dir_all(&other).expect("a folder");
        fs::write(other.join("notes"), "mine").expect("a file");
        claim(&folder).expect("it is new");
        claim(&folder).expect("it is its own");
        fs::create_dir_all(folder.join("deep/er")).expect("a folder");
        std::os::unix::fs::symlink(&other, folder.join("link")).expect("a link");
        assert!(remove(&folder).expect("removable"));
        assert!(!folder.exists() && other.join("notes").exists());
        assert!(!remove(&folder).expect("nothing is there"));
        fs::remove_dir_all(&other).expect("removable");
    }

    #[test]
    #[expect(unsafe_code, reason = "a system call that std lacks")]
    fn folders_without_permissions_are_removed() {
        let folder = scratch("closed");
        // Root may do all; a thread of its may be somebody else's to file systems.
        let somebody = thread::spawn(move || {
            // SAFETY: touches no memory, and no other thread.
            unsafe { libc::syscall(libc::SYS_setfsuid, 4711) };
            claim(&folder).expect("it is new");
            let (outer, inner) = (folder.join("run"), folder.join("run/1/board"));
            fs::create_dir_all(&inner).expect("a folder");
            fs::write(inner.join("file"), "").expect("a file");
            for closed in [&inner, &outer] {
                let closed = fs::set_permissions(closed, fs::Permissions::from_mode(0o0));
                closed.expect("it is its own");
            }
            assert!(fs::read_dir(&outer).is_err());
            assert!(remove(&folder).expect("removable"));
            assert!(!folder.exists());
        });
        somebody.join().expect("it is removed");
    }

    /// Each process comes to its end as if it were alone.
    #[test]
    fn some_make_and_use_a_folder_while_others_remove_it() {
        const BUSY: &str = "CCT_BUSY_FOLDER";
        if let Some(folder) = env::var_os(BUSY) {
            return make_use_and_remove(Path::new(&folder));
        }
        let folder = scratch("busy");
        let begin = |_| {
            let name = thread::current().name().expect("a test has one").to_owned();
            let mut again = Command::new(env::current_exe().expect("this one"));
            again.args(["--exact", &name]).env(BUSY, &folder);
            again
                .stdout(Stdio::piped())
                .spawn()
                .expect("it can be started")
        };
        let all = [0, 1, 2, 3].map(begin);
        for one in all {
            let ended = one.wait_with_output().expect("it ends");
            assert!(ended.status.success(), "{ended:#?}");
        }
        remove(&folder).expect("removable");
        assert!(!folder.exists());
    }

    fn make_use_and_remove(folder: &Path) {
        let file = folder.join(process::id().to_string());
        for _ in 0..60 {
            let used = use_folder(folder, &|| ()).expect("a folder");
            fs::write(&file, "").expect("a file");
            thread::yield_now();
            assert!(file.exists() && is_own(folder));
            drop(used);
            check(folder).expect("it is our own, or gone");
            let _alone = lock(folder, &|| ()).expect("a lock");
            remove(folder).expect("removable");
        }
    }

    #[test]
    fn a_folder_that_is_a_link_is_emptied() {
        let (folder, link) = (scratch("target"), scratch("link"));
        let _ = fs::remove_file(&link);
        claim(&folder).expect("it is new");
        fs::write(folder.join("built"), "").expect("a file");
        std::os::unix::fs::symlink(&folder, &link).expect("a link");
        assert!(remove(&link).expect("removable"));
        assert_eq!(fs::read_dir(&folder).expect("it is there").count(), 0);
        fs::remove_file(&link).expect("removable");
        fs::remove_dir_all(&folder).expect("removable");
    }
}
