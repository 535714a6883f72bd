//! Names of other people's functions: where one that is relied on may be missed, a warning says so.

use cct_tests::support::Workspace;

/// The function by which tokio draws, and its file.
const DRAW: &str = "pub fn thread_rng_n(n: u32) -> u32 {\n    n - 1\n}\n";
const FILE: &str = "../tokio/src/util/rand.rs";

/// A package that depends on one that is called tokio, of this version.
fn workspace(version: &str) -> Workspace {
    let workspace = Workspace::empty(Some("user"));
    workspace.write(
        "Cargo.toml",
        "[workspace]\n[package]\nname = \"user\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
         [dependencies]\ntokio = { path = \"../tokio\" }\n",
    );
    workspace.write("src/lib.rs", "#[test]\nfn works() {}\n");
    workspace.write(
        "../tokio/Cargo.toml",
        &format!("[package]\nname = \"tokio\"\nversion = \"{version}\"\nedition = \"2024\"\n"),
    );
    workspace.write("../tokio/src/lib.rs", "");
    workspace.write(FILE, DRAW);
    workspace
}

const UNCHECKED: &str = "is not among the versions that this tool was checked with";
const LOST: &str =
    "`tokio` 1.99.0 chooses branches at random in functions that this tool does not know";

#[test]
fn a_version_that_nobody_checked_is_told() {
    let told = workspace("2.0.0").test(&[], 0).stderr;
    assert!(
        told.contains(&format!("`tokio` 2.0.0 {UNCHECKED}")),
        "{told}"
    );
    let told = workspace("1.99.0").test(&[], 0).stderr;
    assert!(!told.contains(UNCHECKED) && !told.contains(LOST), "{told}");
}

#[test]
fn a_function_that_is_not_where_it_was_is_told() {
    let workspace = workspace("1.99.0");
    workspace.write(FILE, &DRAW.replace("thread_rng_n", "draw"));
    let told = workspace.test(&[], 0).stderr;
    assert!(told.contains(LOST), "{told}");
    // Nobody asked for its choices then.
    let told = workspace.test(&["--rewrite=false"], 0).stderr;
    assert!(!told.contains(LOST), "{told}");
}

/// An executor whose function has no name that is known, outside of the workspace: it spawns what it gets.
const POOL: &str = "\
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::thread;

pub fn go(future: impl Future<Output = ()> + Send + 'static) -> thread::JoinHandle<()> {
    thread::spawn(move || {
        let mut future = pin!(future);
        while future.as_mut().poll(&mut Context::from_waker(Waker::noop())) == Poll::Pending {
            thread::yield_now();
        }
    })
}
";

/// A test that fails in what it has spawned.
const USE: &str = "\
#[test]
fn fails() {
    my_pool::go(async { panic!(\"on purpose\") }).join().unwrap();
}
";

#[test]
fn functions_are_named_by_settings() {
    let workspace = Workspace::empty(Some("user"));
    workspace.write("../my-pool/src/lib.rs", POOL);
    let package = |name: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n")
    };
    workspace.write("../my-pool/Cargo.toml", &package("my-pool"));
    let manifest =
        package("user") + "[workspace]\n[dependencies]\nmy-pool = { path = \"../my-pool\" }\n";
    workspace.write("Cargo.toml", &manifest);
    workspace.write("src/lib.rs", USE);
    let has_task = |args: &[&str]| {
        let found = workspace.test(&[&["--iterations", "1"], args].concat(), 100);
        let warned = found.stderr.contains("no crate of this name was built");
        (found.stdout.contains("task"), warned)
    };
    assert_eq!(has_task(&[]), (false, false));
    assert_eq!(has_task(&["--spawn", "my_pool::go"]), (true, false));
    assert_eq!(has_task(&["--spawn", "your_pool::go"]), (false, true));
    let configured = "[package.metadata.cct]\nspawn = [\"my_pool::go\"]\n";
    workspace.write("Cargo.toml", &(manifest + configured));
    assert_eq!(has_task(&[]), (true, false));
}
