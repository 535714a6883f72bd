//! Rules of the code base that no lint knows.

use std::fs;
use std::path::{Path, PathBuf};

/// The folders of Rust code that people write; fixtures and examples are users' code.
const CODE: [&str; 5] = [
    "cargo-cct",
    "cct-macros",
    "cct-runtime",
    "cct-shims",
    "tests",
];

#[test]
fn each_file_says_what_it_is_for() {
    let silent = |(_, text): &(PathBuf, String)| !text.starts_with("//! ");
    assert_eq!(paths(sources().into_iter().filter(silent)), [""; 0]);
}

/// rustfmt leaves an expression as it is when a literal in it is too long. Prose may be a little longer
/// than its 100 columns.
#[test]
fn lines_fit() {
    let long = |(_, text): &(PathBuf, String)| {
        let mut lines = text.lines().map(|line| line.chars().count());
        lines.any(|length| length > 110)
    };
    assert_eq!(paths(sources().into_iter().filter(long)), [""; 0]);
}

/// The tool reads events, schedules and traces; were it to use the engine, it would have to be linked
/// with what takes over the allocator.
#[test]
fn the_tool_does_not_use_the_engine() {
    let uses = |(path, text): &(PathBuf, String)| {
        let forbidden = [
            "cct::engine",
            "cct::harness",
            "cct::memory",
            "cct::primitive",
        ];
        path.starts_with("cargo-cct") && forbidden.iter().any(|name| text.contains(name))
    };
    assert_eq!(paths(sources().into_iter().filter(uses)), [""; 0]);
}

/// The harness ends the process; the engine asks for it by a function that it was given.
#[test]
fn the_engine_does_not_know_the_harness() {
    let knows = |(path, text): &(PathBuf, String)| {
        let parts = ["engine", "memory", "primitive"];
        let mut parts = parts
            .iter()
            .map(|part| Path::new("cct-runtime/src").join(part));
        parts.any(|part| path.starts_with(part)) && text.contains("harness::")
    };
    assert_eq!(paths(sources().into_iter().filter(knows)), [""; 0]);
}

/// A file of the harness imports only from those that `mod.rs` names before it.
#[test]
fn the_harness_has_no_circle() {
    let folder = root().join("cct-runtime/src/harness");
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("a readable file");
    let prose = read("mod.rs");
    let modules = prose
        .lines()
        .filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
    let modules: Vec<&str> = modules.collect();
    assert!(modules.len() > 20, "{modules:?}");
    for (index, module) in modules.iter().enumerate() {
        let imported = imports(&read(&format!("{module}.rs")));
        let known = imported
            .iter()
            .filter(|name| modules.contains(&name.as_str()));
        let ahead: Vec<_> = known
            .filter(|name| !modules[..index].contains(&name.as_str()))
            .collect();
        assert_eq!(ahead, [""; 0], "{module}");
    }
}

/// The modules beside a file that it imports from.
fn imports(text: &str) -> Vec<String> {
    let word = |text: &str| {
        let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        text[..end.unwrap_or(text.len())].to_owned()
    };
    let mut imports = Vec::new();
    for rest in text.split("use super::").skip(1) {
        match rest.strip_prefix('{') {
            Some(rest) => {
                let list = rest.split('}').next().unwrap_or_default();
                imports.extend(list.split(',').map(|name| word(name.trim())));
            }
            None => imports.push(word(rest)),
        }
    }
    imports
}

/// Files are named in the map, and in the text by their path below some `src`.
#[test]
fn files_that_the_architecture_names_exist() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("a readable file");
    let is_word = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    let named = text
        .split(|c| !is_word(c))
        .filter(|word| is_rust(Path::new(word)));
    let known = sources();
    let gone: Vec<&str> = named
        .filter(|name| !known.iter().any(|(path, _)| path.ends_with(name)))
        .collect();
    assert_eq!(gone, [""; 0]);
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// All files with their text, by their path from the root.
fn sources() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for folder in CODE {
        collect(&root().join(folder), &mut found);
    }
    assert!(found.len() > 100, "{} files", found.len());
    found
}

fn collect(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable folder").path();
        let from_root = path
            .strip_prefix(root())
            .expect("below the root")
            .to_owned();
        let is_users = from_root.starts_with("tests/fixtures") || from_root.ends_with("target");
        if path.is_dir() && !is_users {
            collect(&path, found);
        } else if is_rust(&path) {
            found.push((from_root, fs::read_to_string(&path).expect("text")));
        }
    }
}

fn is_rust(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "rs")
}

fn paths(files: impl Iterator<Item = (PathBuf, String)>) -> Vec<String> {
    let mut paths: Vec<String> = files.map(|(path, _)| path.display().to_string()).collect();
    paths.sort();
    paths
}
