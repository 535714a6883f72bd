//! Replays of programs that have been edited since.

use std::fs;

use cct_tests::support::{Finished, Workspace};

use crate::explored::text;

const SOURCE: &str = "tests/long.rs";
const TESTS: [&str; 3] = [
    "a_lost_update_in_a_pool",
    "two_locks_in_two_orders",
    "two_preemptions_are_needed",
];

/// The fixture with a failure of each of the tests, and their ids.
fn found() -> (Workspace, Vec<String>) {
    let workspace = Workspace::of_fixture("shrinking");
    let args = [&["--strategy", "random"][..], &TESTS].concat();
    let events = workspace.explore(&[&args[..2], &["--", "--exact"], &args[2..]].concat(), 100);
    let id = |test: &&str| {
        let failure = &events.test(&format!("shrinking::long {test}"))["failure"];
        text(&failure["id"]).to_owned()
    };
    let ids = TESTS.iter().map(id).collect();
    (workspace, ids)
}

fn replay(workspace: &Workspace, id: &str) -> Finished {
    Finished::of(workspace.cct().args(["replay", id]))
}

/// A few numbers that look drawn.
fn drawn(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 33).expect("31 bits") % below
    }
}

/// An edit that does no harm: comments, blank lines, prints, statements without a step, other names.
fn edited(source: &str, drawn: &mut dyn FnMut(usize) -> usize) -> String {
    let mut lines: Vec<String> = source.lines().map(str::to_owned).collect();
    let is_statement = |line: &str| line.starts_with("    ") && line.ends_with(';');
    let follows_one = |line: &str| line.ends_with([';', '{', '}']);
    for number in 0..=drawn(6) {
        let at = 1 + drawn(lines.len() - 1);
        let is_inside = is_statement(&lines[at]) && follows_one(&lines[at - 1]);
        match drawn(7) {
            0 => lines.insert(at, String::new()),
            1 if !lines[at].starts_with("#[") => lines.insert(at, "// Edited.".to_owned()),
            2 if is_inside => {
                lines.insert(at, "let _more = 1 + std::hint::black_box(1);".to_owned());
            }
            3 | 4 if is_inside => lines.insert(at, format!("println!(\"print {number}\");")),
            5 if is_inside => lines.insert(at, format!("eprint!(\"print {number}\");")),
            _ => {
                let (from, to) = [
                    ("readers", "watchers"),
                    ("value", "number"),
                    ("first", "taken"),
                ][drawn(3)];
                for line in &mut lines {
                    *line = line.replace(from, to);
                }
            }
        }
    }
    let mut text = lines.join("\n");
    text.push('\n');
    text
}

#[test]
fn replays_survive_edits_that_do_no_harm() {
    let (workspace, ids) = found();
    let path = workspace.path(SOURCE);
    let source = fs::read_to_string(&path).expect("a test");
    let mut moved = 0;
    for seed in 0..6 {
        let edited = edited(&source, &mut drawn(seed));
        fs::write(&path, &edited).expect("it can be written");
        for id in &ids {
            let told = replay(&workspace, id);
            assert!(told.stdout.contains("Reproduced"), "{told:#?}\n{edited}");
            moved += usize::from(told.stdout.contains("in the source have moved"));
        }
    }
    assert!(moved > 0, "some lines were added before others");
}

/// A value goes to the step that chose it, although another one chooses before.
#[test]
fn values_are_chosen_where_they_were() {
    let workspace = crate::specifications::fixture();
    let found = workspace.explore(&["a_number_is_chosen"], 100);
    let failed = found.test("specified::specified a_number_is_chosen");
    let id = text(&failed["failure"]["id"]).to_owned();
    let more = "let _more = (cct::nondet_index(7), cct::nondet_bool());\n    ";
    for before in ["let number = ", "let half = ", "assert!(!(number == 13"] {
        let file = "tests/specified.rs";
        let source = workspace.read(file);
        workspace.write(file, &source.replace(before, &format!("{more}{before}")));
        let told = replay(&workspace, &id);
        told.expect(100);
        assert!(told.stdout.contains("Reproduced"), "{before}: {told:#?}");
        workspace.write(file, &source);
    }
}

/// The functions of a file are found under its new name.
#[test]
fn a_file_may_get_another_name() {
    let workspace = Workspace::of_fixture("with spaces");
    let library = workspace.read("src/lib.rs");
    let (before, test) = library.split_once("#[cfg(test)]").expect("it has tests");
    let body = test
        .trim()
        .trim_start_matches("mod tests {")
        .trim_end_matches('}');
    workspace.write("src/lib.rs", &format!("{before}#[cfg(test)]\nmod tests;\n"));
    workspace.write("src/tests.rs", body);
    let found = workspace.explore(&["--lib"], 100);
    let id = text(&found.test("spaced tests::a_store_is_lost")["failure"]["id"]).to_owned();
    let path = "#[path = \"inner/renamed.rs\"]\nmod tests;";
    workspace.replace("src/lib.rs", "mod tests;", path);
    workspace.write("src/inner/renamed.rs", &format!("// Moved.\n{body}"));
    fs::remove_file(workspace.path("src/tests.rs")).expect("it is there");
    let told = replay(&workspace, &id);
    told.expect(100);
    assert!(told.stdout.contains("Reproduced"), "{told:#?}");
    assert!(
        told.stdout.contains("in the source have moved"),
        "{told:#?}"
    );
}

/// A change of the steps is told with its place, and never called a reproduction.
#[test]
fn changes_of_steps_are_told() {
    let (workspace, ids) = found();
    let path = workspace.path(SOURCE);
    let source = fs::read_to_string(&path).expect("a test");
    let changes = [
        // Which of the tests, the text, another text, the word for the result.
        (1, "*other.1.lock().unwrap() += 1;", "", "Diverged"),
        (1, "if round == 10 {", "if round == 99 {", "Diverged"),
        (
            2,
            "halves[1].store(value, Ordering::SeqCst);",
            "halves[1].swap(value, Ordering::SeqCst);",
            "Diverged",
        ),
        (
            2,
            "load(Ordering::SeqCst) < 2",
            "load(Ordering::SeqCst) < 3",
            "Passes",
        ),
        (
            2,
            "both halves were torn",
            "another failure",
            "another failure",
        ),
    ];
    for (test, from, to, expected) in changes {
        assert!(source.contains(from), "{from}");
        fs::write(&path, source.replace(from, to)).expect("it can be written");
        let told = replay(&workspace, &ids[test]);
        assert!(told.stdout.contains(expected), "{from}: {told:#?}");
        assert!(!told.stdout.contains("Reproduced"), "{from}: {told:#?}");
        if expected == "Diverged" {
            let tolerant = ["replay", &ids[test], "--tolerant"];
            let told = Finished::of(workspace.cct().args(tolerant));
            assert!(
                told.stdout.contains("Followed as far as"),
                "{from}: {told:#?}"
            );
            let fails = told.stdout.contains("it fails");
            told.expect(if fails { 100 } else { 0 });
        }
    }
    // The steps are the same, and the values that they are about are not.
    let edited = source.replace("for value in 1..3 {", "for value in [1, 7] {");
    let edited = edited.replace("(1..3)", "[1, 7].into_iter()");
    fs::write(&path, edited).expect("it can be written");
    let told = replay(&workspace, &ids[2]);
    assert!(told.stdout.contains("are others"), "{told:#?}");
    let renamed = source.replace(TESTS[0], "renamed");
    fs::write(&path, renamed).expect("it can be written");
    let told = replay(&workspace, &ids[0]);
    told.expect(96);
    assert!(told.stderr.contains("is gone"), "{told:#?}");
}
