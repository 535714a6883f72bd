//! The help texts, so that a change of the command line is seen in review.

use cct_tests::support::{Finished, cargo_cct};

/// The help at a width that does not depend on the terminal.
fn help(verb: &[&str]) -> String {
    let mut command = cargo_cct();
    command.env("COLUMNS", "100").env_remove("NO_COLOR");
    let told = Finished::of(command.args(verb).arg("--help"));
    told.expect(0);
    told.stdout
}

#[test]
fn of_the_tool() {
    insta::assert_snapshot!(help(&[]));
}

#[test]
fn of_test() {
    insta::assert_snapshot!(help(&["test"]));
}

#[test]
fn of_tsvd() {
    insta::assert_snapshot!(help(&["tsvd"]));
}

#[test]
fn of_interfere() {
    insta::assert_snapshot!(help(&["interfere"]));
}

#[test]
fn of_replay() {
    insta::assert_snapshot!(help(&["replay"]));
}

#[test]
fn of_archive() {
    insta::assert_snapshot!(help(&["archive"]));
}

#[test]
fn of_merge() {
    insta::assert_snapshot!(help(&["merge"]));
}

#[test]
fn of_list() {
    insta::assert_snapshot!(help(&["list"]));
}

#[test]
fn of_show() {
    insta::assert_snapshot!(help(&["show"]));
}

#[test]
fn of_shrink() {
    insta::assert_snapshot!(help(&["shrink"]));
}

#[test]
fn of_keep() {
    insta::assert_snapshot!(help(&["keep"]));
}

#[test]
fn of_expand() {
    insta::assert_snapshot!(help(&["expand"]));
}

#[test]
fn of_config() {
    insta::assert_snapshot!(help(&["config"]));
}

#[test]
fn of_show_env() {
    insta::assert_snapshot!(help(&["show-env"]));
}

#[test]
fn of_clean() {
    insta::assert_snapshot!(help(&["clean"]));
}
