//! Which items of std a crate's source names, of a few that are looked for.
//!
//! Paths that begin with `std` or `core` count wherever they stand, in macros as well, and those that begin
//! with a module that the file imports. Not seen are paths that a macro puts together, modules that come
//! through another crate, and sources that the compiler does not name.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::dep_info;
use crate::rewrite::{Edition, Source};

/// The paths that a crate's sources name, by the file in which rustc lists these.
pub(super) fn of_crate(dep_info: &Path, paths: &[String]) -> Vec<String> {
    if paths.is_empty() {
        return Vec::new();
    }
    let files = dep_info::sources(dep_info).unwrap_or_default();
    let mut found = BTreeSet::new();
    for file in files {
        if let Ok(text) = fs::read_to_string(&file) {
            found.extend(of_text(&text, &file, paths));
        }
    }
    found.into_iter().collect()
}

fn of_text(text: &str, file: &Path, paths: &[String]) -> BTreeSet<String> {
    let last = |path: &String| path.rsplit("::").next().unwrap_or_default().to_owned();
    // Most files have none of the words, and need not be taken apart.
    if !paths.iter().any(|path| text.contains(&last(path))) {
        return BTreeSet::new();
    }
    let Some(source) = Source::parse(text, file, Edition::Rust2021) else {
        return BTreeSet::new();
    };
    let mut words = Vec::new();
    flatten(source.tokens, &mut words);
    let mut named = Named::default();
    named.read(&words);
    let is_named = |path: &&String| {
        let inside = format!("{path}::");
        let (module, name) = path.rsplit_once("::").unwrap_or_default();
        let by_glob = named.globs.contains(module) && words.iter().any(|word| word == name);
        let is_it = |found: &String| found == *path || found.starts_with(&inside);
        by_glob || named.paths.iter().any(is_it)
    };
    paths.iter().filter(is_named).cloned().collect()
}

/// Words and marks, with the braces of groups among them.
fn flatten(tokens: TokenStream, words: &mut Vec<String>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let is_tree = group.delimiter() == Delimiter::Brace;
                words.push(if is_tree { "{" } else { "(" }.to_owned());
                flatten(group.stream(), words);
                words.push(if is_tree { "}" } else { ")" }.to_owned());
            }
            TokenTree::Ident(word) => {
                let word = word.to_string();
                words.push(word.strip_prefix("r#").unwrap_or(&word).to_owned());
            }
            TokenTree::Punct(mark) => words.push(mark.as_char().to_string()),
            TokenTree::Literal(_) => words.push("\"".to_owned()),
        }
    }
}

/// The paths of a file that lead into std.
#[derive(Default)]
struct Named {
    /// Each with `std` at its front.
    paths: BTreeSet<String>,
    /// The modules of which all names are imported.
    globs: BTreeSet<String>,
    /// Names by which modules are imported, with their paths.
    imported: Vec<(String, String)>,
}

impl Named {
    fn read(&mut self, words: &[String]) {
        for (place, word) in words.iter().enumerate() {
            if word == "std" || word == "core" {
                self.follow("std", &words[place + 1..]);
            }
        }
        // A module may be imported after it is used.
        for (name, path) in self.imported.clone() {
            for (place, word) in words.iter().enumerate() {
                let is_inside = place > 0 && words[place - 1] == ":";
                if *word == name && !is_inside {
                    self.follow(&path, &words[place + 1..]);
                }
            }
        }
    }

    /// Reads what stands behind a path; returns how many words belong to it.
    fn follow(&mut self, path: &str, rest: &[String]) -> usize {
        let word = |place: usize| rest.get(place).map_or("", String::as_str);
        if word(0) != ":" || word(1) != ":" {
            let renamed = (word(0) == "as").then(|| word(1));
            let name = renamed.unwrap_or_else(|| path.rsplit("::").next().unwrap_or_default());
            self.paths.insert(path.to_owned());
            if path != "std" || renamed.is_some() {
                self.import(name, path);
            }
            return if renamed.is_some() { 2 } else { 0 };
        }
        match word(2) {
            "*" => {
                self.globs.insert(path.to_owned());
                3
            }
            "{" => {
                let mut place = 3;
                while place < rest.len() && word(place) != "}" {
                    place += match word(place) {
                        "self" => {
                            // Means the module itself.
                            1 + self.follow(path, &rest[place + 1..])
                        }
                        "*" => {
                            self.globs.insert(path.to_owned());
                            1
                        }
                        name if is_word(name) => {
                            1 + self.follow(&format!("{path}::{name}"), &rest[place + 1..])
                        }
                        _ => 1,
                    };
                }
                place + 1
            }
            name if is_word(name) => {
                self.paths.insert(path.to_owned());
                3 + self.follow(&format!("{path}::{name}"), &rest[3..])
            }
            _ => 0,
        }
    }

    /// A name that begins with a small letter may be a module's.
    fn import(&mut self, name: &str, path: &str) {
        let imported = (name.to_owned(), path.to_owned());
        let is_module = path
            .rsplit("::")
            .next()
            .is_some_and(|last| last.starts_with(char::is_lowercase));
        if is_module && !self.imported.contains(&imported) {
            self.imported.push(imported);
        }
    }
}

fn is_word(text: &str) -> bool {
    text.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let paths = ["std::sync::oneshot", "std::thread::hook"].map(str::to_owned);
        of_text(text, Path::new("/a.rs"), &paths)
            .into_iter()
            .collect()
    }

    #[test]
    fn paths_into_std_are_followed() {
        for text in [
            "use std::sync::oneshot;",
            "use ::std::sync::oneshot::{channel, Sender};",
            "fn f() { let a = std::sync::oneshot::channel(); }",
            "use std::{io::{self, Read}, sync::{Arc, oneshot::channel as pair}, thread};",
            "use core::sync::{oneshot};",
            "fn f() { sync::oneshot::channel() } use std::sync;",
            "use std::{sync::{self, Arc}}; fn f() { sync::oneshot::channel() }",
            "use std::sync as s; fn f() { s::oneshot::channel() }",
            "use std::sync::*; fn f() { oneshot::channel() }",
            "use std::sync::{*}; fn f() { oneshot::channel() }",
            "macro_rules! m { () => { $crate::a(::std::sync::oneshot::channel()) } }",
            "use std::r#sync::oneshot;",
        ] {
            assert_eq!(found(text), ["std::sync::oneshot"], "{text}");
        }
        let both = "use std::{thread::hook, sync::oneshot};";
        assert_eq!(found(both), ["std::sync::oneshot", "std::thread::hook"]);
    }

    #[test]
    fn the_same_words_elsewhere_are_others() {
        for text in [
            "use tokio::sync::oneshot;",
            "use tokio::sync; fn f() { sync::oneshot::channel() }",
            "use std::sync::Arc; use futures::channel::oneshot;",
            "use std::sync; mod a { fn oneshot() {} }",
            "// std::sync::oneshot\nfn f() -> &'static str { \"std::sync::oneshot\" }",
            "use std::thread; fn f(thread: A) { thread.hook() }",
            "use std::{sync::Arc, thread}; use a::{sync::oneshot};",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }
}
