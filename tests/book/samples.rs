//! Sample outputs are those of the tool: a block below
//!
//! ```text
//! <!-- output: bank | paragraph -->
//! ```
//!
//! is that part of the report of the failure in the example, or in the test of the fixture, `bank`.
//! `UPDATE_SAMPLES=1` writes them anew.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::Path;

use cct_tests::support::{Events, Finished, Workspace, cargo_cct};

use crate::book::root;

/// The beginning and the end of the comment above a sample, and of the sample.
const COMMENT: (&str, &str) = ("<!-- output: ", " -->\n");
const BLOCK: (&str, &str) = ("```text\n", "```\n");

#[test]
fn sample_outputs_are_those_of_the_tool() {
    let fixture = Workspace::of_fixture("migrated");
    let mut reports = reports(&fixture.path("Cargo.toml"));
    let tutorial = Workspace::of_fixture_with_library("tutorial");
    reports.extend(self::reports(&tutorial.path("Cargo.toml")));
    reports.extend(self::reports(&root().join("Cargo.toml")));
    let mut different = Vec::new();
    let mut samples = 0;
    for page in crate::book::pages() {
        let text = fs::read_to_string(&page.file).expect("the page is there");
        let current = with_samples(&text, &mut |request| {
            samples += 1;
            let (name, part) = request.split_once(" | ").expect("a part is named");
            let report = reports.get(name);
            part_of(report.unwrap_or_else(|| panic!("no {name}")), part)
        });
        if current == text {
            continue;
        }
        if env::var_os("UPDATE_SAMPLES").is_some() {
            fs::write(&page.file, &current).expect("the page can be written");
        } else {
            different.push(format!("{}:\n{current}", page.name()));
        }
    }
    assert!(samples >= 15, "{samples}");
    assert!(different.is_empty(), "{}", different.join("\n"));
}

/// Puts the answers to the requests of a page in place of its samples.
fn with_samples(text: &str, answer: &mut dyn FnMut(&str) -> String) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(COMMENT.0) {
        let (request, after) = after.split_once(COMMENT.1).expect("a comment ends");
        let block = after.strip_prefix(BLOCK.0).expect("a sample follows");
        let (_, after) = block.split_once(BLOCK.1).expect("a sample ends");
        out += before;
        out += &[COMMENT.0, request, COMMENT.1, BLOCK.0].concat();
        out += &answer(request);
        out += BLOCK.1;
        rest = after;
    }
    out + rest
}

/// The reports of a workspace's failures, by the names of the test binaries; those of examples by their
/// packages.
fn reports(manifest: &Path) -> BTreeMap<String, String> {
    let target = concat!(env!("CARGO_TARGET_TMPDIR"), "/examples");
    let run = |verb: &str, args: &[&str]| {
        let mut command = cargo_cct();
        let place = ["--target-dir", target, "--manifest-path"];
        Finished::of(command.arg(verb).args(place).arg(manifest).args(args))
    };
    let examples = root().join("examples");
    let packages = fs::read_dir(examples).expect("there are examples");
    let packages = packages.map(|entry| entry.expect("it can be read").file_name());
    let packages = packages.map(|name| format!("-p={}", name.display()));
    let is_ours = manifest == root().join("Cargo.toml");
    let packages: Vec<String> = packages.filter(|_| is_ours).collect();
    // A failure that was found before has another history.
    let _ = fs::remove_dir_all(Path::new(target).join("cct/failures"));
    // Enough time for all ways to shorten a schedule, so that none is left out on a slow machine.
    let mut args = vec!["--json", "--tests", "--seed", "2", "--shrink", "60s"];
    args.extend(packages.iter().map(String::as_str));
    let finished = run("test", &args);
    finished.expect(100);
    let events = Events::of(&finished);
    let failures = events.ended().into_iter().filter_map(|(test, event)| {
        let id = event["failure"]["id"].as_str()?;
        let (package, rest) = test.split_once("::").expect("a test has a package");
        let (binary, _) = rest.split_once(' ').expect("it has a name");
        let name = if is_ours { package } else { binary };
        let shown = run("show", &[id]);
        shown.expect(0);
        // A reader is where the workspace is, and has one target folder.
        let place = format!(
            " --manifest-path {} --target-dir {target}",
            manifest.display()
        );
        Some((name.to_owned(), shown.stdout.replace(&place, "")))
    });
    failures.collect()
}

/// A part of a report.
fn part_of(output: &str, part: &str) -> String {
    let from = output.find("─── ").expect("there is a report");
    let report = &output[from..];
    let end = report.find("\n  replay ").expect("it ends with commands") + 1;
    let end = end + report[end..].find('\n').expect("a line ends") + 1;
    let report = &report[..end];
    let blocks: Vec<&str> = report.split("\n\n").collect();
    let starting = |with: &dyn Fn(&str) -> bool| {
        let block = blocks.iter().position(|block| with(block));
        block.unwrap_or_else(|| panic!("no {part} in\n{report}"))
    };
    let text = match part {
        "report" => {
            return report
                .lines()
                .map(|line| line.trim_end().to_owned() + "\n")
                .collect();
        }
        "head" => blocks[0].to_owned(),
        "paragraph" => blocks[1].to_owned(),
        "steps" => {
            let first = starting(&|block| block.starts_with("Failing schedule"));
            // Where there are many workers they are listed first.
            let is_step = |line: &str| {
                line.trim_start()
                    .starts_with(|it: char| it.is_ascii_digit())
            };
            let has_steps = blocks[first + 1].lines().any(is_step);
            let count = if has_steps { 2 } else { 3 };
            blocks[first..first + count].join("\n\n")
        }
        "certain" => blocks[starting(&|block| block.starts_with("  ◆ certain"))].to_owned(),
        "source" => {
            let is_source = |block: &str| {
                let first = block.lines().next().unwrap_or_default();
                let file = Path::new(first.trim_start());
                first.starts_with("  ") && file.extension().is_some_and(|end| end == "rs")
            };
            blocks[starting(&is_source)].to_owned()
        }
        _ => panic!("`{part}` is no part of a report"),
    };
    text.lines()
        .map(|line| line.trim_end().to_owned() + "\n")
        .collect()
}
