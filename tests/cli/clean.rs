//! `clean`: all that is the tool's own goes, and nothing else.

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};

use cct_tests::support::{Finished, Workspace};

/// Cleans, with this cache.
fn clean(workspace: &Workspace, cache: &Path, args: &[&str], code: i32) -> String {
    let mut command = workspace.cct();
    let finished = Finished::of(command.env("CCT_CACHE_DIR", cache).arg("clean").args(args));
    finished.expect(code);
    finished.stderr
}

#[test]
fn clean_removes_what_was_found_and_what_was_built() {
    let workspace = Workspace::of_fixture("with spaces");
    let exists = |path: &str| workspace.path(path).exists();
    let cache = workspace.path("cache of its own");
    let clean = |args: &[&str]| clean(&workspace, &cache, args, 0);
    workspace.test(&["a_store_is_lost"], 100);
    workspace.write("target/debug/something", "of plain cargo");

    let told = clean(&["--failures"]);
    assert!(
        told.contains("removed") && told.contains("failures"),
        "{told}"
    );
    assert!(!exists("target/cct/failures") && exists("target/cct"));
    workspace.write("elsewhere/letter", "mine");
    let link = workspace.path("target/cct/failures");
    std::os::unix::fs::symlink("../../elsewhere", &link).expect("a link");
    let told = clean(&["--failures"]);
    assert!(
        told.contains("which is a link") && !link.is_symlink(),
        "{told}"
    );
    assert!(exists("elsewhere/letter"));
    // One that leads nowhere is moved aside, which is told.
    std::os::unix::fs::symlink("../../nowhere", &link).expect("a link");
    let found = workspace.test(&["a_store_is_lost"], 100);
    assert!(found.stderr.contains("failures.aside"), "{found:#?}");
    clean(&[]);
    assert!(!exists("target/cct") && exists("target/debug/something"));
    // There is nothing left to remove, and nothing is said against that.
    clean(&[]);
    clean(&["--cache", "--quiet"]);
}

/// Each comes to its end as if it were alone, whichever was quicker.
#[test]
fn several_at_once_do_not_stumble_over_each_other() {
    let workspace = Workspace::of_fixture("configured");
    workspace.test(&["--lib", "--no-run"], 0);
    let cache = workspace.path("cache of its own");
    let begin = || {
        let mut command = workspace.cct();
        command
            .env("CCT_CACHE_DIR", &cache)
            .args(["clean", "--cache"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("it can be started")
    };
    let all: Vec<Child> = (0..6).map(|_| begin()).collect();
    for one in all {
        let ended = one.wait_with_output().expect("it ends");
        assert!(ended.status.success(), "{ended:#?}");
    }
    assert!(!workspace.path("target/cct").exists());
}

/// Some have names that the cache might have as well.
const FILES: [&str; 5] = [
    "letter.txt",
    "photos/one.jpg",
    "bin/tool",
    "0cc948363fb9882d/lib/mine",
    "x.lock",
];

#[test]
fn a_folder_of_the_users_is_no_cache_to_remove() {
    let workspace = Workspace::of_fixture("configured");
    let cache = Workspace::empty(Some("home"));
    for file in FILES {
        cache.write(file, "mine");
    }
    let told = clean(&workspace, &cache.path(""), &["--cache"], 0);
    assert!(told.contains("removed 0 entries of the cache"), "{told}");
    for file in FILES {
        assert_eq!(cache.read(file), "mine");
    }
}

#[test]
fn a_target_folder_that_others_have_made_is_neither_used_nor_removed() {
    let workspace = Workspace::of_fixture("configured");
    workspace.write("elsewhere/cct/thesis.txt", "mine");
    let folder = workspace.path("elsewhere");
    let folder = folder.to_str().expect("a text");
    for verb in [&["clean"][..], &["clean", "--failures"], &["test", "--lib"]] {
        let refused = Finished::of(workspace.cct().args(verb).args(["--target-dir", folder]));
        refused.expect(96);
        let told = &refused.stderr;
        assert!(
            told.contains("was not made by cargo-cct") && told.contains("CACHEDIR.TAG"),
            "{told}"
        );
    }
    assert_eq!(workspace.read("elsewhere/cct/thesis.txt"), "mine");
    let left = fs::read_dir(workspace.path("elsewhere/cct")).expect("it is there");
    assert_eq!(left.count(), 1);
}

/// The lock of a run is held by a test here.
#[test]
fn clean_waits_for_a_run_and_says_so() {
    let workspace = Workspace::of_fixture("configured");
    workspace.test(&["--lib", "--no-run"], 0);
    let lock = fs::File::open(workspace.path("target/cct/.lock")).expect("it is there");
    lock.lock_shared().expect("nobody has it alone");
    let mut command = workspace.cct();
    command.arg("clean").stderr(Stdio::piped());
    let mut cleaning = command.spawn().expect("it can be started");
    let stderr = cleaning.stderr.take().expect("it is piped");
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(stderr));
    let first = lines.next().expect("a line").expect("a text");
    assert!(first.contains("Waiting for another cargo-cct"), "{first}");
    assert!(workspace.path("target/cct/.lock").exists());
    lock.unlock().expect("it was locked");
    assert!(cleaning.wait().expect("it ends").success());
    assert!(!workspace.path("target/cct").exists());
}
