//! Builds: what is built, what is not built again, and what a plain `cargo test` sees of it.
//!
//! Cargo's `Compiling` lines are the witness.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;

use cct_tests::support::{Finished, Workspace, build, cargo};

use crate::rust_src::{Toolchain, assert_cache_outlives_the_component};

/// The packages that a call compiled, in alphabetical order.
#[track_caller]
fn compiled(command: &mut Command, code: i32) -> Vec<String> {
    let finished = Finished::of(command);
    finished.expect(code);
    packages(&finished)
}

fn packages(finished: &Finished) -> Vec<String> {
    let lines = finished.stderr.lines();
    let packages = lines.filter_map(|line| line.trim_start().strip_prefix("Compiling "));
    let names = packages.filter_map(|package| package.split(' ').next());
    let mut names: Vec<_> = names.map(str::to_owned).collect();
    names.sort();
    names
}

const NOTHING: [&str; 0] = [];
const ALL: [&str; 3] = ["counter", "counter-testing", "shop"];

#[test]
fn what_did_not_change_is_not_built_again() {
    let workspace = Workspace::of_fixture("virtual-manifest");
    let explore = |args: &[&str]| compiled(workspace.cct().arg("test").args(args), 100);
    assert_eq!(explore(&["--seed", "1"]), ALL);
    assert_eq!(explore(&["--seed", "1"]), NOTHING);
    // How tests are explored does not matter to the code.
    let otherwise = ["--seed", "2", "--iterations", "500", "--max-steps", "900"];
    assert_eq!(explore(&otherwise), NOTHING);
    assert_eq!(explore(&["--strategy", "pct:2", "-v"]), NOTHING);

    workspace.replace("shop/src/main.rs", "all_money", "the_money");
    assert_eq!(explore(&[]), ["shop"]);
    workspace.replace("counter/src/lib.rs", "Adds one.", "Adds just one.");
    assert_eq!(explore(&[]), ["counter", "shop"]);
    assert_eq!(explore(&[]), NOTHING);
}

#[test]
fn a_plain_test_beside_it_shares_nothing() {
    let workspace = Workspace::of_fixture("virtual-manifest");
    let plain = || {
        let args = ["test", "--bin", "shop", "all_visitors"];
        compiled(workspace.cargo().args(args), 0)
    };
    let explored = || {
        let args = ["test", "--bin", "shop", "all_visitors"];
        compiled(workspace.cct().args(args), 0)
    };
    assert_eq!(plain(), ALL);
    assert_eq!(explored(), ALL);
    for _ in 0..2 {
        assert_eq!(plain(), NOTHING);
        assert_eq!(explored(), NOTHING);
    }
    // Even when all builds of the user's share a folder for what is in between.
    let config = "[build]\nbuild-dir = \"intermediate\"\n";
    workspace.write(".cargo/config.toml", config);
    plain();
    explored();
    assert_eq!(plain(), NOTHING);
    assert_eq!(explored(), NOTHING);
}

#[test]
fn a_setting_that_affects_code_rebuilds() {
    let workspace = Workspace::of_fixture("features");
    let explore = |args: &[&str], flags: &str| {
        let mut command = workspace.cct();
        command.args(["test", "--lib"]).args(args);
        compiled(command.env("RUSTFLAGS", flags), 0)
    };
    assert_eq!(explore(&[], ""), ["features"]);
    assert_eq!(explore(&["--features", "extra"], ""), ["features"]);
    assert_eq!(explore(&["--release"], ""), ["features"]);
    assert_eq!(explore(&[], "-Coverflow-checks=off"), ["features"]);
    assert_eq!(explore(&[], "-Coverflow-checks=off"), NOTHING);
    assert_eq!(
        explore(&["--features", "extra"], "-Coverflow-checks=off"),
        ["features"]
    );
}

/// Two processes start at once with an empty cache: one builds, the other waits for it. Another
/// content then, and another folder, mean another build of the user's crates. The second build is
/// one with rustup's component `rust-src`, which need not stay.
#[test]
fn the_sysroot_is_built_once_and_crates_depend_on_it() {
    let toolchain = Toolchain::new();
    let cache = Workspace::empty(Some("cache"));
    let workspaces = ["configured", "features"].map(Workspace::of_fixture);
    let run = |workspace: &Workspace, cache: &Path| {
        let mut command = toolchain.cct(workspace);
        command.env("CCT_CACHE_DIR", cache);
        let finished = Finished::of(command.args(["test", "--lib", "--seed", "1"]));
        finished.expect(0);
        finished
    };
    let is_announced = |finished: &Finished| finished.stderr.contains("Preparing engine");
    let both = thread::scope(|scope| {
        let run = |workspace| run(workspace, &cache.path(""));
        let both = workspaces
            .each_ref()
            .map(|one| scope.spawn(move || run(one)));
        both.map(|one| one.join().expect("both can be built"))
    });
    let announced = both.iter().filter(|finished| is_announced(finished));
    assert_eq!(announced.count(), 1, "{both:#?}");
    let waits = both
        .iter()
        .filter(|one| one.stderr.contains("Waiting for process"));
    assert_eq!(waits.count(), 1, "{both:#?}");

    let [workspace, _] = &workspaces;
    let again = run(workspace, &cache.path(""));
    assert!(
        !is_announced(&again) && packages(&again).is_empty(),
        "{again:#?}"
    );
    let stamp = find(&cache.path(""), "stamp");
    fs::write(&stamp, "another content").expect("the cache is writable");
    toolchain.add_source();
    let mended = run(workspace, &cache.path(""));
    assert!(
        mended.stderr.contains("again: its files have changed"),
        "{mended:#?}"
    );
    assert!(
        packages(&mended).contains(&"configured".to_owned()),
        "{mended:#?}"
    );

    assert_cache_outlives_the_component(&toolchain, &cache.path(""));
    assert!(packages(&run(workspace, &cache.path(""))).is_empty());
    let moved = cache.path("").with_file_name("another place");
    fs::rename(cache.path(""), &moved).expect("the folder is ours");
    assert_eq!(packages(&run(workspace, &moved)), ["configured"]);
}

#[test]
fn a_cache_that_cannot_be_written_is_an_error() {
    let workspace = Workspace::of_fixture("configured");
    let mut command = workspace.cct();
    command.env("CCT_CACHE_DIR", workspace.path("Cargo.toml/cache"));
    let refused = Finished::of(command.arg("test"));
    refused.expect(96);
    assert!(
        refused.stderr.contains("cannot write the cache at"),
        "{refused:#?}"
    );
}

/// The first file of this name in a folder of folders.
fn find(folder: &Path, name: &str) -> std::path::PathBuf {
    let entries = fs::read_dir(folder).expect("the cache is there");
    let folders = entries.filter_map(Result::ok).map(|entry| entry.path());
    let mut files = folders.map(|folder| folder.join("lib").join(name));
    files
        .find(|file| file.exists())
        .expect("the cache has a sysroot")
}

/// In the clone, `cargo cct` is `cargo run`.
#[test]
fn the_tool_itself_is_not_built_again() {
    build("cargo-cct");
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let mut again = cargo();
    again.args([
        "build",
        "--package",
        "cargo-cct",
        "--manifest-path",
        manifest,
    ]);
    if let Some(folder) = std::env::var_os("CARGO_TARGET_DIR") {
        again.env("CARGO_TARGET_DIR", folder);
    }
    assert_eq!(compiled(&mut again, 0), NOTHING);
}
