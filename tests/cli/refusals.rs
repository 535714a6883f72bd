//! A machine that refuses: files of a user whose quota is used up, and threads beyond a limit.
//!
//! Both depend on the user and the disk, so a library that is loaded before C's says no in their place.

use std::path::PathBuf;
use std::process::Command;

use cct_tests::support::{Finished, Workspace};

/// The library that refuses, in a folder of its own.
struct Refusing(Workspace);

impl Refusing {
    fn new() -> Refusing {
        let place = Workspace::empty(Some("refusing"));
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/refusing/lib.rs");
        let mut rustc = Command::new("rustc");
        rustc.args(["--edition=2024", "--crate-type=cdylib", "-O", source]);
        rustc.arg("-o").arg(place.path("refusing.so"));
        Finished::of(&mut rustc).expect(0);
        Refusing(place)
    }

    /// Has a command of the tool, and all that it runs, meet a refusal.
    fn meets<'a>(
        &self,
        command: &'a mut Command,
        what: &str,
        limit: impl Into<PathBuf>,
    ) -> &'a mut Command {
        command
            .env("LD_PRELOAD", self.0.path("refusing.so"))
            .env(what, limit.into())
    }
}

/// Nothing is told as the test's that is the machine's, and nothing of the tool breaks.
#[track_caller]
fn assert_no_verdict(finished: &Finished) {
    for verdict in ["FLAKY", "ran natively", "internal error"] {
        assert!(
            !finished.stdout.contains(verdict),
            "`{verdict}`: {finished:#?}"
        );
    }
    assert!(!finished.stderr.contains("panicked"), "{finished:#?}");
}

#[test]
fn a_quota_that_is_used_up_is_no_verdict() {
    let refusing = Refusing::new();
    let workspace = Workspace::of_fixture("limits");
    let cache = Workspace::empty(Some("cache"));
    let test = ["test", "--test", "disk"];
    let without_room = |folder: PathBuf, cache: Option<PathBuf>| {
        let mut command = workspace.cct();
        command.args(test);
        if let Some(cache) = cache {
            command.env("CCT_CACHE_DIR", cache);
        }
        Finished::of(refusing.meets(&mut command, "REFUSE_WRITES", folder))
    };
    let assert_told = |finished: &Finished| {
        finished.expect(96);
        assert_no_verdict(finished);
        let told = "there is no space left";
        assert!(finished.stderr.contains(told), "{finished:#?}");
        assert!(!finished.stderr.contains("toolchain"), "{finished:#?}");
    };
    // While the sysroot is built, the workspace, and when all is there.
    let folder = cache.path("");
    assert_told(&without_room(folder.clone(), Some(folder)));
    assert_told(&without_room(workspace.path("target"), None));
    Finished::of(workspace.cct().args(["test", "--no-run"])).expect(0);
    assert_told(&without_room(workspace.path("target"), None));
    // A failure is told, though it cannot be kept.
    let finished = without_room(workspace.path("target/cct/failures"), None);
    assert_told(&finished);
    let told = finished.stdout.contains("Failing schedule:");
    assert!(told, "{finished:#?}");
}

#[test]
fn threads_that_cannot_be_made_are_an_error() {
    let refusing = Refusing::new();
    let workspace = Workspace::of_fixture("limits");
    let test = ["test", "--test", "disk", "a_store_is_lost"];
    Finished::of(workspace.cct().args(test)).expect(100);
    let verbs: [(&[&str], i32); 5] = [
        (&test, 100),
        (&["replay", "latest"], 100),
        (&["shrink", "latest", "--time=1s"], 0),
        (
            &["tsvd", "--test", "disk", "--runs=1", "nothing_is_found"],
            0,
        ),
        (
            &[
                "interfere",
                "--test",
                "disk",
                "--iterations=2",
                "nothing_is_found",
            ],
            0,
        ),
    ];
    for (args, enough) in verbs {
        let mut refused = 0;
        // One more each time, until there are as many as the command wants.
        for most in 0.. {
            let mut command = workspace.cct();
            let limit = format!("cargo-cct:{most}");
            let command = refusing.meets(command.args(args), "REFUSE_THREADS", limit);
            let finished = Finished::of(command);
            assert_no_verdict(&finished);
            let is_told = finished.stderr.contains("`ulimit -u`");
            if !is_told {
                finished.expect(enough);
                break;
            }
            finished.expect(96);
            refused += 1;
            assert!(most < 100, "{args:?} wants threads without end");
        }
        assert!(refused > 0, "{args:?} makes no thread");
    }
}
