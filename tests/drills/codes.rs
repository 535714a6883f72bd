//! Each exit code of docs/ci.md, once.

use std::thread;
use std::time::Duration;

use cct_tests::support::Workspace;

use crate::tally::{Harm, Tally, kill};

/// The codes of the table, and the two more that its last line names.
fn documented() -> Vec<i32> {
    let page = include_str!("../../docs/ci.md");
    let (_, table) = page
        .split_once("| exit code | means |\n|---|---|\n")
        .expect("a table");
    let lines = table.lines().take_while(|line| line.starts_with('|'));
    let codes = lines.map(|line| line[1..].split('|').next().unwrap_or_default().trim());
    let codes = codes.map(|code| code.parse().expect("a number"));
    codes.chain([143, 129]).collect()
}

#[test]
fn each_exit_code_comes_as_documented() {
    let (mut tally, _, _) = Tally::new("codes", 1);
    let workspace = Workspace::of_fixture("drills");
    let source = workspace.read("src/lib.rs");
    let mut seen = Vec::new();
    let mut expect = |tally: &mut Tally, args: &[&str], code: i32| {
        let what = format!("{args:?}");
        let ended = tally.run(workspace.cct().args(args), &what);
        tally.did();
        tally.check(Harm::Wrong, ended.code() == code, || {
            format!("{what}, and not {code}: {ended:#?}")
        });
        seen.push(ended.code());
        ended
    };
    let passes = [
        "test",
        "--lib",
        "--seed=1",
        "--iterations=50",
        "nothing_is_found",
    ];
    expect(&mut tally, &passes, 0);
    expect(&mut tally, &["test", "--lib", "no_such_test"], 4);
    let shard = [&passes[..], &["--shard=1/2", "--results=results"]].concat();
    expect(&mut tally, &shard, 0);
    expect(&mut tally, &["merge", "results"], 5);
    expect(&mut tally, &["test", "--no-such-option"], 96);
    let fails = ["test", "--json", "--lib", "--seed=1", "a_store_is_lost"];
    let id = expect(&mut tally, &fails, 100)
        .ids()
        .pop()
        .expect("it is found");
    workspace.write(
        "src/lib.rs",
        &source
            .replace(
                "let count = self.0.load(SeqCst);",
                "self.0.fetch_add(1, SeqCst);",
            )
            .replace("self.0.store(count + 1, SeqCst);", ""),
    );
    expect(&mut tally, &["replay", &id], 106);
    workspace.write("src/lib.rs", "no code");
    expect(&mut tally, &["test", "--lib"], 101);
    workspace.write("src/lib.rs", &source);
    for (signal, code) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
        let mut command = workspace.cct();
        command.args([
            "test",
            "--lib",
            "--iterations=18446744073709551615",
            "--strategy=random",
        ]);
        let ended = tally.run_while(&mut command, signal, |process, _| {
            thread::sleep(Duration::from_secs(2));
            kill(signal, &process.to_string());
        });
        tally.did();
        tally.check(Harm::Wrong, ended.code() == code, || {
            format!("{signal}: {ended:#?}")
        });
        seen.push(ended.code());
    }
    let lacks: Vec<i32> = documented()
        .into_iter()
        .filter(|code| !seen.contains(code))
        .collect();
    tally.check(Harm::Wrong, lacks.is_empty(), || {
        format!("never seen: {lacks:?}")
    });
    tally.end();
}
