//! The output for people: status lines, reports, the summary.

use cct_tests::support::{Finished, Workspace};

use crate::explored::{ALONE, EXPLORED, HANGS, text};

/// The report of a failure of `fixtures/verdicts`, with its id made anonymous.
fn report(test: &str) -> String {
    let failure = &EXPLORED.events.test(&format!("verdicts::{test}"))["failure"];
    let id = text(&failure["id"]);
    let shown = Finished::of(EXPLORED.workspace.cct().args(["show", id]));
    shown.expect(0);
    shown.stdout.replace(id, "xxxx-xx")
}

#[test]
fn the_report_of_a_panic() {
    insta::assert_snapshot!(report("panic in_the_body"));
}

#[test]
fn the_report_of_a_deadlock() {
    insta::assert_snapshot!(report("deadlock of_two_locks"));
}

/// The lines about the run and each of its tests. Times and counts, which any change of the engine
/// may change, become `#`.
#[test]
fn a_run_is_told_test_by_test() {
    let workspace = Workspace::of_fixture("virtual-manifest");
    let told = workspace
        .test(&["--workspace", "-j1", "--strategy", "random"], 100)
        .stdout;
    let (_, after) = told.rsplit_once(' ').expect("the last word is the id");
    let told = told.replace(after.trim_end(), "xxxx-xx");
    let (before, rest) = told.split_once("───").expect("there is a report");
    let (_, rest) = rest
        .split_once("timeline.html\n\n")
        .expect("the report ends so");
    insta::assert_snapshot!(without_numbers(&format!("{before}\n…\n\n{rest}")));
}

/// Replaces each number, and the blanks that fill its column.
fn without_numbers(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let blanks = line.len() - line.trim_start().len();
        let words = line.split_whitespace().map(|word| {
            let first = word.find(|c: char| c.is_ascii_digit());
            let last = word.rfind(|c: char| c.is_ascii_digit());
            match (first, last) {
                (Some(first), Some(last)) => {
                    format!("{}#{}", &word[..first], &word[last + 1..])
                }
                _ => word.to_owned(),
            }
        });
        let words: Vec<String> = words.collect();
        " ".repeat(blanks) + &words.join(" ")
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// As with nextest: who scrolls up finds the first reports, who does not finds the list.
#[test]
fn five_failures_are_told_in_full_and_all_are_listed() {
    let skip = ["--", "--skip", HANGS, "--skip", ALONE];
    let args = [&["--tests", "--iterations", "20"][..], &skip].concat();
    let told = EXPLORED.workspace.test(&args, 100);
    let reports = told.stdout.matches("\nFailing schedule:").count();
    assert_eq!(reports, 5, "{}", told.stdout);
    let (_, summary) = told
        .stdout
        .split_once("Summary")
        .expect("there is a summary");
    assert!(summary.lines().count() > 9, "{summary}");
    assert!(summary.contains("cargo cct show <id>"), "{summary}");
}

#[test]
fn colours_come_on_demand_and_unicode_goes() {
    let workspace = Workspace::of_fixture("with spaces");
    let colours = |args: &[&str]| workspace.test(args, 100).stdout.contains('\x1b');
    assert!(!colours(&["--lib"]));
    assert!(colours(&["--lib", "--color", "always"]));
    assert!(!colours(&["--lib", "--color", "never"]));

    let mut ascii = workspace.cct();
    let ascii = Finished::of(ascii.env("LC_ALL", "C").args(["show", "latest"]));
    ascii.expect(0);
    assert!(ascii.stdout.is_ascii(), "{}", ascii.stdout);
}

/// Results on standard output, progress and cargo's words on standard error.
#[test]
fn each_stream_has_its_own() {
    let workspace = Workspace::of_fixture("with spaces");
    let run = workspace.test(&["--lib"], 100);
    assert!(run.stderr.contains("Compiling spaced"), "{run:#?}");
    assert!(!run.stdout.contains("Compiling"), "{run:#?}");
    assert!(!run.stderr.contains("Summary"), "{run:#?}");
    let quiet = workspace.test(&["--lib", "--quiet"], 100);
    assert_eq!(quiet.stderr, "");
}

#[test]
fn what_a_test_prints_is_shown_on_demand_and_kept_with_a_failure() {
    let workspace = Workspace::of_fixture("with spaces");
    let (old, new) = (
        "let count = ",
        "println!(\"from inside\");\n        let count = ",
    );
    workspace.replace("src/lib.rs", old, new);
    let failed = workspace.test(&["--lib"], 100).stdout;
    let times = failed.matches(" from inside\n").count();
    assert_eq!(
        times, 1,
        "only the failing schedule's output is told: {failed}"
    );

    workspace.replace(
        "src/lib.rs",
        "(Ordering::SeqCst), 2)",
        "(Ordering::SeqCst), 2 - 0)",
    );
    workspace.replace(
        "src/lib.rs",
        "assert_eq!(count.load",
        "assert_ne!(9 + count.load",
    );
    let args = ["--lib", "--iterations", "3"];
    let silent = workspace.test(&args, 0).stdout;
    assert!(!silent.contains("from inside"), "{silent}");
    let shown = [&args[..], &["--", "--nocapture"]].concat();
    let shown = workspace.test(&shown, 0).stdout;
    assert!(shown.contains("from inside"), "{shown}");
}
