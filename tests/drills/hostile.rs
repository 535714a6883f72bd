//! Tests that do their worst: each is told in some way, the one beside them passes, and nothing is left.

use cct_tests::support::Workspace;

use crate::garden::Garden;
use crate::tally::{Harm, Tally};

/// Tests that the short form passes over: they take long.
const SLOW: [&str; 5] = [
    "waits_for",
    "spins_for_ever",
    "hang",
    "floods",
    "without_bound",
];

#[test]
fn hostile_tests_harm_nobody() {
    let (mut tally, is_long, _) = Tally::new("hostile", 0);
    let workspace = Workspace::kept_of_fixture(env!("CARGO_TARGET_TMPDIR"), "hostile");
    let garden = Garden::new(&workspace);
    let source = workspace.read("tests/hostile.rs");
    let names = source.lines().filter_map(|line| {
        let name = line.strip_prefix("    ")?.split_once(" {")?.0;
        let is_name = name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        (is_name && name.contains('_') || ["forks", "execs", "aborts"].contains(&name))
            .then_some(name)
    });
    let slow = |name: &&str| is_long > 0 || !SLOW.iter().any(|slow| name.contains(slow));
    let names: Vec<&str> = names.filter(slow).collect();
    assert!(names.len() > 30, "{names:?}");
    // One at a time, so that whoever harms the other one is known.
    for name in names {
        let mut command = workspace.cct();
        command.args([
            "test",
            "--json",
            "--test=hostile",
            "--seed=1",
            "--iterations=5",
            "-j2",
        ]);
        command.args(["--hang-timeout=2s", "--max-memory=256M", "--", "--exact"]);
        command.args([name, "is_well_behaved"]);
        let ended = tally.run(&mut command, name);
        tally.did();
        let allowed = [0, 96, 100].contains(&ended.code());
        tally.check(Harm::Wrong, allowed, || format!("{name}: {ended:#?}"));
        let told = ended.status_of(name);
        tally.check(Harm::Wrong, told.is_some(), || {
            format!("{name} is not told: {ended:#?}")
        });
        let other = ended.status_of("is_well_behaved");
        tally.check(Harm::Wrong, other.as_deref() == Some("PASS"), || {
            format!("{name}: the other is {other:?}: {ended:#?}")
        });
        for id in ended.ids() {
            let shown = tally.run(workspace.cct().args(["show", &id]), name);
            tally.check(Harm::Loss, shown.code() == 0, || {
                format!("{name}: {shown:#?}")
            });
        }
        tally.check(Harm::Touched, garden.is_as_it_was(), || {
            format!("{name}: the garden")
        });
    }
    tally.end();
}
