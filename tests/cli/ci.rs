//! The news for build servers: JUnit XML, GitHub's annotations and summaries.
//!
//! The rules of the file are those of the schema that Jenkins' xUnit plugin publishes, junit-10, written
//! down here as a table of their own.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use cct_tests::support::{Finished, Workspace};
use roxmltree::{Document, Node};

/// An element: its name, the attributes that it must have, those that it may have, and its children.
type Rule = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
    &'static [&'static str],
);

const RULES: [Rule; 9] = [
    (
        "testsuites",
        &[],
        &["name", "time", "tests", "failures", "errors"],
        &["testsuite"],
    ),
    (
        "testsuite",
        &["name", "tests", "failures", "errors"],
        &[
            "time",
            "skipped",
            "timestamp",
            "hostname",
            "id",
            "package",
            "file",
            "log",
            "url",
            "group",
        ],
        &[
            "testsuite",
            "properties",
            "testcase",
            "system-out",
            "system-err",
        ],
    ),
    ("properties", &[], &[], &["property"]),
    ("property", &["name", "value"], &[], &[]),
    (
        "testcase",
        &["name"],
        &["time", "classname", "group"],
        &["skipped", "error", "failure", "system-out", "system-err"],
    ),
    ("failure", &[], &["type", "message"], &[]),
    ("error", &[], &["type", "message"], &[]),
    ("skipped", &[], &["type", "message"], &[]),
    ("system-out", &[], &[], &[]),
];

/// Panics unless the document keeps to the rules, and counts are those of what is there.
#[track_caller]
fn assert_valid(document: &Document<'_>) {
    assert_eq!(document.root_element().tag_name().name(), "testsuites");
    let mut counts = [0; 3];
    for node in document.descendants().filter(Node::is_element) {
        let name = node.tag_name().name();
        let rule = RULES.iter().find(|rule| rule.0 == name);
        let (_, required, allowed, children) = rule.unwrap_or_else(|| panic!("<{name}>"));
        for attribute in *required {
            assert!(
                node.has_attribute(*attribute),
                "<{name}> has no `{attribute}`"
            );
        }
        for attribute in node.attributes() {
            let known = [*required, *allowed].concat();
            assert!(
                known.contains(&attribute.name()),
                "<{name} {}=…>",
                attribute.name()
            );
            if attribute.name() == "time" {
                let is_time = |c: char| c.is_ascii_digit() || c == '.';
                assert!(
                    attribute.value().chars().all(is_time),
                    "{}",
                    attribute.value()
                );
            }
        }
        for child in node.children().filter(Node::is_element) {
            let child = child.tag_name().name();
            assert!(children.contains(&child), "<{child}> in <{name}>");
        }
        if name == "testsuite" {
            let cases = node.children().filter(|node| node.has_tag_name("testcase"));
            let cases: Vec<_> = cases.collect();
            let with = |tag| {
                let has = |case: &&Node<'_, '_>| case.children().any(|node| node.has_tag_name(tag));
                cases.iter().filter(has).count()
            };
            let all = [cases.len(), with("failure"), with("error"), with("skipped")];
            let told = ["tests", "failures", "errors", "skipped"];
            for (count, attribute) in all.iter().zip(told) {
                let told = node.attribute(attribute).unwrap_or("0");
                assert_eq!(told, count.to_string(), "{attribute}");
            }
            for (sum, count) in counts.iter_mut().zip(all) {
                *sum += count;
            }
        }
    }
    for (attribute, count) in ["tests", "failures", "errors"].iter().zip(counts) {
        let told = document.root_element().attribute(*attribute);
        assert_eq!(told, Some(&*count.to_string()), "{attribute}");
    }
}

fn case<'a>(document: &'a Document<'_>, name: &str) -> Node<'a, 'a> {
    let mut nodes = document.descendants();
    let found =
        nodes.find(|node| node.attribute("name") == Some(name) && node.has_tag_name("testcase"));
    found.unwrap_or_else(|| panic!("no `{name}`"))
}

#[test]
fn build_servers_are_told_of_failures() {
    let workspace = Workspace::of_fixture("with spaces");
    workspace.write("summary.md", "from before\n");
    let mut command = workspace.cct();
    command
        .args([
            "test",
            "--seed",
            "1",
            "--lib",
            "--junit",
            "out/deep/junit.xml",
        ])
        .env("GITHUB_ACTIONS", "true")
        .env(
            "GITHUB_WORKSPACE",
            workspace.path("").parent().expect("a folder"),
        )
        .env("GITHUB_STEP_SUMMARY", workspace.path("summary.md"));
    let finished = Finished::of(&mut command);
    finished.expect(100);

    let text = workspace.read("out/deep/junit.xml");
    let document = Document::parse(&text).expect("well-formed");
    assert_valid(&document);
    let lost = case(&document, "tests::a_store_is_lost");
    assert_eq!(lost.attribute("classname"), Some("spaced"));
    let failure = lost.children().find(|node| node.has_tag_name("failure"));
    let failure = failure.expect("it failed");
    assert_eq!(failure.attribute("type"), Some("FAIL"));
    let message = failure.attribute("message").unwrap_or_default();
    for part in [
        "panicked at src/lib.rs:26:9",
        "overwrote it",
        "; cargo cct replay ",
    ] {
        assert!(message.contains(part), "no `{part}`: {message}");
    }
    assert!(
        failure.text().unwrap_or_default().contains("count.store 1"),
        "{text}"
    );
    let found = case(&document, "tests::a_file_is_found");
    assert!(
        !found.children().any(|node| node.has_tag_name("failure")),
        "{text}"
    );

    let is_annotation = |line: &&str| line.starts_with("::");
    let annotations: Vec<_> = finished.stderr.lines().filter(is_annotation).collect();
    let [annotation] = &annotations[..] else {
        panic!("not one: {annotations:?}")
    };
    let expected =
        "::error file=with spaces/src/lib.rs,line=26,title=FAIL spaced tests%3A%3Aa_store_is_";
    assert!(annotation.starts_with(expected), "{annotation}");
    let summary = workspace.read("summary.md");
    assert!(
        summary.starts_with("from before\n## cargo cct\n\n1 of 2 tests failed"),
        "{summary}"
    );
    assert!(
        summary.contains("<details><summary>spaced tests::a_store_is_lost<"),
        "{summary}"
    );

    // Nobody is told who does not want to be, and standard output is for programs alone.
    let mut command = workspace.cct();
    command
        .args(["test", "--json", "--seed", "1", "--lib"])
        .env("GITHUB_ACTIONS", "true");
    let told = Finished::of(&mut command);
    assert!(
        told.stderr.contains("::error") && !told.stdout.contains("::error"),
        "{told:?}"
    );
    let told = Finished::of(command.args(["--annotations", "none"]));
    assert!(!told.stderr.contains("::error"), "{told:?}");

    workspace.write("file", "");
    let args = ["test", "--lib", "--junit", "file/junit.xml"];
    let refused = Finished::of(workspace.cct().args(args));
    refused.expect(96);
    assert!(
        refused.stderr.contains("cannot write `file/junit.xml`"),
        "{refused:?}"
    );
}

#[test]
fn a_run_that_is_stopped_leaves_what_it_knew() {
    let workspace = Workspace::of_fixture("configured");
    let endless = [
        "--iterations",
        "18446744073709551615",
        "--strategy",
        "random",
        "--seed",
        "7",
    ];
    let mut command = workspace.cct();
    command
        .args(["test", "--json", "--lib", "-P", "ci"])
        .args(endless)
        .stdout(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let begun = lines.find(|line| line.as_ref().is_ok_and(|line| line.contains("progress")));
    assert!(begun.is_some());
    let before = workspace.read("target/cct/junit.xml");
    assert!(before.contains("not run, or not to its end"), "{before}");
    assert!(before.contains(r#"name="seed" value="7""#), "{before}");
    let kill = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(kill.expect("it is there").success());
    lines.for_each(drop);
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    let text = workspace.read("target/cct/junit.xml");
    let document = Document::parse(&text).expect("well-formed");
    assert_valid(&document);
    let case = case(&document, "tests::nothing_is_lost");
    assert!(
        case.children().any(|node| node.has_tag_name("skipped")),
        "{text}"
    );
}
