//! Places in the source that are known again after the code has moved.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use cct::origin::Origin;
use cct::trace::Site;
use serde::{Deserialize, Serialize};
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};

use crate::plain_file;

/// A line of a function.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(crate) struct Place {
    /// The function's name, after its type's if it is a method.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub function: String,
    /// The line's text; of a file that cannot be read, its name and the number of the line.
    pub text: String,
}

/// The files that places are in, each read once.
#[derive(Debug)]
pub(crate) struct Sources {
    root: PathBuf,
    files: BTreeMap<String, Option<Source>>,
    /// The files below the root, once somebody has asked.
    all: Option<Vec<String>>,
}

#[derive(Debug)]
struct Source {
    lines: Vec<String>,
    functions: Vec<Function>,
}

/// A function, from line to line.
#[derive(Debug)]
struct Function {
    name: String,
    first: usize,
    last: usize,
}

impl Sources {
    /// Files are looked for from this folder, where rustc runs.
    pub(crate) fn new(root: &Path) -> Sources {
        Sources {
            root: root.to_owned(),
            files: BTreeMap::new(),
            all: None,
        }
    }

    /// The place at this site.
    pub(crate) fn place(&mut self, site: &Site) -> Place {
        let number = usize::try_from(site.line).unwrap_or(usize::MAX);
        let source = self.read(&site.file);
        let line = source.and_then(|source| source.lines.get(number.checked_sub(1)?));
        let Some(line) = line else {
            return Place {
                function: String::new(),
                text: format!("{}:{}", end_of(&site.file), site.line),
            };
        };
        let text = code_of(line).to_owned();
        Place {
            function: self.function(&site.file, number),
            text,
        }
    }

    /// How many lines of its function before a site have the same text, and how far it is below the first;
    /// none if its file is std's or ours, or cannot be read.
    pub(crate) fn position(&mut self, site: &Site) -> Option<(u32, u32)> {
        if matches!(Origin::of(&site.file), Origin::Std | Origin::Cct) {
            return None;
        }
        let line = usize::try_from(site.line).ok()?;
        let source = self.read(&site.file)?;
        let text = code_of(source.lines.get(line.checked_sub(1)?)?);
        let first = source.around(line).map_or(1, |function| function.first);
        let before = source.lines[first - 1..line - 1].iter();
        let nth = before.filter(|line| code_of(line) == text).count();
        Some((u32::try_from(nth).ok()?, u32::try_from(line - first).ok()?))
    }

    /// The functions of this name in a file, each with the number of its first line and its lines' code. With
    /// no name, the file is one.
    pub(crate) fn functions_called(&mut self, file: &str, name: &str) -> Vec<(u32, Vec<String>)> {
        let Some(source) = self.read(file) else {
            return Vec::new();
        };
        if name.is_empty() {
            return vec![source.body(1, source.lines.len())];
        }
        let called = source.functions.iter().filter(|one| one.name == name);
        called.map(|one| source.body(one.first, one.last)).collect()
    }

    /// All functions of a file, in the same way.
    pub(crate) fn all_functions(&mut self, file: &str) -> Vec<(u32, Vec<String>)> {
        let source = self.read(file).into_iter();
        let bodies = source.flat_map(|source| {
            let bodies = source.functions.iter();
            bodies.map(|one| source.body(one.first, one.last))
        });
        bodies.collect()
    }

    /// The files with code below the root, by their paths from there: all but those of builds and of tools.
    pub(crate) fn all_files(&mut self) -> Vec<String> {
        let root = self.root.clone();
        let all = self.all.get_or_insert_with(|| {
            let mut all = Vec::new();
            add_files(&root, "", &mut all);
            all.sort();
            all
        });
        all.clone()
    }

    /// The innermost function that has this line.
    fn function(&mut self, file: &str, line: usize) -> String {
        let inner = self.read(file).and_then(|source| source.around(line));
        inner.map_or_else(String::new, |function| function.name.clone())
    }

    fn read(&mut self, file: &str) -> Option<&Source> {
        let root = &self.root;
        let read = self.files.entry(file.to_owned()).or_insert_with(|| {
            let text = plain_file::read_to_string(&root.join(file)).ok()?;
            Some(Source {
                functions: functions(&text),
                lines: text.lines().map(str::to_owned).collect(),
            })
        });
        read.as_ref()
    }
}

impl Source {
    /// The innermost function that has this line.
    fn around(&self, line: usize) -> Option<&Function> {
        let around = self.functions.iter();
        let around = around.filter(|function| (function.first..=function.last).contains(&line));
        around.max_by_key(|function| function.first)
    }

    fn body(&self, first: usize, last: usize) -> (u32, Vec<String>) {
        let lines = self.lines.get(first - 1..last).unwrap_or_default();
        let code = lines.iter().map(|line| code_of(line).to_owned());
        (u32::try_from(first).unwrap_or(u32::MAX), code.collect())
    }
}

/// Adds the files with code in this folder, which is at `path` from the root.
fn add_files(root: &Path, path: &str, all: &mut Vec<String>) {
    for entry in fs::read_dir(root.join(path))
        .into_iter()
        .flatten()
        .flatten()
    {
        let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string()) else {
            continue;
        };
        let here = if path.is_empty() {
            name.clone()
        } else {
            format!("{path}/{name}")
        };
        if kind.is_dir() && !name.starts_with('.') && !is_of_builds(&entry.path()) {
            add_files(root, &here, all);
        } else if kind.is_file() && Path::new(&name).extension().is_some_and(|end| end == "rs") {
            all.push(here);
        }
    }
}

/// True of a folder that cargo builds in.
fn is_of_builds(folder: &Path) -> bool {
    folder.join("CACHEDIR.TAG").exists()
}

/// A line's code, without the comment at its end.
fn code_of(line: &str) -> &str {
    let comment = line.match_indices("//").find(|(at, _)| {
        let before = &line[..*at];
        before.matches('"').count().is_multiple_of(2) && !before.ends_with(':')
    });
    comment.map_or(line, |(at, _)| &line[..at]).trim()
}

/// The last parts of a path, which other machines have as well.
fn end_of(file: &str) -> String {
    let parts: Vec<&str> = file.split('/').collect();
    parts[parts.len().saturating_sub(4)..].join("/")
}

/// All functions of a file; none if it cannot be parsed. Each part of it may be in the one before, and then
/// needs stack.
fn functions(text: &str) -> Vec<Function> {
    let stack = LEAST_STACK + STACK_OF_A_BYTE.saturating_mul(text.len());
    let find = || {
        let mut found = Found::default();
        if let Ok(file) = syn::parse_file(text) {
            found.visit_file(&file);
        }
        found.functions
    };
    thread::scope(|scope| {
        let finder = thread::Builder::new().stack_size(stack);
        let finder = finder.spawn_scoped(scope, find);
        // Where there is no room for the stack, nothing is known.
        finder.map_or_else(|_| Vec::new(), |finder| finder.join().unwrap_or_default())
    })
}

/// The stack for a file without parts in each other.
const LEAST_STACK: usize = 1 << 21;
/// The deepest nesting has a part for each byte, and takes so much for each. Unused stack is no memory.
const STACK_OF_A_BYTE: usize = 1 << 12;

/// The functions seen so far, and the type whose methods are being looked at.
#[derive(Default)]
struct Found {
    functions: Vec<Function>,
    owner: String,
}

impl Found {
    fn add(&mut self, name: &syn::Ident, span: proc_macro2::Span) {
        self.functions.push(Function {
            name: format!("{}{name}", self.owner),
            first: span.start().line,
            last: span.end().line,
        });
    }
}

impl<'ast> Visit<'ast> for Found {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        let owner = std::mem::take(&mut self.owner);
        self.add(&item.sig.ident, item.span());
        visit::visit_item_fn(self, item);
        self.owner = owner;
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.add(&item.sig.ident, item.span());
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        self.add(&item.sig.ident, item.span());
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let name = match &*item.self_ty {
            syn::Type::Path(path) => path.path.segments.last(),
            _ => None,
        };
        let owner = name.map_or_else(String::new, |name| format!("{}::", name.ident));
        let before = std::mem::replace(&mut self.owner, owner);
        visit::visit_item_impl(self, item);
        self.owner = before;
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        let before = std::mem::replace(&mut self.owner, format!("{}::", item.ident));
        visit::visit_item_trait(self, item);
        self.owner = before;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
fn outer() {
    fn inner() {
        a();
    }
    b(\"//\"); // a comment
}
impl<T> Pool<T> {
    fn take(&self) { c() }
}
";

    #[test]
    fn a_place_is_a_line_of_the_innermost_function() {
        let functions = functions(TEXT);
        let mut sources = Sources::new(Path::new("/nowhere"));
        let lines = TEXT.lines().map(str::to_owned).collect();
        let source = Source { lines, functions };
        sources.files.insert("a.rs".to_owned(), Some(source));
        let mut at = |line| {
            let place = sources.place(&Site {
                file: "a.rs".to_owned(),
                line,
                column: 1,
            });
            (place.function, place.text)
        };
        let place = |function: &str, text: &str| (function.to_owned(), text.to_owned());
        assert_eq!(at(3), place("inner", "a();"));
        assert_eq!(at(5), place("outer", "b(\"//\");"));
        assert_eq!(at(8), place("Pool::take", "fn take(&self) { c() }"));
        assert_eq!(at(99), place("", "a.rs:99"));
    }

    #[test]
    fn functions_are_found_beside_text_of_any_depth() {
        let (plus, minus) = ("1 + ".repeat(20_000), "-".repeat(20_000));
        let nested =
            |open: &str, close: &str| [open.repeat(20_000), close.repeat(20_000)].join("1");
        for deep in [
            nested("(", ")"),
            nested("[", "]"),
            nested("{", "}"),
            nested("if a {} else { ", "}"),
            nested("|| ", ""),
            nested("x(|| ", ")"),
            plus + "1",
            minus + "1",
        ] {
            let found = functions(&format!("fn a() {{}}\nfn b() {{ {deep} }}\n"));
            assert_eq!(found.len(), 2);
        }
    }
}
