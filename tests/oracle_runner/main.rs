//! The engine sees of 2,000 small programs what an interpreter says that shares no code with it.

use std::process::Command;

#[test]
fn strategies_see_what_the_oracle_says() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_oracle"));
    let output = command.args(["--programs", "2000"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    // Nothing is passed over that would make this a test of nothing.
    let all = text.lines().find(|line| line.starts_with("| all |"));
    let numbers: Vec<u64> = all
        .unwrap()
        .split('|')
        .filter_map(|cell| cell.trim().parse().ok())
        .collect();
    let [programs, too_large, executions, outcomes, .., early, _] = numbers[..] else {
        panic!("{text}");
    };
    assert!(programs > 2000 && too_large < programs / 20, "{text}");
    assert!(early > programs / 4, "{text}");
    assert!(executions > 100 * programs && outcomes > programs, "{text}");
}

/// Shards make together what one search makes that is so many times as long.
#[test]
fn shards_make_what_one_search_does() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_oracle"));
    let output = command
        .args(["--shards", "--programs", "300"])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("300 programs, 0 differences"), "{text}");
}
