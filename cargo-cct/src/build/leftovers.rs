//! Removes from `<target>/cct` what killed processes have left there half written, and what nobody has used
//! for long.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::owned;
use crate::forgotten::is_forgotten;
use crate::plain_file;

/// The folder of shadow trees.
pub(super) const SHADOW: &str = "shadow";
/// The folder of tables that say whose code is where.
pub(super) const ORIGINS: &str = "origins";

/// Cargo would read a device or a pipe in their place to its end.
const READ_BY_CARGO: [&str; 2] = [".rustc_info.json", "CACHEDIR.TAG"];

/// Removes it. Nothing that cannot be removed is a reason to stop.
pub(crate) fn sweep(target: &Path) {
    half_written(target);
    for path in READ_BY_CARGO.map(|name| target.join(name)) {
        if fs::metadata(&path).is_ok_and(|it| !it.is_file() && !it.is_dir()) {
            let _ = owned::remove_any(&path);
        }
    }
    for folder in folders(target) {
        half_written(&folder);
    }
    for tree in folders(&target.join(SHADOW)) {
        let [lock, index] = files_of(&tree);
        if !is_forgotten(if lock.exists() { &lock } else { &tree }) {
            continue;
        }
        // Held until all is gone: a build may be about to take the tree.
        if let Ok(held) = plain_file::lockable(&lock)
            && held.try_lock().is_ok()
        {
            for part in [&tree, &index, &lock] {
                let _ = owned::remove_any(part);
            }
        }
    }
    for table in own_entries(&target.join(ORIGINS)) {
        if is_forgotten(&table) {
            let _ = owned::remove_any(&table);
        }
    }
}

/// The lock and the index of a shadow tree, whose name may have dots.
pub(super) fn files_of(tree: &Path) -> [PathBuf; 2] {
    [".lock", ".index"].map(|end| plain_file::with_end(tree, end))
}

/// Notes that something is used, for [`sweep`]. In vain where times cannot be set: then it is made again
/// some day.
pub(super) fn note_use(path: &Path) {
    let _ = plain_file::open(path).and_then(|file| file.set_modified(SystemTime::now()));
}

/// Has nothing be there but what the tool would put there: a file, or a folder of its own.
pub(super) fn clear_place(path: &Path, is_folder: bool) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(there) if (is_folder && there.is_dir()) || (!is_folder && there.is_file()) => Ok(()),
        Ok(_) => owned::remove_any(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

fn half_written(folder: &Path) {
    for path in entries(folder) {
        let name = path.file_name().and_then(|name| name.to_str());
        let begun = name.and_then(plain_file::half_written);
        if begun.is_some_and(|(_, maker)| maker.has_left(&path)) {
            let _ = owned::remove_any(&path);
        }
    }
}

fn folders(folder: &Path) -> impl Iterator<Item = PathBuf> {
    own_entries(folder).filter(|path| is_real_folder(path))
}

/// The entries of a folder that is none of somebody else's, to which a link leads.
fn own_entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let is_own = is_real_folder(folder);
    is_own.then(|| entries(folder)).into_iter().flatten()
}

fn is_real_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|it| it.is_dir())
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path())
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::forgotten::FORGOTTEN;
    use crate::maker::Maker;

    #[test]
    fn what_killed_processes_have_left_goes_and_nothing_else() {
        let target = std::env::temp_dir().join(format!("cct-leftovers.{}", std::process::id()));
        let _ = fs::remove_dir_all(&target);
        let (gone, elsewhere) = (Maker::gone(), Maker::elsewhere());
        let left = [
            format!("shadow/checks.tmp-{gone}/libx.rmeta"),
            format!("shadow/.x-1.index.tmp-{gone}"),
            format!("origins/1234.tmp-{gone}"),
            format!("CACHEDIR.TAG.tmp-{gone}"),
        ];
        let stay = [
            "shadow/checks-mine".to_owned(),
            "notes-9999999".to_owned(),
            "notes.tmp-9999999".to_owned(),
            format!("failures/2222-22/notes.tmp-{gone}"),
            format!("shadow/checks.tmp-{}", Maker::own()),
            format!("shadow/checks.tmp-{elsewhere}"),
        ];
        for file in left.iter().chain(&stay) {
            let path = target.join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, "").expect("a file");
        }
        for name in [".rustc_info.json", "mine"] {
            let made = Command::new("mkfifo").arg(target.join(name)).status();
            assert!(made.expect("`mkfifo` can be run").success());
        }
        sweep(&target);
        assert!(!target.join(".rustc_info.json").exists() && target.join("mine").exists());
        for file in &left {
            assert!(!target.join(file).exists(), "{file}");
        }
        for file in &stay {
            assert!(target.join(file).exists(), "{file}");
        }
        assert!(!target.join(format!("shadow/checks.tmp-{gone}")).exists());
        fs::remove_dir_all(&target).expect("removable");
    }

    #[test]
    fn folders_to_which_links_lead_stay_as_they_are() {
        let place = std::env::temp_dir().join(format!("cct-linked.{}", std::process::id()));
        let _ = fs::remove_dir_all(&place);
        let (target, foreign) = (place.join("target"), place.join("foreign"));
        for folder in [&target, &foreign.join("tree"), &foreign.join("2222-22")] {
            fs::create_dir_all(folder).expect("a folder");
        }
        let gone = Maker::gone();
        let files = [
            "old".to_owned(),
            "tree.lock".to_owned(),
            format!("tree/x.tmp-{gone}"),
            format!("x.tmp-{gone}"),
            format!("2222-22/trace.json.tmp-{gone}"),
        ];
        for file in &files {
            let file = fs::File::create(foreign.join(file)).expect("a file");
            let time = SystemTime::now() - 2 * FORGOTTEN;
            file.set_modified(time).expect("a time");
        }
        for folder in [SHADOW, ORIGINS, "failures", "run"] {
            std::os::unix::fs::symlink(&foreign, target.join(folder)).expect("a link");
        }
        sweep(&target);
        for file in &files {
            assert!(foreign.join(file).exists(), "{file}");
        }
        fs::remove_dir_all(&place).expect("removable");
    }

    #[test]
    fn trees_and_tables_that_nobody_has_used_for_long_go() {
        let target = std::env::temp_dir().join(format!("cct-forgotten.{}", std::process::id()));
        let _ = fs::remove_dir_all(&target);
        for (name, is_old) in [("a-1.40.1-0f", true), ("a-1.40.2-0f", true), ("b-2", false)] {
            fs::create_dir_all(target.join(SHADOW).join(name).join("home")).expect("a folder");
            fs::create_dir_all(target.join(ORIGINS)).expect("a folder");
            for file in [
                target.join(SHADOW).join(format!("{name}.lock")),
                target.join(SHADOW).join(format!("{name}.index")),
                target.join(ORIGINS).join(name),
            ] {
                fs::write(&file, "").expect("a file");
                if is_old {
                    let opened = fs::File::options().write(true).open(&file);
                    let time = SystemTime::now() - 2 * FORGOTTEN;
                    opened.and_then(|it| it.set_modified(time)).expect("a time");
                }
            }
        }
        sweep(&target);
        let names = |folder: &str| {
            let mut names: Vec<PathBuf> = entries(&target.join(folder)).collect();
            names.sort();
            names
        };
        let b = ["b-2", "b-2.index", "b-2.lock"].map(|name| target.join(SHADOW).join(name));
        assert_eq!(names(SHADOW), b);
        assert_eq!(names(ORIGINS), [target.join(ORIGINS).join("b-2")]);
        fs::remove_dir_all(&target).expect("removable");
    }
}
