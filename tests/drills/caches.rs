//! The cache and the tool's part of the target folder, damaged: they heal, and what others have put there
//! stays.
//!
//! An entry with a sysroot takes a minute to be made again, so most damages are to the rest.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use cct_tests::support::Workspace;

use crate::folders::{damage, files};
use crate::garden::Garden;
use crate::tally::{Harm, Tally};

/// A damage that makes the sysroot anew.
const DEAR: usize = 40;

/// Makes a copy of the cache that tests share, if there is one: to make a sysroot is for others to test.
fn copy_of_all_tests(cache: &Path) {
    if let Some(made) = env::var_os("CCT_CACHE_DIR").filter(|made| Path::new(made).exists()) {
        // If somebody fills it at this moment, the tool makes the rest.
        let _ = Command::new("cp").arg("-r").arg(made).arg(cache).status();
    }
}

#[test]
fn damaged_caches_heal() {
    let (mut tally, count, mut draws) = Tally::new("caches", 16);
    let workspace = Workspace::of_fixture("drills");
    let garden = Garden::new(&workspace);
    let cache = workspace.path("cache");
    let args = ["test", "--json", "--lib", "--seed=1", "--iterations=300"];
    let source = workspace.read("src/lib.rs");
    let cct = || {
        let mut command = workspace.cct();
        // Others have files there, too.
        command.env("TMPDIR", garden.folder());
        command.env("CCT_CACHE_DIR", &cache).args(args);
        command
    };
    copy_of_all_tests(&cache);
    let first = tally.run(&mut cct(), "as ever");
    tally.check(Harm::Wrong, first.code() == 100, || format!("{first:#?}"));
    fs::write(cache.join("mine.txt"), "mine").expect("a file");
    for number in 0..count {
        let own = workspace.path("target/cct");
        let (place, is_cache) = if number % DEAR == DEAR - 1 {
            (cache.clone(), true)
        } else {
            (own.clone(), false)
        };
        let is_state = |file: &PathBuf| {
            let inside = file.strip_prefix(&own).unwrap_or(file).to_string_lossy();
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let is_product = inside.starts_with("x86_64")
                || inside.starts_with("debug")
                || inside.starts_with("aarch64");
            // Products of compilers are cargo's to look after, and the tag says that the folder is ours.
            !name.starts_with("CACHEDIR") && (!is_product || name.ends_with(".cct"))
        };
        let mut all = files(&place);
        all.retain(|file| {
            if is_cache {
                !file.ends_with("mine.txt")
            } else {
                is_state(file)
            }
        });
        let file = draws.one_of(&all).clone();
        let kinds = [
            "empty", "cut", "bytes", "removed", "pipe", "folder", "loop", "link", "device",
        ];
        let kind = *draws.one_of(&kinds);
        let what = format!("{number}: {kind} of {}", file.display());
        let folder = own.join("shadow");
        match number % 8 {
            // Folders as a whole.
            3 => fs::remove_dir_all(&folder).expect("it is there"),
            5 => {
                for tree in fs::read_dir(&folder).expect("it is there").flatten() {
                    if tree.path().is_dir() {
                        fs::remove_dir_all(tree.path()).expect("it is there");
                        symlink(garden.folder(), tree.path()).expect("a link");
                    }
                }
            }
            7 if !is_cache => {
                fs::remove_dir_all(&folder).expect("it is there");
                fs::write(&folder, "no folder").expect("a file");
            }
            _ => damage(&file, kind, &garden, &mut draws),
        }
        workspace.write("src/lib.rs", &format!("{source}// {number}\n"));
        let ended = tally.run(&mut cct(), &what);
        tally.did();
        tally.check(Harm::Wrong, ended.code() == 100, || {
            format!(
                "{what}: {}\n{}\n{}",
                ended.code(),
                ended.stdout,
                ended.stderr
            )
        });
        let controlled = ended
            .events()
            .filter(|event| event["event"] == "test_ended");
        let all: Vec<_> = controlled
            .map(|event| event["controlled"].clone())
            .collect();
        tally.check(Harm::Wrong, all == [true, true], || {
            format!("{what}: {all:?}")
        });
        for id in ended.ids() {
            let mut show = workspace.cct();
            let shown = tally.run(show.args(["show", &id]), &what);
            tally.check(Harm::Loss, shown.code() == 0, || {
                format!("{what}: {shown:#?}")
            });
        }
        tally.check(Harm::Touched, garden.is_as_it_was(), || {
            format!("{what}: the garden")
        });
        let is_there = fs::read_to_string(cache.join("mine.txt")).is_ok_and(|it| it == "mine");
        tally.check(Harm::Touched, is_there, || {
            format!("{what}: a file in the cache")
        });
    }
    tally.end();
}
