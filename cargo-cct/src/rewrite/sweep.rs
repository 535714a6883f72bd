//! All passes on what people have written: what was Rust is Rust, and lines are where they were.

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::TokenStream;

use crate::rewrite::{Edition, Named, Passes, rewrite};

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
        let Some(result) = rewrite(&text, path, Edition::Rust2024, Passes::ALL, Named::NONE) else {
            continue;
        };
        let path = path.display();
        assert_eq!(result.lines().count(), text.lines().count(), "{path}");
        assert!(result.parse::<TokenStream>().is_ok(), "{path}");
        if syn::parse_file(&text).is_ok() {
            assert!(syn::parse_file(&result).is_ok(), "{path}");
            rewritten += 1;
        }
    }
    assert!(rewritten > 200, "{rewritten} of {} files", files.len());
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
