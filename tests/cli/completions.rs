//! Completions and manual pages.

use std::process::Command;

use cct_tests::support::{Finished, Workspace, cargo_cct};

/// The words that bash offers for the last of these words.
fn offered(script: &str, words: &[&str]) -> String {
    let typed: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let program = format!(
        "source {script}\n\
         COMP_WORDS=({})\nCOMP_CWORD={}\n\
         function=$(complete -p {} | sed 's/.* -F \\([^ ]*\\) .*/\\1/')\n\
         \"$function\" {} '{}' '{}'\n\
         echo \"${{COMPREPLY[@]}}\"",
        typed.join(" "),
        words.len() - 1,
        words[0],
        words[0],
        words[words.len() - 1],
        words[words.len() - 2],
    );
    let told = Finished::of(Command::new("bash").args(["--norc", "-c", &program]));
    told.expect(0);
    told.stdout
}

#[test]
fn verbs_and_options_are_completed_with_and_without_cargo() {
    let folder = Workspace::empty(None);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let told = Finished::of(cargo_cct().args(["completions", shell]));
        told.expect(0);
        folder.write(shell, &told.stdout);
    }
    assert!(folder.read("zsh").starts_with("#compdef cargo-cct"));
    assert!(
        folder
            .read("fish")
            .contains("__fish_seen_subcommand_from cct")
    );
    let bash = folder.path("bash");
    let bash = bash.to_str().expect("text");
    for before in [&["cargo-cct"][..], &["cargo", "cct"]] {
        let offered = |words: &[&str]| offered(bash, &[before, words].concat());
        assert_eq!(offered(&["rep"]).trim(), "replay");
        assert_eq!(offered(&["test", "--iter"]).trim(), "--iterations");
        assert!(offered(&["test", "--granularity", ""]).contains("workspace"));
    }
    // Cargo's own words are left to what completed them before.
    let other = offered(bash, &["cargo", "bu"]);
    assert_eq!(other.trim(), "");
    let wrong = Finished::of(cargo_cct().args(["completions", "ksh"]));
    wrong.expect(96);
}

#[test]
fn there_is_a_manual_page_for_each_verb() {
    let folder = Workspace::empty(None);
    let path = folder.path("man/man1");
    Finished::of(cargo_cct().arg("man").arg(&path)).expect(0);
    let page = folder.read("man/man1/cargo-cct-test.1");
    assert!(
        page.contains(".TH cargo-cct-test 1") && page.contains("iterations"),
        "{page}"
    );
    for verb in ["replay", "nextest", "config"] {
        folder.read(&format!("man/man1/cargo-cct-{verb}.1"));
    }
    folder.write("file", "");
    let refused = Finished::of(cargo_cct().arg("man").arg(folder.path("file/man")));
    refused.expect(96);
}
