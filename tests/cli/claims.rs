//! A claim about all schedules names what it leaves out: all of it, and nothing else.

use std::fmt::Write as _;

use cct_tests::support::{Events, Workspace};
use serde_json::Value;

use crate::explored::text;

/// Strategies that enumerate, with the scope of what they claim.
const ENUMERATING: [(&str, &str); 2] = [("dfs", "all"), ("dpor", "proved")];
/// The dependency that is one step.
const ATOMIC: [&str; 2] = ["--atomic", "counter"];

/// Explores a test target of one of the fixture's packages, whose dependencies are from outside its
/// workspace.
fn explored(workspace: &Workspace, target: (&str, &str), args: &[&str], code: i32) -> Events {
    let (package, target) = target;
    let manifest = format!("{package}/Cargo.toml");
    let first = ["--manifest-path", &manifest, "--test", target];
    workspace.explore(&[&first, args].concat(), code)
}

/// The claim: its scope, and its exceptions. Words and value must agree.
#[track_caller]
fn claimed(ended: &Value) -> (String, Vec<String>) {
    let claim = &ended["claim"];
    assert!(claim.is_object(), "no claim: {ended:#}");
    let names = claim["but_for"].as_array().expect("a list").iter();
    let names: Vec<_> = names.map(|name| text(name).to_owned()).collect();
    let told = text(&claim["text"]);
    let listed = match &names[..] {
        [] => String::new(),
        [one] => format!(", but for {one}"),
        [first @ .., last] => format!(", but for {} and {last}", first.join(", ")),
    };
    let rest = told.replacen(&listed, "", 1);
    let agrees = told.contains(&listed) && !rest.contains("but for");
    assert!(agrees, "{told}: {names:?}");
    (text(&claim["scope"]).to_owned(), names)
}

#[track_caller]
fn assert_claim(events: &Events, test: &str, scope: &str, but_for: &[&str]) {
    let (found, names) = claimed(events.test(test));
    assert_eq!(
        (&*found, &names[..]),
        (scope, &strings(but_for)[..]),
        "{test}"
    );
}

fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// Each test, and what is left out of it.
const SINGLE: [(&str, &[&str]); 25] = [
    ("nothing", &[]),
    ("time_out", &["time-outs"]),
    ("sleep", &["sleeps"]),
    ("clock", &["clocks"]),
    ("weak_store", &["weak orderings"]),
    ("weak_failure", &["weak orderings"]),
    ("weak_fence", &["weak orderings"]),
    ("weak_exchange", &["spurious failures"]),
    ("update", &["spurious failures"]),
    ("wait", &["spurious wake-ups"]),
    ("park", &["spurious wake-ups"]),
    ("spinning", &["spinning"]),
    ("dependency", &["atomic dependencies"]),
    ("small_dependency", &[]),
    ("thread_end", &["thread ends"]),
    ("token_at_a_scopes_end", &["park tokens"]),
    ("token_at_a_channel", &["park tokens"]),
    ("hash", &["random numbers"]),
    ("input", &["standard input"]),
    ("file", &["files"]),
    ("environment", &["environment"]),
    ("processors", &["environment"]),
    ("socket", &["other processes"]),
    ("done_before_there_was_another", &[]),
    ("slept_when_the_others_had_ended", &[]),
];

/// The facts of the source, by target: each has more than one worker.
const LINKED: [(&str, &str, &str, &[&str]); 10] = [
    ("app", "counts", "counted", &["reference counts"]),
    ("app", "memory", "pointer", &["plain memory"]),
    (
        "app",
        "memory",
        "file_by_number",
        &["plain memory", "files"],
    ),
    (
        "app",
        "allocators",
        "two_allocate",
        &["plain memory", "allocators"],
    ),
    (
        "app",
        "asked",
        "processor_time",
        &["clocks", "plain memory"],
    ),
    (
        "app",
        "asked",
        "process_number",
        &["plain memory", "environment"],
    ),
    ("app", "asked", "limit", &["plain memory", "environment"]),
    (
        "app",
        "asked",
        "shared_memory",
        &["plain memory", "other processes"],
    ),
    // By another name, from a dependency; and by a procedural macro.
    ("through", "through", "counted", &["reference counts"]),
    ("made", "made", "pointer", &["plain memory"]),
];

#[test]
fn each_thing_is_named_where_it_happened() {
    let workspace = Workspace::of_fixture("claims");
    for (strategy, scope) in ENUMERATING {
        let args = ["--strategy", strategy, "--iterations", "20000"];
        let single = [&ATOMIC, &args[..], &["--", "--skip", "cut_off"]].concat();
        let events = explored(&workspace, ("app", "single"), &single, 0);
        for (name, expected) in SINGLE {
            let test = format!("claims::single {name}");
            assert_claim(&events, &test, scope, expected);
        }
        assert_claim(&events, "claims::single alone", "sequential", &[]);
        let inputs = ["clocks", "random numbers", "files", "environment"];
        let test = "claims::single alone_with_inputs";
        assert_claim(&events, test, "sequential", &inputs);

        for (package, target, name, expected) in LINKED {
            let without = [&args[..], &["--counts", "none", "--races=false"]].concat();
            let events = explored(&workspace, (package, target), &without, 0);
            let package = if package == "app" { "claims" } else { package };
            let named = |name| format!("{package}::{target} {name}");
            assert_claim(&events, &named(name), scope, expected);
            if events.ended().contains_key(&named("alone")) {
                assert_claim(&events, &named("alone"), "sequential", &[]);
            }
        }
    }
}

/// Counts of references are steps, and then no exception.
#[test]
fn what_is_a_step_is_not_left_out() {
    let workspace = Workspace::of_fixture("claims");
    for (strategy, scope) in ENUMERATING {
        let args = ["--strategy", strategy];
        let events = explored(&workspace, ("app", "counts"), &args, 0);
        assert_claim(&events, "claims::counts counted", scope, &[]);
    }
}

/// Without the setting a dependency is as any other code to strategies that enumerate; with it, or when all
/// dependencies are atomic, it is named.
#[test]
fn dependencies_are_named_where_they_were_one_step() {
    let workspace = Workspace::of_fixture("claims");
    let cases: [(&[&str], &[&str]); 3] = [
        (&[], &[]),
        (&["--granularity", "all"], &[]),
        (&["--granularity", "workspace"], &["atomic dependencies"]),
    ];
    for (granularity, expected) in cases {
        let args = ["--strategy", "dfs", "--", "dependency"];
        let args = [granularity, &args].concat();
        let events = explored(&workspace, ("app", "single"), &args, 0);
        assert_claim(&events, "claims::single dependency", "all", expected);
    }
}

/// The pieces of the fixture, in its order, which is that of claims.
const PIECES: [&str; 10] = [
    "time-outs",
    "sleeps",
    "clocks",
    "weak orderings",
    "spurious failures",
    "spurious wake-ups",
    "atomic dependencies",
    "random numbers",
    "files",
    "environment",
];

/// Writes a target with the sets of these numbers, and with code that is never called.
fn write_law(workspace: &Workspace, target: &str, sets: impl Iterator<Item = usize>, more: &str) {
    let mut list = "sets! {\n".to_owned();
    for bits in sets {
        writeln!(list, "    set_{bits} {bits};").expect("room");
    }
    list.push_str("}\n");
    let law = workspace.read("app/tests/law.rs");
    let included = format!("{target}.in");
    let law = law.replace("sets.in", &included);
    workspace.write(&format!("app/tests/{included}"), &list);
    workspace.write(&format!("app/tests/{target}.rs"), &(law + more));
}

/// For each of 1,024 sets of things, and for some with what only the source tells, exactly these are named.
#[test]
fn exactly_what_happened_is_named() {
    let workspace = Workspace::of_fixture("claims");
    let unused = "\n#[allow(unused)]\n";
    let counts = format!("{unused}type Counted = std::sync::Arc<u32>;\n");
    let memory = format!("{unused}unsafe fn unused() {{}}\n");
    let both = format!("{counts}{memory}");
    let cases: [(&str, usize, &str, &[&str]); 4] = [
        ("neither", 1, "", &[]),
        ("counts", 16, &counts, &["reference counts"]),
        ("memory", 16, &memory, &["plain memory"]),
        ("both", 16, &both, &["reference counts", "plain memory"]),
    ];
    for (name, step, more, linked) in cases {
        let target = format!("law_{name}");
        let sets = || {
            (0..1 << PIECES.len())
                .step_by(step)
                .map(|bits| bits | ((bits >> 4) % step))
        };
        write_law(&workspace, &target, sets(), more);
        for (strategy, scope) in ENUMERATING {
            let args = [
                &ATOMIC[..],
                &["--strategy", strategy, "--counts", "none", "--races=false"],
            ]
            .concat();
            let events = explored(&workspace, ("app", &target), &args, 0);
            let ended = events.ended();
            assert_eq!(ended.len(), (1 << PIECES.len()) / step);
            for bits in sets() {
                let (found, names) = claimed(ended[&format!("claims::{target} set_{bits}")]);
                let done = PIECES
                    .iter()
                    .enumerate()
                    .filter(|(at, _)| bits >> at & 1 != 0);
                let mut expected: Vec<_> = done.map(|(_, name)| *name).collect();
                // These come after clocks.
                let before = ["time-outs", "sleeps", "clocks"];
                let at = expected.iter().filter(|name| before.contains(name)).count();
                expected.splice(at..at, linked.iter().copied());
                assert_eq!((&*found, names), (scope, strings(&expected)), "{bits}");
            }
        }
    }
}

/// Of a schedule that did not come to its end nothing is claimed, nor of any with it.
#[test]
fn nothing_is_claimed_of_what_was_cut_off() {
    let workspace = Workspace::of_fixture("claims");
    let args = [&ATOMIC[..], &["--strategy", "dfs", "--max-steps", "100"]].concat();
    // One of them is unfinished.
    let events = explored(&workspace, ("app", "single"), &args, 100);
    for name in ["cut_off", "detached"] {
        let ended = events.test(&format!("claims::single {name}"));
        assert_eq!(ended["claim"], Value::Null, "{ended:#}");
    }
}

/// The claim is the same from every strategy, and from any number of processes.
#[test]
fn a_claim_is_the_same_wherever_it_is_made() {
    let workspace = Workspace::of_fixture("claims");
    let target = ("app", "single");
    let test = "claims::single several";
    let but_for = ["weak orderings", "files"];
    let explored = |args: &[&str]| explored(&workspace, target, args, 0);
    for jobs in ["-j1", "-j4"] {
        // Random strategies do as much as they can meanwhile, and find nothing that counts.
        let args = [jobs, "--strategy", "random,dfs", "several"];
        assert_claim(&explored(&args), test, "all", &but_for);
    }
    let resumed = ["--strategy", "dfs", "--resume", "search", "several"];
    let first = explored(&[&resumed[..], &["--iterations", "2"]].concat());
    assert_eq!(first.test(test)["claim"], Value::Null);
    // The first schedules used a file: what is left of them is what is claimed.
    for _ in 0..2 {
        assert_claim(&explored(&resumed), test, "all", &but_for);
    }
    let args = ["--strategy", "random", "several"];
    assert_eq!(explored(&args).test(test)["claim"], Value::Null);
    let events = explored(&["--strategy", "preemption:1", "nothing"]);
    assert_claim(&events, "claims::single nothing", "bounded", &[]);

    let args = [
        "--strategy",
        "random,dfs,dpor",
        "--compare-strategies",
        "several",
    ];
    let compared = explored(&args);
    let rows = compared.only("comparison")["strategies"].clone();
    let row = |at: usize| claimed(&rows[at]);
    assert_eq!(rows[0]["claim"], Value::Null);
    assert_eq!(row(1), ("all".to_owned(), strings(&but_for)));
    assert_eq!(row(2), ("proved".to_owned(), strings(&but_for)));
    let manifest = ["--manifest-path", "app/Cargo.toml", "--test", "single"];
    let told = workspace.test(&[&manifest[..], &args].concat(), 0).stdout;
    let line = "dpor: proved over all interleavings, but for weak orderings and files:";
    assert!(told.contains(line), "{told}");
    let args = ["-v", "--strategy", "dpor", "several"];
    let told = workspace.test(&[&manifest[..], &args].concat(), 0).stdout;
    let line = "1 test explored to the end, but for weak orderings and files";
    assert!(told.contains(line), "{told}");
}

/// By default, all else than the schedules that there are would be found by more of them only.
#[test]
fn a_search_ends_when_there_is_no_choice_point() {
    let workspace = Workspace::of_fixture("claims");
    for jobs in ["-j1", "-j3"] {
        let events = explored(&workspace, ("app", "early"), &[jobs], 0);
        let ended = events.ended();
        assert_eq!(ended.len(), 9);
        for (test, ended) in ended {
            let schedules = ended["counters"]["schedules"].as_u64().expect("a number");
            if test.contains("goes_on") {
                assert_eq!(schedules, 1000, "{ended:#}");
                assert!(ended["claim"].is_null(), "{ended:#}");
                continue;
            }
            assert!(schedules < 200, "{ended:#}");
            let (scope, _) = claimed(ended);
            assert_eq!(scope, "all", "{ended:#}");
            let told = text(&ended["claim"]["text"]);
            let expected = match test.rsplit(' ').next() {
                Some("ends_alone" | "ends_alone_where_nobody_joins") => {
                    "1 schedule: no choice point"
                }
                Some("ends_alone_with_a_clock") => "1 schedule: no choice point, but for clocks",
                _ => "all 3 schedules explored",
            };
            assert_eq!(told, expected, "{ended:#}");
        }
        let plans = ["--strategy", "period:2", "ends_alone"];
        let events = explored(&workspace, ("app", "early"), &plans, 0);
        let claim = &events.test("claims::early ends_alone")["claim"];
        assert_eq!(claim["scope"], "planned", "{claim:#}");
        assert!(
            text(&claim["text"]).contains("up to bound 2 carried out"),
            "{claim:#}"
        );
        let events = explored(&workspace, ("app", "memory"), &[jobs, "bytes"], 0);
        let drawn = events.test("claims::memory bytes");
        assert_eq!(drawn["counters"]["schedules"], 1000, "{drawn:#}");
        // Strategies that were asked for have all of their schedules, and so has a small budget.
        for args in [["--strategy", "random"], ["--iterations", "100"]] {
            let events = explored(&workspace, ("app", "early"), &[jobs, args[0], args[1]], 0);
            let ended = events.test("claims::early ends_alone");
            assert!(ended["claim"].is_null(), "{ended:#}");
        }
    }
}
