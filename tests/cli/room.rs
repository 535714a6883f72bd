//! Disks that are full, and folders that may not be written to: no verdict about a test comes of them.
//!
//! Each is a small `tmpfs` in a mount namespace of its own. Where that is not permitted the tests say so, and
//! do nothing.

use std::process::Command;

use cct_tests::support::{Events, Finished, Workspace, run_by};

/// A workspace, built, with its target folder on a disk of its own.
struct Confined(Workspace);

impl Confined {
    /// None where this machine does not permit it.
    fn new() -> Option<Confined> {
        let status = Command::new("unshare").args(["-m", "true"]).status();
        if !status.is_ok_and(|status| status.success()) {
            eprintln!("skipped: `unshare -m` is not permitted here");
            return None;
        }
        let workspace = Workspace::of_fixture("limits");
        let built = Finished::of(workspace.cct().args(["test", "--no-run"]));
        built.expect(0);
        Some(Confined(workspace))
    }

    /// Runs the tool once `before` has been done, with `$W` for the workspace.
    fn run(&self, before: &str, args: &[&str]) -> Finished {
        let script = format!("set -e; W=\"$1\"; shift; {before}; exec \"$@\"");
        let mut shell = Command::new("unshare");
        shell.args(["-m", "sh", "-c", &script, "sh"]);
        shell.arg(self.0.path("."));
        Finished::of(&mut run_by(shell, self.0.cct().args(args)))
    }
}

/// Puts a disk in the place of the build's products, with a copy of them and so much room, in KiB.
fn with_room(kibibytes: u32) -> String {
    format!(
        "mkdir -p $W/was; mount --bind $W/target $W/was; mount -t tmpfs -o size=400m none $W/target; \
         cp -a --sparse=never $W/was/. $W/target; \
         room=$(df --output=avail -k $W/target | tail -n 1); \
         head -c $(((room - {kibibytes}) * 1024)) /dev/zero > $W/target/filler"
    )
}

#[track_caller]
fn assert_no_space(finished: &Finished) {
    finished.expect(96);
    let all = format!("{}{}", finished.stdout, finished.stderr);
    assert!(all.contains("no space"), "{finished:#?}");
    for verdict in ["FLAKY", "ran natively", "PANIC", "panicked"] {
        assert!(!all.contains(verdict), "`{verdict}`: {finished:#?}");
    }
}

#[test]
fn a_full_disk_is_told_before_any_test_runs() {
    let Some(confined) = Confined::new() else {
        return;
    };
    for room in [0, 8] {
        assert_no_space(&confined.run(&with_room(room), &["test", "--test", "disk"]));
    }
}

#[test]
fn output_that_fills_the_disk_is_no_failure_of_the_test() {
    let Some(confined) = Confined::new() else {
        return;
    };
    let finished = confined.run(&with_room(300), &["test", "--json", "much_is_printed"]);
    assert_no_space(&finished);
    let ended = Events::of(&finished);
    let ended = ended.test("limits::disk much_is_printed");
    assert_eq!(ended["outcome"], "refused", "{ended:#}");
}

#[test]
fn a_failure_that_cannot_be_kept_is_told() {
    let Some(confined) = Confined::new() else {
        return;
    };
    // There is room to run the test, and hardly any for its failure.
    let before = "mkdir -p $W/target/cct/failures; \
                  mount -t tmpfs -o size=16k none $W/target/cct/failures";
    let finished = confined.run(before, &["test", "a_store_is_lost"]);
    finished.expect(96);
    assert!(finished.stderr.contains("no space"), "{finished:#?}");
    assert!(
        finished.stdout.contains("Failing schedule:"),
        "{finished:#?}"
    );
}

#[test]
fn shared_memory_that_is_full_is_done_without() {
    let Some(confined) = Confined::new() else {
        return;
    };
    for size in ["4k", "64k"] {
        let full = format!("mount -t tmpfs -o size={size} none /dev/shm");
        let run = |test| confined.run(&full, &["test", test]);
        run("nothing_is_found").expect(0);
        run("a_temporary_file_is_written").expect(0);
        run("a_store_is_lost").expect(100);
    }
}

#[test]
fn a_build_without_room_is_no_broken_program() {
    let Some(confined) = Confined::new() else {
        return;
    };
    let before = "mount -t tmpfs -o size=2m none $W/target";
    let finished = confined.run(before, &["test", "--test", "disk"]);
    finished.expect(96);
    assert!(
        finished.stderr.contains("no space left on the disk"),
        "{finished:#?}"
    );
}

#[test]
fn a_cache_without_room_does_not_blame_the_toolchain() {
    let Some(confined) = Confined::new() else {
        return;
    };
    let before = "mkdir $W/cache; mount -t tmpfs -o size=6m none $W/cache; \
                  export CCT_CACHE_DIR=$W/cache";
    let finished = confined.run(before, &["test", "--test", "disk"]);
    finished.expect(96);
    assert!(
        finished.stderr.contains("no space left on the disk"),
        "{finished:#?}"
    );
    assert!(!finished.stderr.contains("toolchain"), "{finished:#?}");
}

#[test]
fn folders_that_may_only_be_read_are_told() {
    let Some(confined) = Confined::new() else {
        return;
    };
    let read_only = |place: &str| {
        format!(
            "mkdir -p $W/{place}; mount --bind $W/{place} $W/{place}; mount -o remount,ro,bind $W/{place}"
        )
    };
    let finished = confined.run(&read_only("target"), &["test", "--test", "disk"]);
    finished.expect(96);
    assert!(
        finished.stderr.contains("Read-only file system"),
        "{finished:#?}"
    );
    let cache = format!("{}; export CCT_CACHE_DIR=$W/cache", read_only("cache"));
    let finished = confined.run(&cache, &["test", "--test", "disk"]);
    finished.expect(96);
    assert!(
        finished.stderr.contains("cannot write the cache"),
        "{finished:#?}"
    );
}

#[test]
fn standard_output_that_is_full_is_told() {
    let Some(confined) = Confined::new() else {
        return;
    };
    for args in [
        &["test", "nothing_is_found"][..],
        &["test", "--json", "nothing_is_found"],
        &["list", "--json"],
    ] {
        // The tool writes to the shell's standard output.
        let finished = confined.run("exec > /dev/full", args);
        if args[0] == "list" {
            finished.expect(0);
        } else {
            finished.expect(96);
            let why = "cannot write to standard output: No space left on device";
            assert!(finished.stderr.contains(why), "{finished:#?}");
        }
    }
}

/// Each kind of thing that is no plain file is named.
#[test]
fn odd_files_in_the_place_of_a_failure_are_refused_unread() {
    let workspace = Workspace::of_fixture("limits");
    Finished::of(workspace.cct().args(["test", "a_store_is_lost"])).expect(100);
    let failures = std::fs::read_dir(workspace.path("target/cct/failures")).expect("there is one");
    let ids = failures
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned());
    let id = ids
        .into_iter()
        .find(|name| !name.starts_with('.'))
        .expect("there is one");
    let file = workspace.path(&format!("target/cct/failures/{id}/trace.json"));
    for (make, why) in [
        ("mkfifo \"$0\"", "a named pipe"),
        ("mkdir \"$0\"", "a folder"),
        ("ln -s /dev/zero \"$0\"", "a device"),
        ("ln -s trace.json \"$0\"", "symbolic link"),
        (
            "truncate -s 9T \"$0\" || truncate -s 3G \"$0\"",
            "more than is ever written",
        ),
    ] {
        let script = format!("rm -rf \"$0\"; {make}");
        let made = Command::new("sh").args(["-c", &script]).arg(&file).status();
        assert!(made.expect("a shell").success());
        for verb in ["show", "replay", "shrink", "keep"] {
            let refused = Finished::of(workspace.cct().args([verb, &id]));
            refused.expect(96);
            assert!(refused.stderr.contains(why), "{verb}, {why}: {refused:#?}");
        }
        Finished::of(workspace.cct().arg("list")).expect(0);
    }
}

/// Nobody makes it, and rustdoc cannot do without: that is nothing about the documentation.
#[test]
fn a_folder_for_temporary_files_that_is_not_there_is_told() {
    let workspace = Workspace::of_fixture("configured");
    Finished::of(workspace.cct().args(["test", "--no-run"])).expect(0);
    let mut command = workspace.cct();
    command.env("TMPDIR", workspace.path("nowhere"));
    let finished = Finished::of(command.arg("test"));
    finished.expect(96);
    let is_told =
        finished.stdout.contains("REFUSED") && finished.stdout.contains("cannot write to");
    assert!(
        is_told && !finished.stdout.contains("FAIL"),
        "{finished:#?}"
    );
}

/// Tests run in their package's folder, and the tool elsewhere.
#[test]
fn a_relative_folder_for_temporary_files_is_where_the_tool_runs() {
    let workspace = Workspace::of_fixture("limits");
    for temporary in ["", ".", "../tests"] {
        let mut command = workspace.cct();
        command.env("TMPDIR", temporary);
        command.current_dir(workspace.path("src"));
        let args = ["test", "--test", "disk", "a_temporary_file"];
        Finished::of(command.args(args)).expect(0);
    }
}

/// A container after another one may have its namespace's number, and the tool its own number, 1.
#[test]
fn a_container_takes_over_what_one_before_has_left() {
    let Some(confined) = Confined::new() else {
        return;
    };
    let Confined(workspace) = &confined;
    let temporary = workspace.path("temporary");
    std::fs::create_dir(&temporary).expect("a folder");
    // Links are removed, and not followed.
    workspace.write("letter", "mine");
    let maker = "kernel=$(cut -c 1-8 /proc/sys/kernel/random/boot_id); \
                 maker=$(printf %08x $((0x$kernel ^ $(stat -L -c %i /proc/self/ns/pid))))-0000001";
    let before = format!(
        "{maker}; ln -s ../letter $W/temporary/.cct-room.tmp-$maker; \
         mkdir -p $W/temporary/cct-$maker-000000-tmp/left $W/target/cct/run/$maker/left; \
         export TMPDIR=$W/temporary"
    );
    let script = format!("set -e; W=\"$1\"; shift; {before}; exec \"$@\"");
    let mut shell = Command::new("unshare");
    shell.args([
        "-m",
        "-p",
        "--fork",
        "--mount-proc",
        "sh",
        "-c",
        &script,
        "sh",
    ]);
    shell.arg(workspace.path("."));
    let args = ["test", "--test", "disk", "a_temporary_file"];
    Finished::of(&mut run_by(shell, workspace.cct().args(args))).expect(0);
    let letter = std::fs::read_to_string(workspace.path("letter"));
    assert_eq!(letter.expect("a file"), "mine");
    for place in [temporary, workspace.path("target/cct/run")] {
        let left = std::fs::read_dir(&place).expect("a folder").count();
        assert_eq!(left, 0, "{place:?}");
    }
}
