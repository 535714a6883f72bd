//! Rewritten source that nobody notices: same files, same places, same builds, and the way back when
//! rewriting goes wrong.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf};

use cct_tests::support::{Events, Finished, Workspace};
use serde_json::Value;

const FIXTURE: &str = "source layer";

/// The packages that cargo says it compiles, in order.
fn compiled(finished: &Finished) -> Vec<&str> {
    let lines = finished.stderr.lines().map(str::trim_start);
    let mut names: Vec<_> = lines
        .filter_map(|line| line.strip_prefix("Compiling ")?.split(' ').next())
        .collect();
    names.sort_unstable();
    names
}

/// The treatment of each crate: package, target, passes.
fn crates(workspace: &Workspace, args: &[&str]) -> Vec<Value> {
    let events = workspace.explore(&[&["--no-run", "-v"], args].concat(), 0);
    events.of_kind("crate").cloned().collect()
}

fn passes_of<'a>(crates: &'a [Value], package: &str) -> BTreeSet<&'a str> {
    let of_package = crates.iter().filter(|it| it["package"] == package);
    let passes = of_package.filter_map(|it| it["passes"].as_array());
    passes.flatten().filter_map(Value::as_str).collect()
}

#[test]
fn files_and_places_are_the_users() {
    let workspace = Workspace::of_fixture(FIXTURE);
    Finished::of(workspace.cargo().args(["test", "--quiet"])).expect(0);
    let finished = workspace.test(&["-v"], 0);
    let told = &finished.stderr;
    assert!(
        told.contains("Rewritten app 0.1.0 (lib app, tests of lib app, test public)"),
        "{told}"
    );
    assert!(
        told.contains("Rewritten bare 0.1.0") && told.contains("Rewritten old 0.1.0"),
        "{told}"
    );
    // It is part of the build.
    assert!(!told.contains("Rewritten named"), "{told}");
    let mut lines = told.lines().map(str::trim_start);
    let is_said = |line: &str| line.starts_with("Interleaved ") && line.contains("app 0.1.0");
    assert!(lines.any(is_said), "{told}");
    // The tests would pass, too, if nothing were rewritten.
    let shadows = fs::read_dir(workspace.path("target/cct/shadow")).expect("trees were made");
    let root = workspace.path("app/src/inner.rs");
    let rewritten = shadows.filter_map(Result::ok).any(|tree| {
        let inner = tree
            .path()
            .join(root.strip_prefix("/").expect("an absolute path"));
        let text = fs::read_to_string(inner).unwrap_or_default();
        text.contains("include_str!(\"/") && text.lines().count() == 11
    });
    assert!(rewritten);
}

#[test]
fn what_did_not_change_is_not_built_again() {
    let workspace = Workspace::of_fixture(FIXTURE);
    let build = || workspace.test(&["--no-run"], 0);
    assert_eq!(compiled(&build()), ["app", "bare", "named", "old"]);
    assert_eq!(compiled(&build()), [""; 0]);
    for (file, old, new) in [
        ("app/src/inner/deeper.rs", "line!()", "line!() + 0"),
        ("app/tests/common/mod.rs", "line!()", "line!() + 0"),
        ("shared/deep.rs", "line!()", "line!() + 0"),
        ("README.md", "A workspace", "Workspace"),
    ] {
        workspace.replace(file, old, new);
        assert_eq!(compiled(&build()), ["app"], "{file}");
        assert_eq!(compiled(&build()), [""; 0], "{file}");
    }
}

#[test]
fn files_come_and_go() {
    let workspace = Workspace::of_fixture(FIXTURE);
    workspace.test(&["--no-run"], 0);
    let text = workspace.read("app/src/inner/deeper.rs");
    fs::remove_file(workspace.path("app/src/inner/deeper.rs")).expect("the copy is ours");
    workspace.write("app/src/inner/deeper/mod.rs", &text);
    workspace.replace(
        "app/src/lib.rs",
        "src/inner/deeper.rs\", 2",
        "src/inner/deeper/mod.rs\", 2",
    );
    workspace.replace(
        "app/tests/public.rs",
        "inner/deeper.rs",
        "inner/deeper/mod.rs",
    );
    // Were the old file still there, the module would be in two places.
    let crates = crates(&workspace, &[]);
    let kept = crates
        .iter()
        .all(|it| it["rewritten_source_compiles"] == true);
    assert!(kept, "{crates:#?}");
    workspace.test(&[], 0);
}

#[test]
fn files_outside_the_workspace_are_found() {
    let workspace = Workspace::of_fixture(FIXTURE);
    workspace.write("../beyond/mod.rs", "pub mod child;\n");
    workspace.write(
        "../beyond/child.rs",
        "pub const TEXT: &str = include_str!(\"../words.txt\");\n\
         pub const SELF: &str = include_str!(\"child.rs\");\n",
    );
    workspace.write("../words.txt", "words");
    let library = workspace.read("app/src/lib.rs")
        + "\n#[path = \"../../../beyond/mod.rs\"]\nmod beyond;\n\n#[test]\nfn it_is_found() {\n    \
           assert_eq!(beyond::child::TEXT, \"words\");\n    \
           assert!(beyond::child::SELF.contains(\"(\\\"child.rs\"));\n}\n";
    workspace.write("app/src/lib.rs", &library);
    let crates = crates(&workspace, &["--package", "app"]);
    let kept = crates
        .iter()
        .all(|it| it["rewritten_source_compiles"] == true);
    assert!(kept, "{crates:#?}");
    workspace.test(&["--package", "app"], 0);
}

/// The files that a build depends on, as cargo finds them.
fn dependencies(workspace: &Workspace, folder: &str, krate: &str) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(workspace.path(folder)).expect("it was built") {
        let path = entry.expect("a readable folder").path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let is_rule = path.extension().is_some_and(|end| end == "d");
        if !is_rule || !name.starts_with(&format!("{krate}-")) {
            continue;
        }
        let text = fs::read_to_string(path).expect("a text");
        let rule = text.lines().next().expect("a rule");
        let (_, files) = rule.split_once(".d: ").expect("a rule of its own");
        let files = files.replace("\\ ", "\0");
        let files = files.split(' ').map(|file| file.replace('\0', " "));
        found.extend(files.map(|file| plain(&workspace.path(&file))));
    }
    found
}

/// Takes `..` out of a path.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(out.pop()),
            other => out.push(other),
        }
    }
    out
}

#[test]
fn cargo_knows_of_the_same_files() {
    let workspace = Workspace::of_fixture(FIXTURE);
    Finished::of(workspace.cargo().args(["test", "--no-run"])).expect(0);
    workspace.test(&["--no-run"], 0);
    let ours = fs::read_dir(workspace.path("target/cct")).expect("it was built");
    let mut ours = ours
        .filter_map(Result::ok)
        .map(|entry| entry.path().join("debug/deps"));
    let ours = ours.find(|path| path.is_dir() && !path.ends_with("cct/debug/deps"));
    let ours = ours.expect("a folder for the target");
    for krate in ["app", "public", "old", "bare", "places"] {
        let natively = dependencies(&workspace, "target/debug/deps", krate);
        let mut here = dependencies(&workspace, &ours.to_string_lossy(), krate);
        here.retain(|file| !file.ends_with("lib/stamp"));
        // The products of the build script lie elsewhere.
        let same = |files: BTreeSet<PathBuf>| -> BTreeSet<PathBuf> {
            files
                .into_iter()
                .filter(|file| !file.ends_with("out/made.rs"))
                .collect()
        };
        assert!(!natively.is_empty());
        assert_eq!(same(here), same(natively), "{krate}");
    }
}

#[test]
fn an_error_is_told_once_and_at_its_place() {
    let workspace = Workspace::of_fixture(FIXTURE);
    workspace.replace(
        "app/src/inner.rs",
        "(file!(), line!())",
        "(file!(), lime!())",
    );
    let finished = workspace.test(&["--package", "app", "--lib"], 101);
    let told = &finished.stderr;
    assert!(told.contains("--> app/src/inner.rs:6:15\n"), "{told}");
    assert!(told.contains("6 |     (file!(), lime!())\n"), "{told}");
    // The library and its tests are two crates.
    let count = told.matches("error: cannot find macro `lime`").count();
    assert!((1..=2).contains(&count), "{told}");
    assert!(!told.contains("shadow"), "{told}");

    workspace.replace("app/src/inner.rs", "lime!()", "line!()");
    workspace.replace("shared/deep.rs", "line!()", "line!()\n        + true");
    let finished = workspace.test(&["--package", "app", "--test", "public"], 101);
    let told = &finished.stderr;
    assert!(
        told.contains("--> app/src/../../shared/deep.rs:5:9\n"),
        "{told}"
    );
    assert_eq!(told.matches("error[E0277]").count(), 1, "{told}");
}

#[test]
fn a_warning_is_told_once_and_at_its_place() {
    let workspace = Workspace::of_fixture(FIXTURE);
    workspace.replace(
        "old/src/lib.rs",
        "    dyn + 1",
        "    let unused = 1;\n    dyn + 1",
    );
    let finished = workspace.test(&["--package", "old", "--no-run"], 0);
    let told = &finished.stderr;
    assert!(told.contains("--> old/src/lib.rs:11:9\n"), "{told}");
    assert_eq!(
        told.matches("warning: unused variable").count(),
        1,
        "{told}"
    );
}

/// Code that a macro of the user's takes literally: no other spelling will do.
const LITERAL: &str = r#"
mod literal {
    macro_rules! include_str {
        ("inner.rs") => { 7 };
    }
    #[test]
    fn it_is_seven() {
        assert_eq!(include_str!("inner.rs"), 7);
    }
}
"#;

#[test]
fn what_rewriting_breaks_is_compiled_as_written() {
    let workspace = Workspace::of_fixture(FIXTURE);
    let log = workspace.path("calls.log");
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in *'--crate-name app '*) echo call >> '{}';; esac\nexec \"$@\"\n",
        log.display()
    );
    workspace.write("wrapper.sh", &script);
    let wrapper = workspace.path("wrapper.sh");
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).expect("the script is ours");
    let library = workspace.read("app/src/lib.rs") + LITERAL;
    workspace.write("app/src/lib.rs", &library);

    let run = |more: &[&str]| {
        let mut command = workspace.cct();
        let args = ["test", "--seed", "1", "-v", "--package", "app", "--lib"];
        let finished = Finished::of(command.args(args).args(more).env("RUSTC_WRAPPER", &wrapper));
        let calls = fs::read_to_string(&log).unwrap_or_default().lines().count();
        let _ = fs::remove_file(&log);
        finished.expect(0);
        (finished, calls)
    };
    let (finished, calls) = run(&[]);
    let told = &finished.stderr;
    let loss = "As written app 0.1.0 (tests of lib app): the rewritten source did not compile";
    assert!(told.contains(loss), "{told}");
    assert!(!told.contains("error") && calls >= 2, "{calls}\n{told}");

    // The same text does not fail again.
    workspace.write("app/src/lib.rs", &library);
    let (finished, calls) = run(&["--no-run"]);
    assert_eq!(
        (compiled(&finished), calls),
        (vec!["app"], 1),
        "{}",
        finished.stderr
    );
    assert!(finished.stderr.contains(loss), "{}", finished.stderr);

    // Another may do.
    workspace.replace("app/src/lib.rs", "(\"inner.rs\") =>", "($file:literal) =>");
    let (finished, calls) = run(&["--no-run"]);
    assert!(
        finished.stderr.contains("Rewritten app 0.1.0"),
        "{}",
        finished.stderr
    );
    assert_eq!(calls, 1);
}

#[test]
fn it_can_be_turned_off() {
    let workspace = Workspace::of_fixture(FIXTURE);
    let all = crates(&workspace, &[]);
    assert!(passes_of(&all, "app").contains("await") && passes_of(&all, "old").contains("await"));
    let none = crates(&workspace, &["--rewrite=false"]);
    assert!(
        !none.is_empty()
            && none
                .iter()
                .all(|it| it["passes"] == Value::Array(Vec::new()))
    );
    // Back again, but for one package.
    let manifest = workspace.read("old/Cargo.toml");
    let off = manifest + "\n[package.metadata.cct]\nrewrite = false\n";
    workspace.write("old/Cargo.toml", &off);
    let some = crates(&workspace, &[]);
    assert!(passes_of(&some, "app").contains("await") && passes_of(&some, "old").is_empty());
}

#[test]
fn a_dependency_is_rewritten_when_it_is_named() {
    let workspace = Workspace::of_fixture(FIXTURE);
    let manifest = "[package]\nname = \"apart\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    workspace.write("../apart/Cargo.toml", manifest);
    let library = "pub const SELF: &str = include_str!(\"lib.rs\");\n\
                pub fn here() -> &'static str {\n    file!()\n}\n";
    workspace.write("../apart/src/lib.rs", library);
    let manifest =
        workspace.read("bare/Cargo.toml") + "\n[dependencies]\napart.path = \"../../apart\"\n";
    workspace.write("bare/Cargo.toml", &manifest);
    let place = plain(&workspace.path("../apart/src/lib.rs"));
    let test = format!(
        "\n#[test]\nfn its_place_is_its_own() {{\n    assert_eq!(apart::here(), {place:?});\n    \
         assert!(apart::SELF.contains(\"(\\\"lib.rs\"));\n}}\n"
    );
    workspace.write(
        "bare/tests/places.rs",
        &(workspace.read("bare/tests/places.rs") + &test),
    );
    let only = ["--package", "bare"];
    assert!(passes_of(&crates(&workspace, &only), "apart").is_empty());
    let named = ["--package", "bare", "--interleave", "apart"];
    assert!(passes_of(&crates(&workspace, &named), "apart").contains("await"));
    workspace.test(&named, 0);
    let finished = workspace.test(
        &["--package", "bare", "--interleave", "apert", "--no-run"],
        96,
    );
    let told = "did you mean `apart`?";
    assert!(finished.stderr.contains(told), "{}", finished.stderr);
}

fn expand(workspace: &Workspace, args: &[&str], code: i32) -> Finished {
    let finished = Finished::of(workspace.cct().arg("expand").args(args));
    finished.expect(code);
    finished
}

#[test]
fn expand_shows_what_is_changed() {
    let workspace = Workspace::of_fixture(FIXTURE);
    let folder = workspace.path("bare/src");
    let folder = folder.to_str().expect("temporary paths are text");
    let changed = format!(
        "-pub const SELF: &str = include_str!(\"lib.rs\");\n\
         +pub const SELF: &str = include_str!(\"{folder}/lib.rs\");\n"
    );
    let package = expand(&workspace, &["bare"], 0);
    let file = expand(&workspace, &["bare/src/lib.rs"], 0);
    for told in [&package.stdout, &file.stdout] {
        assert!(
            told.starts_with("--- a/bare/src/lib.rs\n+++ b/bare/src/lib.rs\n@@ -2,"),
            "{told}"
        );
        assert!(told.contains(&changed), "{told}");
    }
    assert!(package.stdout.starts_with(&file.stdout), "{}", file.stdout);
    let coloured = expand(&workspace, &["bare", "--color", "always"], 0);
    assert!(coloured.stdout.contains("\u{1b}["), "{}", coloured.stdout);

    let events = Events::of(&expand(&workspace, &["bare", "--json"], 0));
    let edits = events.of_kind("expanded").next().expect("a file")["edits"].clone();
    assert_eq!(
        (&edits[0]["line"], &edits[0]["old"]),
        (&4.into(), &"\"lib.rs\"".into())
    );
    assert!(!workspace.path("target").exists());
}

#[test]
fn expand_says_what_there_is() {
    let workspace = Workspace::of_fixture(FIXTURE);
    let error = expand(&workspace, &["bear"], 96).stderr;
    assert!(
        error.contains("no package `bear` here; members: `app`, `bare`, `named`, `old`"),
        "{error}"
    );
    let error = expand(&workspace, &["app/src/outer.rs"], 96).stderr;
    let there = "in `app/src` there is `included.rs`, `inner.rs`, `lib.rs`";
    assert!(
        error.contains("no file `app/src/outer.rs`") && error.contains(there),
        "{error}"
    );
    for (subject, reason) in [
        ("named", "procedural macro"),
        ("app/build.rs", "build script"),
    ] {
        let error = expand(&workspace, &[subject], 96).stderr;
        assert!(error.contains(reason), "{error}");
    }
}

/// A failure is replayed with what it was found with.
#[test]
fn a_choice_is_part_of_a_failure() {
    let workspace = Workspace::of_fixture(FIXTURE);
    workspace.replace("bare/tests/places.rs", "bare::SELF", "bare::SELF.trim()");
    workspace.test(&["--package", "bare", "--rewrite=false"], 100);
    // Now the same executable is built from rewritten source.
    workspace.test(&["--package", "bare", "--no-run"], 0);
    let replay = Finished::of(workspace.cct().args(["replay", "--json"]));
    replay.expect(100);
    let events = Events::of(&replay);
    assert_eq!(
        events.only("replayed")["executable_changed"],
        false,
        "{}",
        replay.stdout
    );
}
