//! Failures of the examples, replayed after their sources were edited at random.
//!
//! Edits that do no harm: comments, prints, notes in a log behind a lock, moved functions, renamed locals.
//! All replays reproduce. Real changes, a statement that is gone or twice there, are told.
//!
//! `CCT_EDITS=200 CCT_CHANGES=50 cargo test -p cct-tests --test side_by_side edits:: -- --nocapture` is the
//! long form.

mod change;
mod code;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use cct_tests::support::{Events, Finished, Workspace};
use change::{Drawn, changed, edited};

const MANIFEST: &str = "\
[workspace]
resolver = \"3\"
members = [\"*\"]
exclude = [\"target\"]
[workspace.package]
version = \"0.1.0\"
edition = \"2024\"
license = \"MIT\"
[workspace.dependencies]
libc = \"0.2\"
cct-runtime = { path = \"RUNTIME\", default-features = false }
[workspace.lints]
";

/// The examples in a workspace of their own, with a failure of each that has one.
struct Examples {
    workspace: Workspace,
    /// The ids, with the package's folder.
    failures: Vec<(String, PathBuf)>,
}

impl Examples {
    fn new() -> Examples {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
        let workspace = Workspace::kept(concat!(env!("CARGO_TARGET_TMPDIR"), "/edits"), &from);
        // The folder of the examples is the workspace's root.
        let runtime = concat!(env!("CARGO_MANIFEST_DIR"), "/../cct-runtime");
        workspace.write("Cargo.toml", &MANIFEST.replace("RUNTIME", runtime));
        let events = workspace.explore(&[], 100);
        let mut failures = BTreeMap::new();
        for (test, event) in events.ended() {
            if let Some(id) = event["failure"]["id"].as_str() {
                let package = test.split(':').next().unwrap_or_default();
                failures.insert(id.to_owned(), workspace.path(package));
            }
        }
        assert_eq!(failures.len(), 11, "{failures:?}");
        Examples {
            workspace,
            failures: failures.into_iter().collect(),
        }
    }

    /// Replays a failure after an edit of some of its sources; none if they do not compile any more. Returns
    /// the result, and the edited text.
    fn replay(
        &self,
        (id, folder): &(String, PathBuf),
        edit: &mut dyn FnMut(&str) -> String,
    ) -> Option<(Finished, String)> {
        let files = sources(folder);
        let before: Vec<String> = files.iter().map(|file| read(file)).collect();
        let after: Vec<String> = before.iter().map(|text| edit(text)).collect();
        let put = |texts: &[String]| {
            for (file, text) in files.iter().zip(texts) {
                fs::write(file, text).expect("it is a copy");
            }
        };
        put(&after);
        let finished = Finished::of(self.workspace.cct().args(["replay", id, "--json"]));
        put(&before);
        let builds = !finished.stderr.contains("could not compile");
        if !builds {
            println!("{}", finished.stderr);
        }
        builds.then(|| (finished, after.join("\n// The next file.\n")))
    }
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).expect("it is text")
}

/// The package's sources, in order.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for part in ["src", "tests"] {
        let entries = fs::read_dir(folder.join(part)).into_iter().flatten();
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        files.extend(paths.filter(|path| path.extension().is_some_and(|end| end == "rs")));
    }
    files.sort();
    files
}

/// How many are made; `variable` may say.
fn count(variable: &str, usual: usize) -> usize {
    let told = std::env::var(variable).ok();
    told.map_or(usual, |told| told.parse().expect("a number"))
}

fn outcome(finished: &Finished) -> String {
    let events = Events::of(finished);
    let replayed = events.of_kind("replayed").next();
    let outcome = replayed.and_then(|event| event["outcome"].as_str());
    outcome.unwrap_or("nothing").to_owned()
}

/// How a program was edited, as far as the replay says.
fn said(finished: &Finished) -> String {
    let events = Events::of(finished);
    let replayed = events.of_kind("replayed").next();
    let said = replayed.map(|event| {
        let (edits, changes) = (&event["edits"], &event["changes"]);
        let first = |key: &str| edits[key][0].as_str().unwrap_or("-").to_owned();
        let step = &event["divergence"]["expected"];
        format!(
            ", more {}, less {}, {changes}, {step}",
            first("more"),
            first("less")
        )
    });
    said.unwrap_or_default()
}

#[test]
fn failures_of_edited_examples_replay() {
    let examples = Examples::new();
    let (edits, changes) = (count("CCT_EDITS", 11), count("CCT_CHANGES", 4));
    let mut drawn = Drawn::new(1);
    let (mut made, mut refused, mut failed) = (0, 0, Vec::new());
    let mut kinds = BTreeMap::<&str, usize>::new();
    while made < edits {
        let failure = &examples.failures[made % examples.failures.len()];
        let mut edit = |text: &str| {
            let (text, names) = edited(text, &mut drawn);
            for name in names {
                *kinds.entry(name).or_default() += 1;
            }
            text
        };
        let Some((finished, text)) = examples.replay(failure, &mut edit) else {
            refused += 1;
            assert!(refused < 2 + edits / 10, "too few edits compile");
            continue;
        };
        made += 1;
        if outcome(&finished) != "reproduced" {
            println!("{failure:?}: {}\n{text}", finished.stdout);
            failed.push((failure.clone(), outcome(&finished)));
        }
    }
    println!("{made} programs with edits that do no harm: {kinds:?}");
    println!("{refused} others did not compile; not reproduced: {failed:?}");

    let mut told = BTreeMap::<String, usize>::new();
    let mut silent = Vec::new();
    made = 0;
    while made < changes {
        let failure = &examples.failures[made % examples.failures.len()];
        let mut line = String::new();
        let replay = examples.replay(failure, &mut |text| {
            if !line.is_empty() || drawn.coin() {
                return text.to_owned();
            }
            let Some((text, which)) = changed(text, &mut drawn) else {
                return text.to_owned();
            };
            line = which;
            text
        });
        let Some((finished, _)) = replay.filter(|_| !line.is_empty()) else {
            continue;
        };
        made += 1;
        let outcome = outcome(&finished);
        println!("{}: {line}: {outcome}{}", failure.0, said(&finished));
        if outcome == "nothing" {
            silent.push((failure.clone(), line, finished.stderr));
        }
        *told.entry(outcome).or_default() += 1;
    }
    println!("{made} changes: {told:?}");
    assert!(
        failed.is_empty() && silent.is_empty(),
        "{failed:?} {silent:#?}"
    );
}
