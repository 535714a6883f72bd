//! Between cargo and rustc: what gets the facade, what does not, and who else stands in between.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use cct_tests::support::{Finished, Workspace};

/// Puts a wrapper into a workspace that writes down how it is called; returns its path.
fn logging_wrapper(workspace: &Workspace) -> String {
    let (script, log) = (workspace.path("wrapper.sh"), workspace.path("calls.log"));
    let text = format!(
        "#!/bin/sh\nprintf '%s ' \"$@\" >> '{log}'\necho >> '{log}'\nexec \"$@\"\n",
        log = log.display()
    );
    workspace.write("wrapper.sh", &text);
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("the script is ours");
    script
        .to_str()
        .expect("temporary paths are text")
        .to_owned()
}

/// The logged calls that compile a crate.
fn calls_of(workspace: &Workspace, krate: &str) -> Vec<String> {
    let log = workspace.read("calls.log");
    let name = format!("--crate-name {krate} ");
    let calls = log.lines().filter(|line| line.contains(&name));
    calls.map(str::to_owned).collect()
}

fn is_remapped(call: &str) -> bool {
    call.contains("--extern std=") && call.contains("--extern core=")
}

fn run(command: &mut Command) -> Finished {
    Finished::of(command.args(["test", "--seed", "1", "--no-run"]))
}

#[test]
fn a_wrapper_that_was_set_before_is_chained() {
    let workspace = Workspace::of_fixture("configured");
    let wrapper = logging_wrapper(&workspace);
    run(workspace.cct().env("RUSTC_WRAPPER", &wrapper)).expect(0);
    let calls = calls_of(&workspace, "configured");
    assert!(
        !calls.is_empty() && calls.iter().all(|call| is_remapped(call)),
        "{calls:#?}"
    );
}

#[test]
fn a_wrapper_in_the_configuration_is_chained() {
    let workspace = Workspace::of_fixture("configured");
    let wrapper = logging_wrapper(&workspace);
    let config = format!("[build]\nrustc-wrapper = \"{wrapper}\"\n");
    workspace.write(".cargo/config.toml", &config);
    run(&mut workspace.cct()).expect(0);
    let calls = calls_of(&workspace, "configured");
    assert!(
        !calls.is_empty() && calls.iter().all(|call| is_remapped(call)),
        "{calls:#?}"
    );

    // An empty variable means none, whatever the configuration says.
    fs::remove_file(workspace.path("calls.log")).expect("there was a log");
    workspace.replace("src/lib.rs", "nothing_is_lost", "all_is_found");
    run(workspace.cct().env("RUSTC_WRAPPER", "")).expect(0);
    assert!(!workspace.path("calls.log").exists());
}

#[test]
fn a_workspace_wrapper_is_kept() {
    let workspace = Workspace::of_fixture("configured");
    let wrapper = logging_wrapper(&workspace);
    run(workspace.cct().env("RUSTC_WORKSPACE_WRAPPER", &wrapper)).expect(0);
    let calls = calls_of(&workspace, "configured");
    assert!(
        !calls.is_empty() && calls.iter().all(|call| is_remapped(call)),
        "{calls:#?}"
    );
}

#[test]
fn host_crates_are_left_alone() {
    let workspace = Workspace::of_fixture("build-script");
    let wrapper = logging_wrapper(&workspace);
    run(workspace.cct().env("RUSTC_WRAPPER", &wrapper)).expect(0);
    let script = calls_of(&workspace, "build_script_build");
    assert!(
        !script.is_empty() && !script.iter().any(|call| is_remapped(call)),
        "{script:#?}"
    );
    let library = calls_of(&workspace, "build_script");
    assert!(
        !library.is_empty() && library.iter().all(|call| is_remapped(call)),
        "{library:#?}"
    );

    let workspace = Workspace::of_fixture("proc-macro");
    let wrapper = logging_wrapper(&workspace);
    run(workspace.cct().env("RUSTC_WRAPPER", &wrapper)).expect(0);
    let macros = calls_of(&workspace, "named");
    assert!(
        !macros.is_empty() && !macros.iter().any(|call| is_remapped(call)),
        "{macros:#?}"
    );
    let user = calls_of(&workspace, "user");
    assert!(
        !user.is_empty() && user.iter().all(|call| is_remapped(call)),
        "{user:#?}"
    );
}

#[test]
fn questions_pass_untouched() {
    let workspace = Workspace::of_fixture("configured");
    let wrapper = logging_wrapper(&workspace);
    run(workspace.cct().env("RUSTC_WRAPPER", &wrapper)).expect(0);
    let log = workspace.read("calls.log");
    let is_question = |line: &&str| line.contains(" -vV ") || line.contains(" --print");
    let questions: Vec<_> = log.lines().filter(is_question).collect();
    assert!(!questions.is_empty(), "{log}");
    assert!(
        !questions.iter().any(|call| is_remapped(call)),
        "{questions:#?}"
    );
}

/// Flags of the user's reach rustc, from wherever cargo takes them.
#[test]
fn the_flags_of_the_user_count() {
    let workspace = Workspace::of_fixture("configured");
    workspace.replace("src/lib.rs", "#[test]", "#[test]\n    #[cfg(wanted)]");
    workspace.test(&["--lib"], 4);
    let flags = "--cfg wanted";
    let run = ["test", "--seed", "1", "--lib"];
    Finished::of(workspace.cct().env("RUSTFLAGS", flags).args(run)).expect(0);
    workspace.test(&["--lib"], 4);
    let config = "[build]\nrustflags = [\"--cfg\", \"wanted\"]\n";
    workspace.write(".cargo/config.toml", config);
    workspace.test(&["--lib"], 0);
}

/// Statics are found by their symbols, which must be there whatever the profile says.
#[test]
fn statics_are_fresh_in_a_stripped_profile_too() {
    let workspace = Workspace::of_fixture("edition-2024");
    let profile = "\n[profile.dev]\nstrip = true\ndebug = false\n\n[profile.release]\nlto = true\n";
    let manifest = workspace.read("Cargo.toml") + profile;
    workspace.write("Cargo.toml", &manifest);
    workspace.explore(&["--lib", "a_static"], 0);
    let release = workspace.explore(&["--lib", "--release", "a_static"], 0);
    assert_eq!(release.statuses().len(), 4);
}

/// Cargo remembers what the compiler said of itself.
#[test]
fn a_wrapper_that_fails_is_named_and_not_remembered() {
    let workspace = Workspace::of_fixture("configured");
    let failed = run(workspace.cct().env("RUSTC_WRAPPER", "/bin/false"));
    failed.expect(101);
    let named = "`/bin/false`, the wrapper of rustc that is set here, ended with exit status: 1";
    assert!(failed.stderr.contains(named), "{failed:#?}");
    run(&mut workspace.cct()).expect(0);
}
