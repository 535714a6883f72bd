//! Compilers other than the one that the tool was written with.
//!
//! Real ones are tried by `tests/toolchains/run`. Here, one is too old by its own word, and the std of this
//! one is newer than the tool as far as the sysroot tells.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use cct_tests::support::{Events, Finished, Workspace};

use crate::explored::text;
use crate::rust_src::link;

/// A test that uses what stands for a later item, and whose schedules are all explored.
const USES_IT: &str = "use std::sync::Barrier;\n\
    #[test]\n\
    fn alone() {\n    assert!(Barrier::new(1).wait().is_leader());\n}\n";

#[test]
fn a_compiler_that_is_too_old_is_refused_with_a_way_out() {
    let workspace = Workspace::empty(Some("old"));
    let script = "#!/bin/sh\ncase $1 in\n-vV) echo 'rustc 1.87.0 (17067e9ac 2025-05-09)'; \
        echo 'host: x86_64-unknown-linux-gnu'; echo 'release: 1.87.0' ;;\n*) echo /nowhere ;;\nesac\n";
    workspace.write("rustc", script);
    let rustc = workspace.path("rustc");
    fs::set_permissions(&rustc, fs::Permissions::from_mode(0o755)).expect("the file is ours");
    let finished = Finished::of(workspace.cct().arg("test").env("RUSTC", &rustc));
    finished.expect(96);
    let says = |words: &str| assert!(finished.stderr.contains(words), "{}", finished.stderr);
    says("rustc 1.87.0 (17067e9ac 2025-05-09) is too old");
    says("cargo +1.88 cct");
}

#[test]
fn a_crate_that_uses_a_later_item_is_told_of_and_its_claims_leave_it_out() {
    let workspace = package();
    let lib = sysroot(&workspace);
    let cache = Workspace::empty(Some("cache"));
    let home = lib.parent().expect("the sysroot has a folder");
    let twin = cache.path("").join(home.file_name().expect("a hash"));
    link(home, &twin);
    let later = twin.join("lib/later");
    fs::remove_file(&later).expect("the note is there");
    fs::write(&later, "std::sync::Barrier\nstd::sync::Condvar\n").expect("the copy is ours");
    // Otherwise the note would count as damaged.
    let list = twin.join("files");
    let files = fs::read_to_string(&list).expect("the list is there");
    let others = files.lines().filter(|line| !line.ends_with(" lib/later"));
    let others = others.collect::<Vec<_>>().join("\n");
    fs::remove_file(&list).expect("the copy is ours");
    fs::write(&list, others).expect("the copy is ours");
    let mut command = workspace.cct();
    command.args(["test", "--json", "--strategy", "dfs"]);
    let finished = Finished::of(command.env("CCT_CACHE_DIR", cache.path("")));
    finished.expect(0);
    let warning = "`later` 0.1.0 uses what came to std after this tool, and is not under control: \
        `std::sync::Barrier`\n";
    assert!(finished.stderr.contains(warning), "{}", finished.stderr);
    assert_eq!(left_out(&Events::of(&finished)), ["later items of std"]);
}

#[test]
fn nothing_is_said_of_items_that_are_known() {
    let workspace = package();
    sysroot(&workspace);
    let mut command = workspace.cct();
    let finished = Finished::of(command.args(["test", "--json", "--strategy", "dfs"]));
    finished.expect(0);
    assert!(
        !finished.stderr.contains("after this tool"),
        "{}",
        finished.stderr
    );
    assert_eq!(left_out(&Events::of(&finished)), [""; 0]);
}

fn package() -> Workspace {
    let workspace = Workspace::empty(Some("later"));
    let manifest =
        "[package]\nname = \"later\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";
    workspace.write("Cargo.toml", manifest);
    workspace.write("src/lib.rs", "");
    workspace.write("tests/later.rs", USES_IT);
    workspace
}

/// The libraries of this toolchain's sysroot, which is built if it is not there.
fn sysroot(workspace: &Workspace) -> PathBuf {
    let told = Finished::of(workspace.cct().arg("show-env"));
    told.expect(0);
    let line = told
        .stdout
        .lines()
        .find_map(|line| line.split_once("CCT_SYSROOT="));
    let (_, path) = line.expect("the sysroot is among the variables");
    Path::new(path.trim_matches(['\'', '"'])).to_owned()
}

/// The exceptions of the claim about the only test.
fn left_out(events: &Events) -> Vec<String> {
    let claim = &events.test("later::later alone")["claim"];
    let names = claim["but_for"].as_array().expect("a claim").iter();
    names.map(|name| text(name).to_owned()).collect()
}
