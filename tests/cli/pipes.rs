//! Output that nobody reads to its end, as with `| head`.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};

use cct_tests::support::{Events, Finished, Workspace};

/// Runs it with standard output closed from the beginning, or after the first line; returns its exit code and
/// standard error.
fn closed(command: &mut Command, after_a_line: bool) -> (Option<i32>, String) {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
    if after_a_line {
        out.read_line(&mut String::new()).expect("text");
    }
    drop(out);
    let mut said = String::new();
    let mut err = child.stderr.take().expect("a pipe");
    err.read_to_string(&mut said).expect("text");
    (child.wait().expect("ours").code(), said)
}

/// With these the first schedule of `a_store_is_lost` fails: that another one has passed may be news.
const FAILS_AT_ONCE: [&str; 3] = ["-j1", "--strategy=random", "--seed=1"];

#[test]
fn commands_end_quietly_when_nobody_reads_on() {
    let workspace = Workspace::of_fixture("limits");
    let at_once = [&["test", "--json", "a_store_is_lost"][..], &FAILS_AT_ONCE].concat();
    let found = Finished::of(workspace.cct().args(at_once));
    found.expect(100);
    let lost = Events::of(&found)
        .test("limits::disk a_store_is_lost")
        .clone();
    assert_eq!(lost["first_bug"], 1, "{lost:#}");
    for (args, code) in [
        (&["list"][..], 0),
        (&["list", "--json"], 0),
        (&["show"], 0),
        (&["show", "--json"], 0),
        (&["config", "--schema"], 0),
        (&["completions", "bash"], 0),
        (&["replay"], 100),
        (&["replay", "--json"], 100),
        (&["test", "--test", "disk", "--", "--list"], 0),
        (&["test", "--test", "disk", "a_store_is_lost"], 100),
        (
            &["test", "--json", "--test", "disk", "a_store_is_lost"],
            100,
        ),
    ] {
        for after_a_line in [false, true] {
            let mut command = workspace.cct();
            command.args(args);
            if args.contains(&"a_store_is_lost") {
                command.args(FAILS_AT_ONCE);
            }
            let (ended, said) = closed(&mut command, after_a_line);
            assert_eq!(ended, Some(code), "{args:?}: {said}");
            for word in ["panicked", "roken pipe", "error"] {
                assert!(!said.contains(word), "{args:?}: {said}");
            }
        }
    }
}

/// One that would never end does, and what it has found is there.
#[test]
fn a_run_that_nobody_reads_stops_and_keeps_what_it_found() {
    let workspace = Workspace::of_fixture("limits");
    let endless = [
        "test",
        "--json",
        "-j1",
        "--test",
        "disk",
        "--iterations=18446744073709551615",
        "--strategy=random",
        "--seed=1",
    ];
    let mut all = workspace.cct();
    all.args(endless).args(["--", "--skip", "much_is_printed"]);
    let (ended, said) = closed(&mut all, true);
    assert_eq!(ended, Some(100), "{said}");
    let failures = fs::read_dir(workspace.path("target/cct/failures"));
    assert!(failures.expect("it was found").count() > 0);
    Finished::of(workspace.cct().arg("replay")).expect(100);
    let mut one = workspace.cct();
    one.args(endless).arg("nothing_is_found");
    assert_eq!(closed(&mut one, true).0, Some(130));
}
