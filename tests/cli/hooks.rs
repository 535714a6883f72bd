//! Panic hooks of the test's own: whether one runs is a thread's own affair.

use cct_tests::support::Workspace;

#[test]
fn a_hook_that_waits_lets_others_panic() {
    let workspace = Workspace::of_fixture_with_built_library(env!("CARGO_TARGET_TMPDIR"), "races");
    let events = workspace.explore(&["--test", "hooks"], 100);
    for ended in events.of_kind("test_ended") {
        let name = ended["test"].as_str().expect("a name");
        let expected = if name.starts_with("pass") {
            "PASS"
        } else {
            "ABORT"
        };
        assert_eq!(ended["status"], expected, "{name}: {ended:#}");
    }
    let bug = &events.test("races::hooks abort_that_panic")["failure"]["bug"];
    let message = bug["message"].as_str().expect("a message");
    assert!(message.contains("the hook's"), "{bug:#}");
}
