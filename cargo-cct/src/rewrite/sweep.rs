//! All passes on what people have written, and on what comes of it when tokens are lost, doubled or mixed up:
//! what was Rust is Rust, lines are where they were, and without the edits the text is the one that was.
//!
//! `CCT_SWEEP=100 cargo test --release -p cargo-cct sweep` takes so many crates of cargo's registry.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};

use super::edit::{Edit, apply};
use super::edits;
use crate::rewrite::{Edition, Named, Passes};

/// So many mutations of a file are looked at.
const MUTATIONS: u64 = 2;
/// Larger files are generated, and take their time.
const LARGEST: usize = 300_000;

#[test]
fn what_was_rust_stays_rust() {
    let mut files = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for folder in [
        "cargo-cct",
        "cct-macros",
        "cct-runtime",
        "cct-shims",
        "examples",
        "tests",
    ] {
        collect(&root.join(folder), &mut files);
    }
    let mut rewritten = 0;
    for path in &files {
        let text = fs::read_to_string(path).expect("text");
        let is_rewritten = check(&text, path, Edition::Rust2024);
        rewritten += u32::from(is_rewritten);
    }
    assert!(rewritten > 200, "{rewritten} of {} files", files.len());
}

#[test]
fn what_is_hardly_rust_comes_to_no_harm() {
    let mut files = Vec::new();
    collect(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples"),
        &mut files,
    );
    for path in &files {
        let text = fs::read_to_string(path).expect("text");
        for seed in 0..MUTATIONS {
            check(&mutated(&text, seed), path, Edition::Rust2024);
        }
    }
}

#[test]
fn published_crates_stay_what_they_are() {
    let wanted = std::env::var("CCT_SWEEP").ok();
    let wanted = wanted.and_then(|number| number.parse().ok()).unwrap_or(0);
    let (mut rewritten, mut looked_at) = (0, 0);
    for folder in registry().into_iter().take(wanted) {
        let edition = edition_of(&folder);
        let mut files = Vec::new();
        collect(&folder, &mut files);
        for path in &files {
            let Ok(text) = fs::read_to_string(path) else {
                continue;
            };
            if text.len() > LARGEST {
                continue;
            }
            looked_at += 1 + MUTATIONS;
            rewritten += u32::from(check(&text, path, edition));
            for seed in 0..MUTATIONS {
                check(&mutated(&text, seed), path, edition);
            }
        }
    }
    if wanted > 0 {
        println!("{looked_at} texts, {rewritten} files that were rewritten");
    }
}

/// Looks at what becomes of a text; true if something does.
#[track_caller]
pub(super) fn check(text: &str, path: &Path, edition: Edition) -> bool {
    let made = || edits(text, path, edition, Passes::ALL, Named::NONE);
    let Ok(edits) = catch_unwind(AssertUnwindSafe(made)) else {
        panic!("{}: a pass has panicked on:\n{text}", path.display());
    };
    if edits.is_empty() {
        return false;
    }
    let result = apply(text, &edits);
    let what = || format!("{}:\n{text}\n\nbecame\n\n{result}", path.display());
    assert_eq!(result.lines().count(), text.lines().count(), "{}", what());
    assert_eq!(taken_back(&result, text, &edits), text, "{}", what());
    let is_tokens = |text: &str| text.parse::<TokenStream>().is_ok();
    assert!(!is_tokens(text) || is_tokens(&result), "{}", what());
    let was_rust = syn::parse_file(text).is_ok();
    assert!(!was_rust || syn::parse_file(&result).is_ok(), "{}", what());
    was_rust
}

/// The result without the edits.
fn taken_back(result: &str, text: &str, edits: &[Edit]) -> String {
    let mut out = String::new();
    let mut rest = result;
    let mut at = 0;
    for edit in edits {
        let (same, behind) = rest.split_at(edit.range.start - at);
        let behind = behind.strip_prefix(&*edit.text);
        out.push_str(same);
        out.push_str(&text[edit.range.clone()]);
        rest = behind.expect("the edit is where it belongs");
        at = edit.range.end;
    }
    out + rest
}

/// The text with a few of its tokens lost, doubled, exchanged with the next or written over by others.
fn mutated(text: &str, seed: u64) -> String {
    let Ok(stream) = text.parse::<TokenStream>() else {
        return text.to_owned();
    };
    let mut tokens = Vec::new();
    flatten(stream, &mut tokens);
    if tokens.len() < 2 {
        return text.to_owned();
    }
    let mut drawn = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ text.len() as u64 | 1;
    let mut below = |bound: usize| {
        drawn ^= drawn << 13;
        drawn ^= drawn >> 7;
        drawn ^= drawn << 17;
        usize::try_from(drawn >> 33).unwrap_or_default() % bound
    };
    let mut edits = Vec::new();
    for _ in 0..=below(3) {
        let (one, other) = (below(tokens.len() - 1), below(tokens.len()));
        let of = |index: usize| text[tokens[index].clone()].replace(['\n', '\r'], " ");
        let range = tokens[one].clone();
        match below(4) {
            0 => edits.push((range, String::new())),
            1 => edits.push((range, format!("{0} {0}", of(one)))),
            2 => edits.push((range, of(one + 1))),
            _ => edits.push((range, of(other))),
        }
    }
    // From behind, so that places stay; of those that overlap the last counts.
    edits.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    let (mut out, mut end) = (text.to_owned(), text.len());
    for (range, new) in edits {
        if range.end <= end {
            end = range.start;
            out.replace_range(range, &format!(" {new} "));
        }
    }
    out
}

/// The places of all tokens, those of groups as well as the groups.
fn flatten(stream: TokenStream, tokens: &mut Vec<std::ops::Range<usize>>) {
    for token in stream {
        tokens.push(token.span().byte_range());
        if let TokenTree::Group(group) = token {
            flatten(group.stream(), tokens);
        }
    }
}

/// The crates in cargo's registry, in an order that mixes their names.
fn registry() -> Vec<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    let folder = home.unwrap_or_default().join("registry").join("src");
    let folders = |folder: &Path| {
        let entries = fs::read_dir(folder).into_iter().flatten();
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        paths.filter(|path| path.is_dir()).collect::<Vec<_>>()
    };
    let mut crates: Vec<PathBuf> = folders(&folder)
        .iter()
        .flat_map(|one| folders(one))
        .collect();
    crates.sort_by_key(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        (cct::codec::hash(name.bytes()), path.clone())
    });
    crates
}

/// The edition that a crate says it is of.
fn edition_of(folder: &Path) -> Edition {
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
    let year = manifest.lines().find_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == "edition").then(|| value.trim().trim_matches('"').to_owned())
    });
    Edition::parse(year.as_deref())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() && !path.ends_with("target") {
            collect(&path, files);
        } else if path.extension().is_some_and(|end| end == "rs") {
            files.push(path);
        }
    }
}
