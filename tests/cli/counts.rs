//! Counts of references as steps: bugs that depend on them, and an independent model of what can happen.

use std::collections::BTreeSet;
use std::fs;

use cct_tests::support::{Finished, Workspace};

#[test]
fn what_depends_on_a_count_is_found_and_replayed() {
    let workspace = Workspace::of_fixture("counts");
    let args = ["--counts", "auto", "--test", "bugs", "--test", "sound"];
    let events = workspace.explore(&args, 100);
    for name in [
        "the_last_is_dropped_elsewhere",
        "it_is_unwrapped",
        "it_is_gone",
        "it_has_one_owner",
    ] {
        let ended = events.test(&format!("counts::bugs {name}"));
        assert_eq!(ended["status"], "FAIL", "{ended:#}");
        let failure = &ended["failure"];
        assert_eq!(failure["repeats"]["repeats"], "yes", "{failure:#}");
        let id = failure["id"].as_str().expect("it has an id");
        let replayed = Finished::of(workspace.cct().args(["replay", id]));
        replayed.expect(100);
    }
    // Clones that are dropped again leave everything as it was.
    let spins = events.test("counts::bugs it_spins_for_ever_and_clones");
    assert_eq!(spins["status"], "LIVELOCK", "{spins:#}");
    for name in ["clones_only", "one_owner"] {
        let ended = events.test(&format!("counts::sound {name}"));
        assert_eq!(ended["status"], "PASS", "{ended:#}");
    }
}

#[test]
fn claims_leave_counts_out_unless_they_are_steps() {
    let workspace = Workspace::of_fixture("counts");
    let claim = |args: &[&str]| {
        let args = [&["--test", "sound", "--strategy", "dfs"], args].concat();
        let events = workspace.explore(&args, 0);
        events.test("counts::sound clones_only")["claim"].clone()
    };
    let left_out = |args: &[&str]| {
        let claim = claim(args);
        let mut names = claim["but_for"]
            .as_array()
            .expect("all was explored")
            .iter();
        names.any(|name| name == "reference counts")
    };
    assert!(left_out(&[]));
    assert!(!left_out(&["--counts", "drops"]));
    assert!(!left_out(&["--counts", "all"]));
    // An owner that is the only one makes no steps.
    let events = workspace.explore(&["--test", "sound", "--counts", "all", "one_owner"], 0);
    let alone = events.test("counts::sound one_owner");
    assert_eq!(alone["counters"]["choice_points"], 0, "{alone:#}");
}

#[test]
fn all_outcomes_of_small_programs_are_reached_and_no_other() {
    let workspace = Workspace::of_fixture("counts");
    // With looks at counts all operations are steps, and without them drops are enough.
    for (program, counts) in [
        ("d d", "drops"),
        ("c cdd", "drops"),
        ("s d", "all"),
        ("t t", "all"),
        ("u d", "all"),
        ("cs t", "all"),
        ("du ds", "all"),
        ("ts u", "all"),
    ] {
        let file = workspace.path("outcomes");
        let _ = fs::remove_file(&file);
        let args = [
            "test",
            "--seed",
            "1",
            "--test",
            "program",
            "--strategy",
            "dpor",
            "--counts",
            counts,
            "--iterations",
            "100000",
            "-v",
        ];
        let mut tool = workspace.cct();
        tool.args(args)
            .env("PROGRAM", program)
            .env("OUTCOMES", &file);
        let finished = Finished::of(&mut tool);
        finished.expect(0);
        assert!(finished.stdout.contains("proved"), "{finished:#?}");
        let seen = fs::read_to_string(&file).expect("it was written");
        let seen: BTreeSet<&str> = seen.lines().collect();
        let expected = outcomes(program);
        let expected: BTreeSet<&str> = expected.iter().map(String::as_str).collect();
        assert_eq!(seen, expected, "{program}");
    }
}

/// What each thread of the model does next, in steps that nobody can interrupt.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Step {
    /// The main thread makes a reference for the thread of this number, and starts it next.
    Make(usize),
    Start(usize),
    Clone,
    /// The reference is given up; the value goes with the last.
    Drop,
    /// The value is dropped by the thread that gave up the last reference.
    DropValue,
    Count,
    Unwrap,
    Upgrade,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Thread {
    is_started: bool,
    owned: usize,
    todo: Vec<Step>,
    seen: String,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct State {
    count: usize,
    dropped_by: usize,
    /// The main thread first.
    threads: Vec<Thread>,
}

/// All outcomes of a program by std's documentation: every order of its steps.
fn outcomes(program: &str) -> BTreeSet<String> {
    let words: Vec<&str> = program.split(' ').collect();
    let step = |letter| match letter {
        'c' => Step::Clone,
        'd' => Step::Drop,
        's' => Step::Count,
        't' => Step::Unwrap,
        _ => Step::Upgrade,
    };
    let starts = (1..=words.len()).flat_map(|number| [Step::Make(number), Step::Start(number)]);
    let main = Thread {
        is_started: true,
        owned: 1,
        todo: starts.chain([Step::Drop]).collect(),
        seen: String::new(),
    };
    let others = words.iter().map(|word| Thread {
        is_started: false,
        owned: 1,
        todo: word.chars().map(step).collect(),
        seen: String::new(),
    });
    let mut open = vec![State {
        count: 1,
        dropped_by: 0,
        threads: std::iter::once(main).chain(others).collect(),
    }];
    let (mut known, mut found) = (BTreeSet::new(), BTreeSet::new());
    while let Some(state) = open.pop() {
        if !known.insert(state.clone()) {
            continue;
        }
        let mut is_over = true;
        for number in 0..state.threads.len() {
            if let Some(next) = after(&state, number) {
                is_over = false;
                open.push(next);
            }
        }
        if is_over {
            let seen: Vec<&str> = state.threads[1..].iter().map(|it| &*it.seen).collect();
            found.insert(format!("{} {}", seen.join(" "), state.dropped_by));
        }
    }
    found
}

/// The state after this thread's next step, if it has one.
fn after(state: &State, number: usize) -> Option<State> {
    let mut state = state.clone();
    let thread = &mut state.threads[number];
    if !thread.is_started {
        return None;
    }
    let step = if thread.todo.is_empty() {
        // What a thread owns it gives up in the end.
        (thread.owned > 0).then_some(Step::Drop)?
    } else {
        thread.todo.remove(0)
    };
    match step {
        Step::Make(_) => state.count += 1,
        Step::Start(other) => state.threads[other].is_started = true,
        Step::Clone if thread.owned > 0 => {
            thread.owned += 1;
            state.count += 1;
        }
        Step::Drop if thread.owned > 0 => {
            thread.owned -= 1;
            state.count -= 1;
            if state.count == 0 {
                thread.todo.insert(0, Step::DropValue);
            }
        }
        Step::Clone | Step::Drop => {}
        Step::DropValue => state.dropped_by = number,
        Step::Count if thread.owned > 0 => thread.seen.push_str(&state.count.to_string()),
        Step::Unwrap if thread.owned > 0 => {
            if state.count == 1 {
                thread.owned -= 1;
                state.count = 0;
                thread.todo.insert(0, Step::DropValue);
                thread.seen.push('t');
            } else {
                // It is given back, and dropped.
                thread.todo.insert(0, Step::Drop);
                thread.seen.push('f');
            }
        }
        Step::Count | Step::Unwrap => thread.seen.push('-'),
        Step::Upgrade => {
            if state.count > 0 {
                state.count += 1;
                thread.owned += 1;
                thread.todo.insert(0, Step::Drop);
                thread.seen.push('y');
            } else {
                thread.seen.push('n');
            }
        }
    }
    Some(state)
}
