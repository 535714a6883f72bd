//! The owner of a file follows from cargo's description of its package, wherever that lies.

use std::fmt::Write as _;
use std::os::unix::fs::symlink;

use cct_tests::support::{Finished, Workspace};

use crate::explored::text;

/// Where the workspace lies: a path that looks as if it were a package of a registry.
const ROOT: &str = ".cargo/registry/src/ws-1.0.0";

/// Packages by their folders, seen from the workspace; and whether they are of the workspace.
const PACKAGES: [(&str, &str, bool); 5] = [
    ("inner", "inner", true),
    ("outer", "../../../../outer", true),
    ("fork", "fork", false),
    ("library", "../../../../library", false),
    ("vendored", "vendor/vendored", false),
];

/// The origin of each package.
const LIBRARY: &str = "\
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

pub fn add_twice(to: &AtomicU32) {
    let seen = to.load(SeqCst);
    to.store(seen + 2, SeqCst);
}
";

/// The tests of the package at the root; those of the packages follow.
const TESTS: &str = "\
#![cfg(test)]
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

fn both(add: fn(&AtomicU32)) {
    let sum = AtomicU32::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| add(&sum));
        add(&sum);
    });
    assert!(sum.load(SeqCst) > 1);
}

#[test]
fn fails() {
    library::add_twice(&AtomicU32::new(0));
    panic!(\"on purpose\");
}
";

/// A member in the workspace and one outside, a path dependency in it that is no member and one outside, and
/// one that is vendored; each test calls one of them.
fn workspace() -> Workspace {
    let workspace = Workspace::empty(None);
    let write = |file: &str, text: &str| workspace.write(&format!("{ROOT}/{file}"), text);
    let package = |name: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"1.0.0\"\nedition = \"2024\"\n")
    };
    let mut manifest = format!(
        "[workspace]\nmembers = [\"inner\", \"../../../../outer\"]\nexclude = [\"fork\"]\n{}\
         [dependencies]\n",
        package("app")
    );
    let mut tests = TESTS.to_owned();
    for (name, folder, _) in PACKAGES {
        let mut own = package(name);
        if name == "outer" {
            writeln!(own, "workspace = \"../{ROOT}\"").expect("text takes text");
        }
        write(&format!("{folder}/Cargo.toml"), &own);
        write(&format!("{folder}/src/lib.rs"), LIBRARY);
        let place = match name {
            "vendored" => "version = \"1\"".to_owned(),
            _ => format!("path = \"{folder}\""),
        };
        writeln!(manifest, "{name} = {{ {place} }}").expect("text takes text");
        let test = format!("\n#[test]\nfn of_{name}() {{\n    both({name}::add_twice);\n}}\n");
        tests.push_str(&test);
    }
    write("Cargo.toml", &manifest);
    write("src/lib.rs", &tests);
    write(
        ".cargo/config.toml",
        "[source.crates-io]\nreplace-with = \"vendored\"\n[source.vendored]\ndirectory = \"vendor\"\n",
    );
    write("vendor/vendored/.cargo-checksum.json", "{\"files\":{}}");
    workspace
}

#[test]
fn calls_into_packages_that_are_no_members_are_one_step() {
    let workspace = workspace();
    let link = workspace.path("link");
    symlink(workspace.path(ROOT), link).expect("the folder is writable");
    for root in [ROOT, "link"] {
        let mut command = workspace.cct();
        command.current_dir(workspace.path(root));
        command.args([
            "test",
            "--json",
            "--lib",
            "of_",
            "--strategy",
            "dfs",
            "--granularity",
            "workspace",
        ]);
        let finished = Finished::of(&mut command);
        finished.expect(0);
        let events = cct_tests::support::Events::of(&finished);
        for (name, folder, is_member) in PACKAGES {
            let claim = &events.test(&format!("app of_{name}"))["claim"];
            let but_for = claim["but_for"].as_array().expect("a list").iter();
            let is_one_step = but_for.map(text).any(|name| name == "atomic dependencies");
            assert_eq!(
                is_one_step, !is_member,
                "{root}: {name} in {folder}: {claim}"
            );
        }
    }
}

#[test]
fn a_report_knows_packages_also_when_it_is_shown_again() {
    let workspace = workspace();
    let run = |args: &[&str]| {
        let mut command = workspace.cct();
        Finished::of(command.current_dir(workspace.path(ROOT)).args(args))
    };
    let found = run(&["test", "--lib", "fails", "--iterations", "1"]);
    found.expect(100);
    let shown = run(&["show"]);
    shown.expect(0);
    for report in [&found.stdout, &shown.stdout] {
        assert!(report.contains("in library"), "{report}");
    }
}
