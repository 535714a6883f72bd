//! rustup's component `rust-src` comes and goes, and std's files are nobody's but std's.
//!
//! rustc writes other paths into what it builds when the component is there. Earlier builds stay in
//! the target folder and in the cache, so each is tried with the other.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use cct_tests::support::{Events, Finished, Workspace, cleaned};

use crate::explored::{ALONE, HANGS};
use crate::verdicts::assert_each_failure_is_what_it_is;

/// A toolchain of its own beside the one of this machine, with links for files.
pub(crate) struct Toolchain {
    folder: Workspace,
    sysroot: PathBuf,
}

impl Toolchain {
    pub(crate) fn new() -> Self {
        let asked = Finished::of(cleaned("rustc").args(["--print", "sysroot"]));
        let folder = Workspace::empty(Some("toolchain"));
        let sysroot = folder.path("");
        for part in ["bin", "lib"] {
            link(
                &Path::new(asked.stdout.trim()).join(part),
                &sysroot.join(part),
            );
        }
        let toolchain = Self { folder, sysroot };
        toolchain.remove_source();
        toolchain
    }

    /// rustc takes the component for installed when this file is there. Its text is for people.
    pub(crate) fn add_source(&self) {
        let file = "lib/rustlib/src/rust/library/std/src/lib.rs";
        self.folder.write(file, "//! A stand-in.\n");
    }

    fn remove_source(&self) {
        let folder = self.sysroot.join("lib/rustlib/src");
        if folder.exists() {
            fs::remove_dir_all(folder).expect("the copy is ours");
        }
    }

    /// The tool, as a shell has it in which this toolchain comes first.
    pub(crate) fn cct(&self, workspace: &Workspace) -> Command {
        let mut command = workspace.cct();
        for program in ["rustc", "cargo", "rustdoc"] {
            let path = self.sysroot.join("bin").join(program);
            command.env(program.to_uppercase(), path);
        }
        command
    }

    fn explore(&self, workspace: &Workspace, set_up: impl FnOnce(&mut Command)) -> Events {
        let mut command = self.cct(workspace);
        command.args(["test", "--json", "--seed", "1", "--iterations", "100"]);
        set_up(&mut command);
        let finished = Finished::of(&mut command);
        finished.expect(100);
        Events::of(&finished)
    }
}

/// A tree of hard links; of copies, where the temporary folder is on another disk.
pub(crate) fn link(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("the temporary folder is writable");
    for entry in fs::read_dir(from).expect("a toolchain is readable") {
        let entry = entry.expect("a toolchain is readable");
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            link(&path, &target);
        } else if fs::hard_link(&path, &target).is_err() {
            fs::copy(&path, &target).expect("the temporary folder has room");
        }
    }
}

/// The engine is in the cache already, from a toolchain without the component.
#[test]
fn failures_are_what_they_are_with_the_component_and_after_it() {
    let toolchain = Toolchain::new();
    let workspace = Workspace::of_fixture("verdicts");
    let explore = || {
        toolchain.explore(&workspace, |command| {
            command.args(["--", "--skip", HANGS, "--skip", ALONE]);
        })
    };
    toolchain.add_source();
    assert_each_failure_is_what_it_is(&explore());
    // Nothing is built again.
    toolchain.remove_source();
    assert_each_failure_is_what_it_is(&explore());
}

/// An engine that was built with the component is the same with it and after it.
pub(crate) fn assert_cache_outlives_the_component(toolchain: &Toolchain, cache: &Path) {
    let explore = || {
        let workspace = Workspace::of_fixture("verdicts");
        toolchain.explore(&workspace, |command| {
            command.env("CCT_CACHE_DIR", cache);
            command.args(["--test", "signal"]);
        })
    };
    let is_at_the_write = |events: &Events| {
        let ended = events.test("verdicts::signal of_a_wild_write");
        let site = &ended["failure"]["bug"]["site"];
        assert_eq!(site["file"], "tests/signal.rs", "{ended:#}");
    };
    is_at_the_write(&explore());
    toolchain.remove_source();
    is_at_the_write(&explore());
}
