//! `--resume`: a search that goes on in the next run, and files with which it cannot.

use cct_tests::support::{Events, Finished, Workspace};

const TEST: &str = "configured tests::nothing_is_lost";

fn resumed(workspace: &Workspace, file: &str, args: &[&str]) -> Finished {
    let mut command = workspace.cct();
    command.args(["test", "--strategy", "dfs", "--resume", file]);
    Finished::of(command.args(args))
}

#[test]
fn a_search_goes_on_in_the_next_run() {
    let workspace = Workspace::of_fixture("configured");
    let explore = |args: &[&str]| {
        let args = [&["--json", "--lib"], args].concat();
        resumed(&workspace, "search", &args)
    };
    let progress = |finished: Finished| {
        finished.expect(0);
        let counters = Events::of(&finished).test(TEST)["counters"].clone();
        let made = counters["progress"]["made"].as_u64();
        (made.expect("a number"), counters["exhausted"] == true)
    };
    assert_eq!(progress(explore(&["--iterations", "1"])), (1, false));
    // The seed is that of the first run.
    let other_seed = ["--iterations", "1", "--seed", "9"];
    assert_eq!(progress(explore(&other_seed)), (2, false));
    assert_eq!(progress(explore(&["--iterations", "100"])), (3, true));

    let refused = explore(&["--max-steps", "77"]);
    refused.expect(96);
    assert!(
        refused
            .stdout
            .contains("`max_steps=20000`, not `max_steps=77`"),
        "{}",
        refused.stdout
    );
}

#[test]
fn a_file_that_is_of_no_use_is_refused_with_the_reason() {
    let workspace = Workspace::of_fixture("configured");
    let begun = resumed(&workspace, "search", &["--lib", "--iterations=1"]);
    begun.expect(0);
    let whole = std::fs::read(workspace.path("search")).expect("it was written");
    let refused = |file: &str, test: &str, why: &str| {
        let refused = resumed(&workspace, file, &["--lib", test]);
        refused.expect(96);
        assert!(refused.stdout.contains(why), "no `{why}`: {refused:#?}");
    };
    std::fs::write(workspace.path("damaged"), &whole[..whole.len() - 3]).expect("writable");
    refused("damaged", "nothing_is_lost", "the file is damaged");
    workspace.write("foreign", "a list of things to buy");
    refused("foreign", "nothing_is_lost", "not a file of ours");
    refused("nowhere/search", "nothing_is_lost", "cannot write");
    for file in [".", "/dev/zero"] {
        refused(file, "nothing_is_lost", "it is no plain file");
    }
    // The refused file is as it was.
    assert_eq!(workspace.read("foreign"), "a list of things to buy");

    workspace.write(
        "src/lib.rs",
        "#[test] fn another() { std::thread::spawn(|| ()).join().unwrap() }",
    );
    refused(
        "search",
        "another",
        "it belongs to test `tests::nothing_is_lost`",
    );
}

#[test]
fn what_failed_in_earlier_runs_is_told() {
    let workspace = Workspace::of_fixture("with spaces");
    let explore = || resumed(&workspace, "search", &["--lib", "a_store_is_lost"]);
    let first = explore();
    first.expect(100);
    assert!(!first.stdout.contains("in earlier runs"), "{first:#?}");
    let second = explore().stdout;
    let warning = "warning: 1 schedule failed in earlier runs";
    assert!(second.contains(warning), "{second}");
}

#[test]
fn a_file_that_can_no_longer_be_written_is_told_with_the_result() {
    let workspace = Workspace::of_fixture("configured");
    // The test takes away the folder in which the file is.
    workspace.write(
        "tests/removes.rs",
        "use std::{fs, thread};
        #[test]
        fn a_folder() {
            let other = thread::spawn(|| ());
            let _ = fs::remove_dir_all(\"searches\");
            other.join().unwrap();
        }",
    );
    std::fs::create_dir(workspace.path("searches")).expect("a folder");
    let told = resumed(&workspace, "searches/one", &["--test", "removes"]);
    told.expect(0);
    let warning = "warning: the search cannot be resumed from here: cannot write";
    assert!(told.stdout.contains(warning), "{told:#?}");
}
