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

/// Folders of what is built or fetched stay out of the repository, but for `target`, which git ignores.
#[test]
fn folders_are_those_of_the_project() {
    let entries = fs::read_dir(root()).expect("a readable folder").flatten();
    let folders = entries.filter(|entry| entry.path().is_dir());
    let names = folders.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let known = |name: &String| {
        name.starts_with('.')
            || CODE.contains(&&**name)
            || ["docs", "examples", "target"].contains(&&**name)
    };
    let others: Vec<String> = names.filter(|name| !known(name)).collect();
    assert_eq!(others, [""; 0]);
}

#[test]
fn each_file_says_what_it_is_for() {
    let silent = |(_, text): &(PathBuf, String)| !text.starts_with("//! ");
    assert_eq!(paths(sources().into_iter().filter(silent)), [""; 0]);
}

/// rustfmt leaves an expression as it is when a literal in it is too long. Prose may be a little longer
/// than its 100 columns.
#[test]
fn lines_fit() {
    // The compiler's complaints stand behind the lines that they are about.
    let is_sample = |path: &PathBuf| path.starts_with("tests/actors/mistakes");
    let long = |(path, text): &(PathBuf, String)| {
        let mut lines = text.lines().map(|line| line.chars().count());
        !is_sample(path) && lines.any(|length| length > 110)
    };
    assert_eq!(paths(sources().into_iter().filter(long)), [""; 0]);
}

/// A sentence opens with its subject, and not with a clause or a pronoun in its place. Questions and headings
/// may.
#[test]
fn sentences_open_with_their_subject() {
    let openings = [
        "What", "Whatever", "Who", "Whoever", "Whom", "Whose", "Those",
    ];
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let opens = |line: &str| {
        let mut words = line.split(|c| !is_word(c));
        words.any(|word| openings.contains(&word)) && !line.ends_with('?')
    };
    let mut found = Vec::new();
    for (path, text) in sources().into_iter().chain(pages()) {
        let is_code = is_rust(&path);
        let mut is_sample = false;
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            is_sample ^= line.trim_start_matches(['/', '!', ' ']).starts_with("```");
            let is_prose = if is_code {
                line.starts_with("//")
            } else {
                !line.starts_with('#')
            };
            if is_prose && !is_sample && opens(line) {
                found.push(format!("{}:{}", path.display(), index + 1));
            }
        }
    }
    assert_eq!(found, [""; 0]);
}

/// The pages of the documentation with their text.
fn pages() -> Vec<(PathBuf, String)> {
    let of = |folder: &str| fs::read_dir(root().join(folder)).expect("a readable folder");
    let paths = of(".")
        .chain(of("docs"))
        .map(|entry| entry.expect("a readable folder").path());
    let is_page = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "md");
    let pages = paths.filter(is_page).map(|path| {
        let text = fs::read_to_string(&path).expect("text");
        (
            path.strip_prefix(root())
                .expect("below the root")
                .to_owned(),
            text,
        )
    });
    pages.collect()
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
/// std's own functions panic where the system has no thread left.
#[test]
fn the_tool_starts_threads_that_may_be_missing() {
    let starts = |(path, text): &(PathBuf, String)| {
        let code = code(text.split("#[cfg(test)]").next().unwrap_or_default());
        path.starts_with("cargo-cct/src")
            && ["thread::spawn(", "scope.spawn("]
                .iter()
                .any(|it| code.contains(it))
    };
    assert_eq!(paths(sources().into_iter().filter(starts)), [""; 0]);
}

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

/// The engine's folders, from the top down: each imports from those that follow, and from itself.
const LAYERS: [&str; 7] = [
    "aside", "task", "worker", "decide", "observe", "state", "switch",
];

/// Code on a worker may switch, the decision never does, and data knows nothing of those that use it.
#[test]
fn imports_of_the_engine_go_down() {
    for (path, text) in engine() {
        let Some(own) = LAYERS.iter().position(|&layer| path.starts_with(layer)) else {
            continue;
        };
        for above in &LAYERS[..own] {
            let named = [
                format!("crate::engine::{above}::"),
                format!("crate::engine::{{{above}"),
                format!("super::super::{above}::"),
            ];
            let is_named = named.iter().any(|name| code(&text).contains(name));
            assert!(!is_named, "{} imports from {above}", path.display());
        }
    }
}

/// A method that is called may be defined on the same type in a folder above, where no import shows it.
#[test]
fn methods_of_the_engine_call_down() {
    let defined = |text: &str| {
        let blocks = text.split("\nimpl Engine {").skip(1);
        let bodies = blocks.map(|block| block.split("\n}\n").next().unwrap_or(block));
        let lines = bodies.flat_map(str::lines);
        let names = lines.filter_map(|line| {
            let (_, rest) = line.strip_prefix("    ")?.split_once("fn ")?;
            let is_name = |c: char| c.is_alphanumeric() || c == '_';
            rest.split(|c| !is_name(c)).next().map(str::to_owned)
        });
        names.collect::<Vec<String>>()
    };
    let files = engine();
    for (index, above) in LAYERS.iter().enumerate() {
        let is_above = |(path, _): &&(PathBuf, String)| path.starts_with(above);
        let methods = files.iter().filter(is_above);
        let methods: Vec<String> = methods.flat_map(|(_, text)| defined(text)).collect();
        for (path, text) in &files {
            if LAYERS[index + 1..]
                .iter()
                .any(|below| path.starts_with(below))
            {
                let own = defined(text);
                let code = code(text);
                let called = |name: &&String| {
                    let by = ["engine", "(*engine)"];
                    by.iter()
                        .any(|receiver| code.contains(&format!("{receiver}.{name}(")))
                        || !own.is_empty() && code.contains(&format!(" self.{name}("))
                };
                let called: Vec<&String> = methods.iter().filter(called).collect();
                assert_eq!(called, [""; 0], "{}", path.display());
            }
        }
    }
}

/// One concept a file; and the engine itself is a dozen of them.
#[test]
fn the_engine_comes_in_parts() {
    let files = engine();
    let long = |(_, text): &(PathBuf, String)| text.lines().count() > 500;
    assert_eq!(
        paths(files.iter().filter(|file| long(file)).cloned()),
        [""; 0]
    );
    let whole = files
        .iter()
        .find(|(path, _)| path.ends_with("decide/engine.rs"));
    let (_, whole) = whole.expect("the engine has a file");
    let fields = whole
        .split_once("pub(crate) struct Engine {")
        .expect("the engine")
        .1;
    let fields = fields.lines().take_while(|line| *line != "}");
    let count = fields.filter(|line| line.contains(": ")).count();
    assert!((1..=12).contains(&count), "{count} fields");
}

/// Each function that is not safe says when it is.
#[test]
fn contracts_are_written_down() {
    let silent = engine().into_iter().flat_map(|(path, text)| {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let is_unsafe = |line: &str| {
            let line = line.trim_start();
            !line.starts_with("//")
                && (line.contains("unsafe fn ") || line.contains("unsafe extern \"C\" fn "))
                && !line.contains(": unsafe fn")
                && !line.contains("= unsafe")
        };
        let says = move |index: usize| {
            let before = lines[..index].iter().rev();
            let docs = before.take_while(|line| {
                let line = line.trim_start();
                line.starts_with("///")
                    || line.starts_with("#[")
                    || line.starts_with(")]")
                    || line.contains("clippy::")
                    || line.starts_with("reason")
            });
            docs.into_iter().any(|line| line.contains("# Safety"))
        };
        let found: Vec<String> = text
            .lines()
            .enumerate()
            .filter(|(index, line)| is_unsafe(line) && !says(*index))
            .map(|(index, _)| format!("{}:{}", path.display(), index + 1))
            .collect();
        found
    });
    assert_eq!(silent.collect::<Vec<String>>(), [""; 0]);
}

/// The engine's files, by their paths below its folder.
fn engine() -> Vec<(PathBuf, String)> {
    let folder = Path::new("cct-runtime/src/engine");
    let files = sources()
        .into_iter()
        .filter_map(|(path, text)| Some((path.strip_prefix(folder).ok()?.to_owned(), text)));
    files.collect()
}

/// The lines of a file that are no comments.
fn code(text: &str) -> String {
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    text.lines()
        .filter(is_code)
        .collect::<Vec<&str>>()
        .join("\n")
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
        let is_folder = folder.join(module).is_dir();
        let file = if is_folder { "/mod.rs" } else { ".rs" };
        let imported = imports(&read(&format!("{module}{file}")));
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
/// The map is the folder listing: each folder of code stands in it, under the folders around it.
#[test]
fn the_map_of_the_architecture_is_the_folder_listing() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("a readable file");
    let (_, map) = text.split_once("## The map").expect("the map");
    let map = map.split("```").nth(1).expect("the map is a block");
    let is_word = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    let words: Vec<&str> = map.split(|c| !is_word(c)).collect();
    let crates = [
        "cct-runtime/src/",
        "cct-shims/",
        "cct-macros/src/",
        "cargo-cct/src/",
    ];
    let mut missing = Vec::new();
    for (path, _) in sources() {
        let path = path.to_string_lossy().into_owned();
        let Some(inner) = crates.iter().find_map(|prefix| path.strip_prefix(prefix)) else {
            continue;
        };
        let folders = inner.rsplit_once('/').map_or("", |(folders, _)| folders);
        for folder in folders
            .split('/')
            .filter(|name| !["", "src", "tests"].contains(name))
        {
            let named = format!("{folder}/");
            if !words.iter().any(|word| word.ends_with(&named)) && !missing.contains(&named) {
                missing.push(named);
            }
        }
    }
    assert_eq!(missing, [""; 0]);
}

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
