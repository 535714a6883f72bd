//! Parity with std, from a list of its public items.
//!
//! `extract.py` reads the list from the toolchain's documentation. From it, one source file is
//! generated that uses each item: functions by their exact signature, constness by a call in a
//! const function, impls under exactly their documented bounds, and auto traits also by their
//! absence without these bounds. The file must compile as it is, which proves the list, and with
//! the facades, which proves parity. The properties that no list has (variance, unsizing, layout, macros,
//! test attributes) stands in `extras/`, and is compiled in both worlds as well.

#![allow(missing_docs, reason = "tests are claims and need no more words")]

mod compile;
mod facade;
mod list;
mod source;

use std::collections::{BTreeMap, BTreeSet};

use compile::Compiler;
use list::Item;
use source::Source;

/// Macros that the facade's preludes have, and std's only in later releases, which had them at its root.
const IN_PRELUDES: [&str; 6] = [
    "path std::prelude::v1::dbg:",
    "path std::prelude::v1::eprint:",
    "path std::prelude::v1::eprintln:",
    "path std::prelude::v1::print:",
    "path std::prelude::v1::println:",
    "path std::prelude::v1::thread_local:",
];

const EDITIONS: [&str; 4] = ["2015", "2018", "2021", "2024"];

/// Hand-written programs: name, oldest edition they are written for, text.
const EXTRAS: [(&str, &str, &str); 9] = [
    ("hygiene", "2018", include_str!("extras/hygiene.rs")),
    ("imports", "2018", include_str!("extras/imports.rs")),
    ("layout", "2021", include_str!("extras/layout.rs")),
    ("macros", "2015", include_str!("extras/macros.rs")),
    ("no_std", "2018", include_str!("extras/no_std.rs")),
    ("statics", "2018", include_str!("extras/statics.rs")),
    ("tests", "2015", include_str!("extras/tests.rs")),
    (
        "thread_locals",
        "2015",
        include_str!("extras/thread_locals.rs"),
    ),
    ("types", "2021", include_str!("extras/types.rs")),
];

/// The list is of one release; what is stable stays in later ones.
#[test]
fn the_list_is_true_of_std() {
    if list::read().is_of_this_release_or_before() {
        assert_nothing_missing(&real());
    }
}

#[test]
fn the_extras_are_true_of_std() {
    assert_extras_compile(&real());
}

/// Also with releases that lack some of it, or have what came after the list.
#[test]
fn the_facades_offer_what_std_offers() {
    let items = [list::read().items(), list::later()].concat();
    let source = Source::of(&items);
    let named = |compiler: &Compiler| -> BTreeMap<String, String> {
        let missing = compiler.missing("items", &source);
        let parts = missing
            .iter()
            .map(|line| line.split_once(": ").expect("a name and a reason"));
        parts
            .map(|(name, reason)| (name.to_owned(), reason.to_owned()))
            .collect()
    };
    let (std, facades) = (named(&real()), named(facade::compiler()));
    let only =
        |these: &BTreeMap<String, String>, those: &BTreeMap<String, String>| -> Vec<String> {
            let only = these.iter().filter(|(name, _)| !those.contains_key(*name));
            only.map(|(name, reason)| format!("{name}: {reason}"))
                .collect()
        };
    let (lacking, mut too_many) = (only(&facades, &std), only(&std, &facades));
    too_many.retain(|line| !IN_PRELUDES.iter().any(|path| line.starts_with(path)));
    assert!(
        lacking.is_empty(),
        "std has, and the facades lack: {lacking:#?}"
    );
    assert!(
        too_many.is_empty(),
        "the facades have, and std lacks: {too_many:#?}"
    );
}

#[test]
fn the_extras_compile_with_the_facades() {
    assert_extras_compile(facade::compiler());
}

/// The tool tells items of a newer std by this list.
#[test]
fn the_tool_knows_the_names_of_the_list() {
    let text = include_str!("../../cargo-cct/src/build/known_names.txt");
    let known: BTreeSet<&str> = text.lines().collect();
    let modules: BTreeSet<&str> = known
        .iter()
        .filter_map(|path| Some(path.rsplit_once("::")?.0))
        .collect();
    let items = [list::read().items(), list::later()].concat();
    let listed: BTreeSet<&str> = items
        .iter()
        .filter_map(|item| match item {
            Item::Path { path } => Some(path.as_str()),
            _ => None,
        })
        .filter(|path| {
            let module = path.rsplit_once("::").map(|(module, _)| module);
            module.is_some_and(|module| modules.contains(module))
        })
        .collect();
    assert_eq!(known, listed);
}

#[test]
fn what_is_missing_is_named() {
    let made_up = r#"[
        {"fn": "std::sync::Mutex::seize", "of": "std::sync::Mutex<T>", "generics": "T",
         "args": ["&std::sync::Mutex<T>"], "ret": "T"},
        {"fn": "std::thread::yield_now", "args": [], "ret": "()", "const": true},
        {"fn": "std::thread::park", "args": [], "ret": "()"},
        {"impl": "std::clone::Clone", "of": "std::sync::Mutex<T>", "generics": "T"},
        {"not": "std::marker::Sync", "of": "std::sync::Mutex<T>", "generics": "T: Send"},
        {"path": "std::sync::Semaphore"}
    ]"#;
    let items: Vec<Item> = serde_json::from_str(made_up).expect("the form of the list");
    let missing = real().missing("made_up", &Source::of(&items));
    let named = |name: &str| missing.iter().any(|line| line.starts_with(name));
    assert!(named("fn std::sync::Mutex::seize"), "{missing:?}");
    assert!(named("const fn std::thread::yield_now"), "{missing:?}");
    assert!(
        named("impl std::clone::Clone for std::sync::Mutex<T>"),
        "{missing:?}"
    );
    assert!(
        named("impl !std::marker::Sync for std::sync::Mutex<T>"),
        "{missing:?}"
    );
    assert!(named("path std::sync::Semaphore"), "{missing:?}");
    assert_eq!(missing.len(), 5, "{missing:?}");
}

/// Returns rustc as it is.
fn real() -> Compiler {
    Compiler {
        world: "real",
        args: Vec::new(),
    }
}

fn assert_nothing_missing(compiler: &Compiler) {
    let list = list::read();
    let items = list.items();
    let missing = compiler.missing("listed", &Source::of(&items));
    assert!(
        missing.is_empty(),
        "{} of {} items are not as in Rust {}:\n{}",
        missing.len(),
        items.len(),
        list.rust,
        missing.join("\n"),
    );
}

fn assert_extras_compile(compiler: &Compiler) {
    let mut failed = String::new();
    for (name, oldest, text) in EXTRAS {
        for edition in EDITIONS.into_iter().filter(|edition| *edition >= oldest) {
            failed += &compiler.errors(name, edition, text);
        }
    }
    assert!(failed.is_empty(), "{failed}");
}
