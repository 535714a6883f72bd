//! Files that somebody else may have put there: they are read whole, or refused unread.
//!
//! A named pipe would be waited for, a device may have no end, and a file of terabytes does not fit.

use std::fs::{self, File, Metadata};
use std::io::{self, Read as _};
use std::iter;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use crate::maker::Maker;

/// The largest file that is read: a trace of the longest schedule is a fraction of it.
const MOST: u64 = 1 << 30;

/// Reads a plain file.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let mut bytes = Vec::new();
    file.take(MOST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The same of a text.
pub(crate) fn read_to_string(path: &Path) -> io::Result<String> {
    let text = String::from_utf8(read(path)?);
    text.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Copies a plain file, as with [`put`].
pub(crate) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    check(&fs::metadata(from)?)?;
    put(to, |path| fs::copy(from, path).map(drop))
}

/// The moment of a file's last change, in seconds with all that the file system has behind the point.
pub(crate) fn changed_at(about: &Metadata) -> String {
    format!("{}.{}", about.mtime(), about.mtime_nsec())
}

/// Makes a folder, unless there is one. Anything else in its place, a link for one, is moved aside, and told.
pub(crate) fn folder(path: &Path) -> io::Result<()> {
    let is_folder = |path: &Path| fs::symlink_metadata(path).map(|about| about.is_dir());
    if is_folder(path).is_ok_and(|it| !it) {
        let aside = move_aside(path)?;
        if is_folder(&aside)? {
            // Another one had made it meanwhile.
            fs::rename(aside, path)?;
        }
    }
    fs::create_dir_all(path)
}

/// Has a file written beside, and moves it into its place: a reader finds the old one or the new one. A link
/// is replaced; a folder is moved aside, with what somebody has put into it.
pub(crate) fn put(path: &Path, write: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
    let beside = &beside(path);
    let written = write(beside).and_then(|()| match fs::rename(beside, path) {
        Err(error) if error.kind() == io::ErrorKind::IsADirectory => {
            move_aside(path).and_then(|_| fs::rename(beside, path))
        }
        moved => moved,
    });
    if written.is_err() {
        // A part of the file is of no use to anybody, and others have need of the room.
        let _ = fs::remove_file(beside);
    }
    written
}

/// Gives it the name that has `.aside` behind it, or the first with a number that is free, and tells that.
/// Returns the name.
fn move_aside(path: &Path) -> io::Result<PathBuf> {
    let name = aside(path);
    fs::rename(path, &name)?;
    crate::report::remark_line!(
        "warning: in the place of `{}` was something that cargo-cct had not put there: it is `{}` now",
        path.display(),
        name.display()
    );
    Ok(name)
}

fn aside(path: &Path) -> PathBuf {
    let names = (0..).map(|number| match number {
        0 => with_end(path, ".aside"),
        number => with_end(path, &format!(".aside{number}")),
    });
    let mut free = names.filter(|name| fs::symlink_metadata(name).is_err());
    free.next().expect("some number is free")
}

/// True if something has this name since it was in the place of ours.
pub(crate) fn is_aside(name: &str) -> bool {
    let number = name.rsplit_once(".aside").map(|(_, number)| number);
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The name beside it that this process has for what is not there yet, or no longer.
pub(crate) fn beside(path: &Path) -> PathBuf {
    with_end(path, &format!(".tmp-{}", Maker::own()))
}

/// The file that has such a name until it is whole, and the process that sees to that.
pub(crate) fn half_written(name: &str) -> Option<(&str, Maker)> {
    let (before, maker) = Maker::at_end(name)?;
    Some((before.strip_suffix(".tmp-")?, maker))
}

/// The path with this behind it.
pub(crate) fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.to_owned().into_os_string();
    name.push(end);
    PathBuf::from(name)
}

/// The same of a file that the user names. A link stays, and so does what is no plain file, as a device or a
/// pipe: that is written into.
pub(crate) fn replace(path: &Path, write: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
    match replaceable(path) {
        Some(file) => put(&file, write),
        None => write(path),
    }
}

/// The plain file that is there, or can be; none if it is something else.
pub(crate) fn replaceable(path: &Path) -> Option<PathBuf> {
    match fs::canonicalize(path) {
        Ok(file) => file.is_file().then_some(file),
        Err(_) => Some(end_of_links(path)),
    }
}

/// The place to which a link leads where there is nothing yet.
fn end_of_links(path: &Path) -> PathBuf {
    let follow = |path: &PathBuf| {
        let next = fs::read_link(path).ok()?;
        Some(path.parent().unwrap_or(Path::new("")).join(next))
    };
    // As many as the kernel follows.
    let places = iter::successors(Some(path.to_owned()), follow).take(40);
    places.last().unwrap_or_default()
}

/// Makes a file to be locked, unless there is one. A link in its place is removed, and so is a pipe or the
/// like: it may lead nowhere, or to something of the user's. A folder is moved aside.
pub(crate) fn lockable(path: &Path) -> io::Result<File> {
    match fs::symlink_metadata(path) {
        Ok(there) => {
            if let Err(refused) = check(&there)
                && (there.is_file() || clear(path).is_err())
            {
                return Err(refused);
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    // NFS has both kinds of locks only for a file that is open for both.
    File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .custom_flags(libc::O_NOFOLLOW)
        .open(path)
}

/// Removes what is no plain file, but for folders. A file that somebody has put there meanwhile, and may have
/// locked, comes back.
fn clear(path: &Path) -> io::Result<()> {
    let taken = &beside(path);
    match fs::rename(path, taken) {
        // Another one has cleared it.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        moved => moved?,
    }
    let kind = fs::symlink_metadata(taken)?.file_type();
    if kind.is_file() {
        fs::rename(taken, path)
    } else if kind.is_dir() {
        fs::rename(taken, aside(path))
    } else {
        fs::remove_file(taken)
    }
}

/// Opens a plain file to read it.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    // Before it is opened: that alone may do something to a device.
    check(&fs::metadata(path)?)?;
    let mut options = File::options();
    // A pipe that has come into its place since is not waited for.
    let file = options
        .read(true)
        .custom_flags(libc::O_NONBLOCK)
        .open(path)?;
    check(&file.metadata()?)?;
    Ok(file)
}

fn check(metadata: &Metadata) -> io::Result<()> {
    let kind = metadata.file_type();
    let what = if kind.is_file() {
        if metadata.len() <= MOST {
            return Ok(());
        }
        format!(
            "a file of {} bytes, more than is ever written",
            metadata.len()
        )
    } else if kind.is_dir() {
        "a folder, and no file".to_owned()
    } else if kind.is_fifo() {
        "a named pipe, and no file".to_owned()
    } else if kind.is_socket() {
        "a socket, and no file".to_owned()
    } else if kind.is_symlink() {
        "a link, and no file".to_owned()
    } else {
        "a device, and no file".to_owned()
    };
    Err(io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("it is {what}: remove it"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_files_are_replaced() {
        let folder = std::env::temp_dir().join(format!("cct-replaced-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let (file, link, nowhere) = (folder.join("file"), folder.join("link"), folder.join("new"));
        fs::write(&file, "before").expect("a file");
        std::os::unix::fs::symlink(&file, &link).expect("a link");
        let (later, far) = (folder.join("later"), folder.join("far"));
        std::os::unix::fs::symlink("far", &later).expect("a link");
        for path in [&file, &link, &nowhere, &later] {
            let text = path.to_str().expect("text");
            replace(path, |beside| fs::write(beside, text)).expect("written");
            assert_eq!(fs::read_to_string(path).expect("a file"), text);
        }
        assert!(link.is_symlink() && later.is_symlink() && far.is_file());
        let null = folder.join("null");
        std::os::unix::fs::symlink("/dev/null", &null).expect("a link");
        replace(&null, |it| fs::write(it, "text")).expect("written");
        assert!(null.is_symlink() && !Path::new("/dev/null").is_file());
        replace(&folder, |it| fs::write(it, "text")).expect_err("a folder");
        let failed = |beside: &Path| fs::write(beside, "text").and(Err(io::Error::other("no")));
        replace(&file, failed).expect_err("no");
        assert_eq!(fs::read_dir(&folder).expect("it is there").count(), 6);
        fs::remove_dir_all(&folder).expect("it is ours");
    }

    #[test]
    fn folders_are_moved_aside_whole() {
        let folder = std::env::temp_dir().join(format!("cct-aside-{}", std::process::id()));
        let file = folder.join("trace.json");
        for text in ["first", "second"] {
            let _ = fs::remove_file(&file);
            fs::create_dir_all(&file).expect("a folder");
            fs::write(file.join("mine"), text).expect("a file");
            put(&file, |beside| fs::write(beside, text)).expect("written");
            assert_eq!(fs::read_to_string(&file).expect("a file"), text);
        }
        for (aside, text) in [
            ("trace.json.aside", "first"),
            ("trace.json.aside1", "second"),
        ] {
            let mine = fs::read_to_string(folder.join(aside).join("mine"));
            assert_eq!(mine.expect("a file"), text);
        }
        fs::remove_dir_all(&folder).expect("it is ours");
    }

    #[test]
    fn a_folder_takes_the_place_of_what_is_none() {
        let place = std::env::temp_dir().join(format!("cct-folder-{}", std::process::id()));
        let (mine, ours) = (place.join("mine"), place.join("ours"));
        fs::create_dir_all(&mine).expect("a folder");
        fs::write(mine.join("letter"), "mine").expect("a file");
        let links = ["mine", "nothing", "ours"].map(Some);
        for (number, link) in links.into_iter().chain([None]).enumerate() {
            match link {
                Some(link) => std::os::unix::fs::symlink(link, &ours),
                None => fs::write(&ours, "mine, too"),
            }
            .expect("there is nothing");
            for _ in 0..2 {
                folder(&ours).expect("a folder");
                assert!(!ours.is_symlink() && ours.is_dir(), "{link:?}");
            }
            fs::write(ours.join("file"), "").expect("a file");
            assert_eq!(fs::read_dir(&mine).expect("a folder").count(), 1);
            // The folder itself, and what was moved aside.
            assert_eq!(fs::read_dir(&place).expect("it").count(), number + 3);
            fs::remove_dir_all(&ours).expect("it is ours");
        }
        let aside = fs::read_to_string(place.join("ours.aside3")).expect("the file");
        assert_eq!(aside, "mine, too");
        fs::remove_dir_all(&place).expect("it is ours");
    }

    #[test]
    fn a_lock_takes_the_place_of_anything() {
        let folder = std::env::temp_dir().join(format!("cct-lockable-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let (lock, letter) = (folder.join("lock"), folder.join("letter"));
        fs::write(&letter, "mine").expect("a file");
        for target in ["letter", "nothing", "/dev/null", "."] {
            std::os::unix::fs::symlink(target, &lock).expect("a link");
            lockable(&lock).expect("a file");
            let made = fs::symlink_metadata(&lock).expect("it is there");
            assert!(made.is_file() && made.len() == 0, "{target}");
            fs::remove_file(&lock).expect("a file");
        }
        assert_eq!(fs::read_to_string(&letter).expect("a file"), "mine");
        fs::create_dir(&lock).expect("a folder");
        fs::write(lock.join("letter"), "mine, too").expect("a file");
        lockable(&lock).expect("a file");
        assert!(fs::symlink_metadata(&lock).expect("it is there").is_file());
        let aside = fs::read_to_string(folder.join("lock.aside/letter"));
        assert_eq!(aside.expect("the folder is moved"), "mine, too");
        assert_eq!(fs::read_dir(&folder).expect("it is there").count(), 3);
        fs::remove_dir_all(&folder).expect("it is ours");
    }

    #[test]
    fn only_plain_files_are_read() {
        let folder = std::env::temp_dir().join(format!("cct-plain-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let file = folder.join("file");
        fs::write(&file, "text").expect("a file");
        assert_eq!(read(&file).expect("it is plain"), b"text");
        let huge = folder.join("huge");
        let made = File::create(&huge).and_then(|file| file.set_len(MOST + 1));
        made.expect("a file with a hole");
        for (path, why) in [
            (Path::new("/dev/zero"), "a device"),
            (&folder, "a folder"),
            (&huge, "more than is ever written"),
        ] {
            let error = read(path).expect_err("it is refused").to_string();
            assert!(error.contains(why), "{error}");
        }
        fs::remove_dir_all(&folder).expect("it is ours");
    }
}
