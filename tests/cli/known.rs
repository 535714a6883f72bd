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
const LOST: &str = "`tokio` 1.99.0 chooses branches at random where this tool does not know it to";

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
