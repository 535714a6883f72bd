//! The tool's part of the target folder, when something else has been at it: it heals, or a message names
//! the command that heals it. Nothing of the user's is changed for that.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};
use std::{fs, io};

use cct_tests::support::{Finished, Workspace};

use crate::explored::text;
use crate::leftovers::gone_process;

/// All entries of a folder, by paths.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("it is there").flatten();
    entries.map(|entry| entry.path()).collect()
}

/// The folders of shadow trees.
fn trees(own: &Path) -> Vec<PathBuf> {
    let mut trees = entries(&own.join("shadow"));
    trees.retain(|path| path.is_dir());
    assert!(!trees.is_empty(), "the fixture is rewritten");
    trees
}

fn with_end(folder: &Path, end: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in entries(folder) {
        let about = fs::symlink_metadata(&path).expect("it is there");
        if about.is_dir() {
            found.extend(with_end(&path, end));
        } else if about.is_file() && path.to_string_lossy().ends_with(end) {
            found.push(path);
        }
    }
    found
}

fn put_pipe(path: &Path) {
    let _ = fs::remove_file(path);
    let made = Command::new("mkfifo").arg(path).status();
    assert!(made.expect("`mkfifo` can be run").success());
}

fn replace(path: &Path, put: impl FnOnce(&Path) -> io::Result<()>) {
    let removed = fs::remove_dir_all(path).or_else(|_| fs::remove_file(path));
    removed.and_then(|()| put(path)).expect("it was there");
}

/// The path with this behind it.
fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

type Damage = fn(&Path, &Path);

const DAMAGES: [(&str, Damage); 25] = [
    ("a pipe for what cargo knows of the compiler", |own, _| {
        put_pipe(&own.join(".rustc_info.json"));
    }),
    ("a device for that", |own, _| {
        fs::remove_file(own.join(".rustc_info.json")).expect("a file");
        symlink("/dev/zero", own.join(".rustc_info.json")).expect("a link");
    }),
    ("no trees", |own, _| {
        fs::remove_dir_all(own.join("shadow")).expect("a folder");
    }),
    ("a file for all trees", |own, _| {
        fs::remove_dir_all(own.join("shadow")).expect("a folder");
        fs::write(own.join("shadow"), "no folder").expect("a file");
    }),
    ("a link for all trees", |own, garden| {
        fs::remove_dir_all(own.join("shadow")).expect("a folder");
        symlink(garden, own.join("shadow")).expect("a link");
    }),
    ("empty trees", |own, _| {
        for tree in trees(own) {
            fs::remove_dir_all(&tree)
                .and_then(|()| fs::create_dir(&tree))
                .expect("a folder");
        }
    }),
    ("links for trees", |own, garden| {
        for tree in trees(own) {
            fs::remove_dir_all(&tree).expect("a folder");
            symlink(garden, &tree).expect("a link");
        }
    }),
    ("truncated copies", |own, _| {
        for file in trees(own).iter().flat_map(|tree| with_end(tree, ".rs")) {
            fs::write(file, "").expect("a file");
        }
    }),
    ("other copies", |own, _| {
        for file in trees(own).iter().flat_map(|tree| with_end(tree, ".rs")) {
            fs::write(file, "compile_error!(\"not the user's\");").expect("a file");
        }
    }),
    ("half of the copies, and others beside them", |own, _| {
        for tree in trees(own) {
            fs::write(tree.join("foreign.rs"), "fn foreign() {}").expect("a file");
            for file in with_end(&tree, ".rs").into_iter().step_by(2) {
                fs::remove_file(file).expect("a file");
            }
        }
    }),
    ("pipes for indices and locks", |own, _| {
        for tree in trees(own) {
            put_pipe(&beside(&tree, ".index"));
            put_pipe(&beside(&tree, ".lock"));
        }
    }),
    ("links for locks", |own, garden| {
        for tree in trees(own) {
            fs::remove_file(beside(&tree, ".lock")).expect("a file");
            symlink(garden.join("letter"), beside(&tree, ".lock")).expect("a link");
        }
    }),
    ("links for the locks of all", |own, garden| {
        for (lock, to) in [
            (own.join(".lock"), garden.join("letter")),
            (own.join("failures/.lock"), garden.join("nothing")),
        ] {
            let _ = fs::remove_file(&lock);
            symlink(to, &lock).expect("a link");
        }
    }),
    ("folders for the locks of all", |own, _| {
        for lock in [own.join(".lock"), own.join("failures/.lock")] {
            replace(&lock, |path| fs::create_dir(path));
        }
    }),
    ("a pipe for the lock of all", |own, _| {
        put_pipe(&own.join(".lock"));
    }),
    ("an index that is no JSON", |own, _| {
        for tree in trees(own) {
            fs::write(beside(&tree, ".index"), "{").expect("a file");
        }
    }),
    ("tables cut off", |own, _| {
        for table in entries(&own.join("origins")) {
            let text = fs::read(&table).expect("a file");
            fs::write(&table, &text[..text.len() / 2]).expect("a file");
        }
    }),
    ("folders for tables", |own, _| {
        for table in entries(&own.join("origins")) {
            fs::remove_file(&table)
                .and_then(|()| fs::create_dir(&table))
                .expect("a folder");
        }
    }),
    ("empty notes", |own, _| {
        for note in with_end(own, ".cct") {
            fs::write(note, "").expect("a file");
        }
    }),
    ("links for notes", |own, garden| {
        for note in with_end(own, ".cct") {
            fs::remove_file(&note).expect("a file");
            symlink(garden.join("letter"), &note).expect("a link");
        }
    }),
    ("links for other folders", |own, garden| {
        for folder in ["origins", "run"] {
            replace(&own.join(folder), |path| symlink(garden, path));
        }
    }),
    ("links to nowhere for folders", |own, garden| {
        for folder in ["failures", "origins", "run"] {
            let nowhere = garden.join("nothing");
            replace(&own.join(folder), |path| symlink(nowhere, path));
        }
    }),
    ("files for folders", |own, _| {
        for folder in ["failures", "origins", "run"] {
            replace(&own.join(folder), |path| fs::write(path, "no folder"));
        }
    }),
    ("links for failures", |own, garden| {
        for failure in entries(&own.join("failures")) {
            replace(&failure, |path| symlink(garden, path));
        }
    }),
    ("no notes", |own, _| {
        for note in with_end(own, ".cct") {
            fs::remove_file(note).expect("a file");
        }
    }),
];

#[test]
fn what_was_damaged_heals() {
    let workspace = Workspace::of_fixture("drills");
    let elsewhere = Workspace::empty(None);
    elsewhere.write("letter", "mine");
    elsewhere.write("src/lib.rs", "fn mine() {}");
    let (own, garden) = (workspace.path("target/cct"), elsewhere.path(""));
    let source = workspace.read("src/lib.rs");
    let args = ["--lib", "--iterations=300"];
    let found = |what: &str, is_changed: bool| {
        if is_changed {
            workspace.write("src/lib.rs", &format!("{source}// {what}\n"));
        }
        let events = workspace.explore(&args, 100);
        let ended = events.ended();
        assert_eq!(ended.len(), 2, "{what}");
        for (test, ended) in ended {
            assert_eq!(ended["controlled"], true, "{what}: {test}: {ended:#}");
        }
        let lost = events.test("drilled tests::a_store_is_lost");
        text(&lost["failure"]["id"]).to_owned()
    };
    found("as ever", true);
    for (what, damage) in DAMAGES {
        damage(&own, &garden);
        // It is looked at when something is built.
        for is_changed in [false, true] {
            let id = found(what, is_changed);
            Finished::of(workspace.cct().args(["replay", &id])).expect(100);
        }
        for file in trees(&own).iter().flat_map(|tree| with_end(tree, "lib.rs")) {
            let text = fs::read_to_string(&file).expect("text");
            let is_well = text.contains("a_store_is_lost");
            assert!(is_well, "{what}: {}: {text}", file.display());
        }
        assert_eq!(entries(&garden).len(), 2, "{what}");
        assert_eq!(elsewhere.read("letter"), "mine", "{what}");
        assert_eq!(elsewhere.read("src/lib.rs"), "fn mine() {}", "{what}");
    }
}

/// Nobody can say whose the folder is then.
#[test]
fn a_pipe_for_the_tag_is_told() {
    let workspace = Workspace::of_fixture("drills");
    let args = ["--lib", "--iterations=10", "nothing_is_found"];
    workspace.test(&args, 0);
    put_pipe(&workspace.path("target/cct/CACHEDIR.TAG"));
    let ended = Finished::of(workspace.cct().arg("test").args(args));
    ended.expect(96);
    assert!(
        ended.stderr.contains("was not made by cargo-cct"),
        "{ended:#?}"
    );
}

/// A build that was killed has left a folder, and files half written.
#[test]
fn what_a_killed_build_has_left_is_removed() {
    let workspace = Workspace::of_fixture("drills");
    let args = ["--lib", "--iterations=10", "nothing_is_found"];
    workspace.test(&args, 0);
    let gone = gone_process();
    let checks = format!("target/cct/shadow/checks.tmp-{gone}");
    let left = [
        format!("{checks}/lib.rmeta"),
        format!("target/cct/origins/1234.tmp-{gone}"),
        format!("target/cct/failures/7f3k-q2/trace.json.tmp-{gone}"),
    ];
    for file in &left {
        workspace.write(file, "half");
    }
    workspace.test(&args, 0);
    for file in &left {
        assert!(!workspace.path(file).exists(), "{file}");
    }
    assert!(!workspace.path(&checks).exists());
}

/// Failures that were seen long ago go, and this is said once; what is kept or was added to stays.
#[test]
fn failures_that_nobody_has_seen_for_long_are_removed() {
    let workspace = Workspace::of_fixture("drills");
    let found = workspace.explore(&["--lib", "a_store_is_lost"], 100);
    let id = text(&found.test("drilled tests::a_store_is_lost")["failure"]["id"]).to_owned();
    let folder = |id: &str| workspace.path(&format!("target/cct/failures/{id}"));
    let copy = |to: &str| {
        let copied = Command::new("cp")
            .arg("-a")
            .args([folder(&id), folder(to)])
            .status();
        assert!(copied.expect("`cp` can be run").success());
        let time = SystemTime::now() - Duration::from_hours(61 * 24);
        let file = fs::File::options()
            .write(true)
            .open(folder(to).join("trace.json"));
        file.and_then(|file| file.set_modified(time))
            .expect("a time");
    };
    copy("2222-22");
    copy("3333-33");
    workspace.write("target/cct/failures/3333-33/notes.txt", "mine");
    copy("4444-44");
    let record = workspace.read("target/cct/failures/4444-44/trace.json");
    assert!(record.contains(&id));
    Finished::of(workspace.cct().args(["keep", &id])).expect(0);
    let kept = entries(&workspace.path("cct-regressions"));
    let text = fs::read_to_string(&kept[0]).expect("text");
    fs::write(&kept[0], text.replace(&id, "4444-44")).expect("a file");

    let run = || {
        Finished::of(
            workspace
                .cct()
                .args(["test", "--lib", "nothing_is_found", "--iterations=9"]),
        )
    };
    let first = run();
    first.expect(0);
    assert_eq!(
        first.stderr.matches("Removed 1 failure of ").count(),
        1,
        "{first:#?}"
    );
    assert!(!folder("2222-22").exists());
    for stays in ["3333-33", "4444-44", &id] {
        assert!(folder(stays).join("trace.json").exists(), "{stays}");
    }
    assert!(!run().stderr.contains("Removed"));
}
