//! The runner of SCTBench: its rows, its exit codes, and that it gives the same rows again.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

/// Runs it; the rows that it wrote.
fn rows(name: &str, arguments: &[&str]) -> (Output, Vec<Value>) {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.json"));
    let output = sctbench(&[arguments, &["--json", path.to_str().unwrap()]].concat());
    let text = fs::read_to_string(&path).unwrap();
    (output, serde_json::from_str(&text).unwrap())
}

fn sctbench(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sctbench"));
    command.args(arguments).output().unwrap()
}

#[test]
fn rows_say_what_was_found() {
    let only = ["--only", "CS/lazy01,account_ok", "--strategy", "random"];
    let budget = ["--strategy", "pct:3", "--seeds", "5", "--schedules", "200"];
    let (output, rows) = rows("found", &[&only[..], &budget].concat());
    assert!(output.status.success(), "{output:?}");
    assert_eq!(rows.len(), 4);
    for row in &rows {
        assert_eq!(
            (&row["trials"], &row["granularity"]),
            (&5.into(), &"racy".into())
        );
        let is_control = row["program"] == "CS/account_ok";
        assert_eq!(row["control"], is_control);
        assert_eq!(row["found"], if is_control { 0 } else { 5 });
        assert_eq!(row["mean"].is_null(), is_control);
    }
    let named = |row: &Value| (row["program"].clone(), row["strategy"].clone());
    assert_eq!(named(&rows[0]), ("CS/lazy01".into(), "random".into()));
    assert_eq!(named(&rows[3]), ("CS/account_ok".into(), "pct:3".into()));
}

#[test]
fn the_same_seeds_give_the_same_rows() {
    let asked = [
        "--only",
        "reorder_4,carter01",
        "--seeds",
        "3",
        "--seed-base",
        "7",
    ];
    let first = rows("first", &asked).1;
    assert_eq!(first, rows("second", &asked).1);
    let other = [
        "--only",
        "reorder_4,carter01",
        "--seeds",
        "3",
        "--seed-base",
        "70",
    ];
    assert_ne!(first, rows("other", &other).1);
}

#[test]
fn a_race_is_out_of_reach_of_points_at_synchronisation() {
    let asked = [
        "--only",
        "reorder_3",
        "--strategy",
        "random",
        "--seeds",
        "2",
    ];
    let found = |granularity| {
        let arguments = [&asked[..], &["--granularity", granularity]].concat();
        rows(granularity, &arguments).1[0]["found"].clone()
    };
    assert_eq!(found("sync"), 0);
    assert_eq!(found("racy"), 2);
    assert_eq!(found("all"), 2);
}

#[test]
fn what_does_not_exist_is_refused() {
    for arguments in [
        ["--only", "reorder_2"],
        ["--strategy", "fair"],
        ["--granularity", "fine"],
        ["--seeds", "0"],
        ["--seeds", "-1"],
        ["--mean", "2"],
    ] {
        let output = sctbench(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.starts_with("error: "), "{text}");
    }
}

/// The engine's own strategy that makes schedules in the order of their preemptions knows the fewest.
#[test]
fn shrinking_leaves_as_few_preemptions_as_are_needed() {
    let programs = [
        ("CS/account", 0),
        ("CS/bluetooth_driver", 1),
        ("CS/circular_buffer", 1),
        ("CS/deadlock01", 1),
        ("CS/din_phil4_sat", 0),
        ("CS/queue", 1),
        ("CS/reorder_4", 1),
        ("CS/stack", 1),
        ("CS/twostage", 1),
        ("CS/wronglock_3", 1),
        ("CB/stringbuffer-jdk1.4", 2),
        ("Chess/InterlockedWorkStealQueue", 2),
        ("RADBench/bug6", 1),
    ];
    for (program, fewest) in programs {
        let output = sctbench(&["--only", program, "--strategy", "random", "--shrink", "60"]);
        assert!(output.status.success(), "{program}: {output:?}");
        let row: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(row["by_preemptions"], fewest, "{row:#}");
        assert_eq!(row["to"][0], fewest, "{row:#}");
        assert_eq!(row["replays"], true, "{row:#}");
    }
}
