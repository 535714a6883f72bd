//! Items of std that came after this tool: the facade leaves them as they are, or lacks them.
//!
//! A module of the facade passes on all names of std's that it does not know, so a program that uses one
//! builds, and what that item does is not controlled. A type of the facade has the functions that its author
//! knew, and a program that calls a later one does not build. Both are looked for when the sysroot is built:
//! std's names are read from the pages that rustdoc makes of the compiler's libraries, without their source.
//!
//! Not looked for are later impls of traits, functions of atomics, and names in modules that have no shim.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use serde::Deserialize;

use super::sysroot::library;
use crate::plain_file;
use crate::run::helper;

/// The modules of the facade that have shims, and `time`, whose functions do not go by their names.
const MODULES: [&str; 10] = [
    "env",
    "hint",
    "io",
    "panic",
    "process",
    "sync",
    "sync::atomic",
    "sync::mpsc",
    "thread",
    "time",
];

/// The stable names in these modules that were looked at, each as a path.
const KNOWN: &str = include_str!("known_names.txt");

/// The file of the sysroot with what was found.
const FILE: &str = "later";
/// Its only line where std's names could not be read.
const UNREADABLE: &str = "?";

/// The items of a toolchain's std that this tool does not know.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Later {
    /// Paths of items that are std's own, as `std::sync::Semaphore`.
    pub names: Vec<String>,
    /// Functions that the facade's types lack, as `std::sync::Mutex::seize`.
    pub functions: Vec<String>,
    /// Nobody knows.
    pub is_unreadable: bool,
}

impl Later {
    /// Reads what [`probe`] left in the sysroot's libraries.
    pub(crate) fn of(lib: &Path) -> Later {
        let text = plain_file::read_to_string(&lib.join(FILE)).unwrap_or_default();
        let mut later = Later::default();
        for line in text.lines() {
            match line.strip_suffix("()") {
                Some(function) => later.functions.push(function.to_owned()),
                None if line == UNREADABLE => later.is_unreadable = true,
                None => later.names.push(line.to_owned()),
            }
        }
        later
    }

    fn text(&self) -> String {
        let functions = self
            .functions
            .iter()
            .map(|function| format!("{function}()"));
        let unreadable = self.is_unreadable.then(|| UNREADABLE.to_owned());
        let lines = self
            .names
            .iter()
            .cloned()
            .chain(functions)
            .chain(unreadable);
        lines.map(|line| line + "\n").collect()
    }
}

/// Looks for later items, in a folder of its own, and leaves them in the sysroot's libraries.
pub(super) fn probe(rustc: &Path, scratch: &Path, lib: &Path) -> io::Result<()> {
    let later = look(rustc, scratch, lib, KNOWN)?.unwrap_or(Later {
        is_unreadable: true,
        ..Later::default()
    });
    fs::write(lib.join(FILE), later.text())
}

/// None if rustdoc does not answer as it is known to.
fn look(rustc: &Path, scratch: &Path, lib: &Path, known: &str) -> io::Result<Option<Later>> {
    let known: BTreeSet<&str> = known.lines().collect();
    let own = scratch.join("own");
    if !document(rustc, "std", &own, &[])? {
        return Ok(None);
    }
    let Some(names) = names(&own) else {
        return Ok(None);
    };
    let candidates = names.iter().filter(|name| !known.contains(name.as_str()));
    let candidates: Vec<&str> = candidates.map(String::as_str).collect();
    let Some(names) = stable(rustc, scratch, &candidates)? else {
        return Ok(None);
    };
    let facades = scratch.join("facades");
    let shims = library(lib, "cct_shims");
    let mut search = vec!["-L".into(), super::sysroot::prefixed("dependency=", lib)];
    if let Some(shims) = shims {
        search.push("--extern".into());
        search.push(super::sysroot::prefixed("cct_shims=", &shims));
    }
    if !document(rustc, "cct_shims::std", &facades, &search)? {
        return Ok(None);
    }
    Ok(Some(Later {
        names,
        functions: functions_lacking(&own, &facades),
        is_unreadable: false,
    }))
}

/// Has rustdoc write pages of the modules.
fn document(
    rustc: &Path,
    root: &str,
    folder: &Path,
    search: &[std::ffi::OsString],
) -> io::Result<bool> {
    fs::create_dir_all(folder)?;
    let source = folder.join("modules.rs");
    let is_std = root == "std";
    let modules = MODULES.iter().filter(|module| !module.contains("::"));
    // The shims have no `time`: it is by symbols that it is virtual.
    let modules = modules.filter(|module| is_std || **module != "time");
    let modules: Vec<&str> = modules.copied().collect();
    let text = format!(
        "#![no_std]\n#[doc(inline)]\npub use ::{root}::{{{}}};\n",
        modules.join(", ")
    );
    let text = if is_std {
        format!("{text}extern crate std;\n")
    } else {
        text
    };
    fs::write(&source, text)?;
    let rustdoc = rustc.with_file_name("rustdoc");
    let mut rustdoc = Command::new(rustdoc);
    rustdoc
        .args([
            "--crate-name=modules",
            "--edition=2024",
            "--cap-lints=allow",
        ])
        .args(search)
        .arg("--out-dir")
        .args([folder, &source])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let status = helper::status(&mut rustdoc);
    // A toolchain may come without it.
    Ok(status.is_ok_and(|status| status.success()))
}

/// The names in each module, from the lists that pages have at their sides.
fn names(folder: &Path) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for module in MODULES {
        let file = folder
            .join("modules")
            .join(module.replace("::", "/"))
            .join("sidebar-items.js");
        let text = fs::read_to_string(file).ok()?;
        let (start, end) = (text.find('{')?, text.rfind('}')?);
        let kinds: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(&text[start..=end]).ok()?;
        for name in kinds
            .values()
            .filter_map(|names| names.as_array())
            .flatten()
        {
            names.push(format!("std::{module}::{}", name.as_str()?));
        }
    }
    Some(names)
}

/// The paths that a program may use without a feature; none if that cannot be told.
fn stable(rustc: &Path, scratch: &Path, paths: &[&str]) -> io::Result<Option<Vec<String>>> {
    #[derive(Deserialize)]
    struct Message {
        level: String,
        spans: Vec<Span>,
    }
    #[derive(Deserialize)]
    struct Span {
        line_start: usize,
    }
    let mut paths = paths.to_vec();
    let source = scratch.join("uses.rs");
    // An error may hide others.
    while !paths.is_empty() {
        let uses = paths.iter().enumerate();
        let uses = uses.map(|(index, path)| format!("pub use {path} as _u{index};\n"));
        fs::write(&source, uses.collect::<String>())?;
        let mut rustc = Command::new(rustc);
        rustc
            .args(["--crate-name=uses", "--crate-type=lib", "--edition=2024"])
            .args([
                "--emit=metadata",
                "--cap-lints=allow",
                "--error-format=json",
            ])
            .arg("--out-dir")
            .args([scratch, &source])
            .stdin(Stdio::null());
        let output = helper::output(&mut rustc)?;
        if output.status.success() {
            break;
        }
        let messages = String::from_utf8_lossy(&output.stderr);
        let errors = messages
            .lines()
            .filter_map(|line| serde_json::from_str::<Message>(line).ok())
            .filter(|message| message.level == "error");
        let lines: BTreeSet<usize> = errors
            .flat_map(|error| error.spans)
            .map(|span| span.line_start)
            .collect();
        let before = paths.len();
        let mut line = 0;
        paths.retain(|_| {
            line += 1;
            !lines.contains(&line)
        });
        if paths.len() == before {
            return Ok(None);
        }
    }
    Ok(Some(paths.into_iter().map(str::to_owned).collect()))
}

/// The stable functions that types of std have, and those of the facade lack.
fn functions_lacking(own: &Path, facades: &Path) -> Vec<String> {
    let mut lacking = Vec::new();
    for module in MODULES {
        let pages = |folder: &Path| folder.join("modules").join(module.replace("::", "/"));
        let (own, facades) = (pages(own), pages(facades));
        let files = fs::read_dir(&facades).into_iter().flatten().flatten();
        for file in files.map(|file| file.file_name()) {
            let type_name = file.to_str().and_then(|name| name.strip_prefix("struct."));
            let Some(type_name) = type_name.and_then(|name| name.strip_suffix(".html")) else {
                continue;
            };
            let read = |folder: &Path| fs::read_to_string(folder.join(&file)).unwrap_or_default();
            let (std, facade) = (read(&own), read(&facades));
            lacking.extend(
                functions(&std)
                    .difference(&functions(&facade))
                    .map(|function| format!("std::{module}::{type_name}::{function}")),
            );
        }
    }
    lacking.sort();
    lacking
}

/// The functions of a type's own that its page has and does not call experimental.
fn functions(page: &str) -> BTreeSet<&str> {
    let own = page.split("id=\"trait-implementations\"").next();
    let sections = own.unwrap_or_default().split("<section id=\"");
    sections
        .filter_map(|section| section.strip_prefix("method."))
        .filter(|section| !section.contains("class=\"stab unstable\""))
        .filter_map(|section| section.split('"').next())
        // The same name in another impl block has a number.
        .map(|name| name.split('-').next().unwrap_or(name))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::build::toolchain::Toolchain;

    /// A page as rustdoc of several releases writes it, shortened.
    const PAGE: &str = r#"<h2 id="implementations">
        <section id="impl-Mutex%3CT%3E" class="impl">
        <section id="method.new" class="method"><h4>pub const fn <a>new</a></h4></section>
        <section id="method.seize" class="method"><h4>pub fn</h4></section><span class="item-info"><div
        class="stab unstable">experimental</div></span>
        <section id="method.set" class="method"></section>
        <section id="method.set-1" class="method"></section>
        <h2 id="trait-implementations"><section id="method.fmt" class="method"></section>"#;

    #[test]
    fn functions_are_those_of_the_type_that_are_stable() {
        assert_eq!(functions(PAGE), ["new", "set"].into());
    }

    /// The compiler that tests are run with stands for one whose std has more than the list.
    #[test]
    fn names_that_are_not_in_the_list_are_found_if_they_are_stable() {
        let toolchain = Toolchain::find().expect("a toolchain");
        let scratch = folder("names");
        let text = KNOWN.replace("std::sync::Barrier\n", "");
        let text = text.replace("std::thread::park\n", "");
        let known: BTreeSet<&str> = text.lines().collect();
        let own = scratch.join("own");
        assert!(document(&toolchain.rustc, "std", &own, &[]).expect("rustdoc"));
        let names = names(&own).expect("lists of names");
        let candidates: Vec<&str> = names
            .iter()
            .map(String::as_str)
            .filter(|name| !known.contains(name))
            .collect();
        // Each std has unstable names as well.
        assert!(candidates.len() > 2, "{candidates:?}");
        let stable = stable(&toolchain.rustc, &scratch, &candidates).expect("rustc");
        assert_eq!(
            stable.expect("errors that name lines"),
            ["std::sync::Barrier", "std::thread::park"]
        );
        // Pages of the same types lack nothing of each other.
        assert_eq!(functions_lacking(&own, &own), [""; 0]);
        fs::remove_dir_all(&scratch).expect("it is there");
    }

    #[test]
    fn a_toolchain_without_rustdoc_tells_nothing() {
        let scratch = folder("nothing");
        let told = look(Path::new("/nowhere/rustc"), &scratch, &scratch, KNOWN).expect("no error");
        assert_eq!(told, None);
        fs::remove_dir_all(&scratch).expect("it is there");
    }

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("cct-later-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a temporary folder");
        folder
    }

    #[test]
    fn the_note_is_read_back() {
        let later = Later {
            names: vec!["std::sync::Semaphore".to_owned()],
            functions: vec!["std::sync::Mutex::seize".to_owned()],
            is_unreadable: true,
        };
        let folder = folder("note");
        fs::write(folder.join(FILE), later.text()).expect("a temporary file");
        assert_eq!(Later::of(&folder), later);
        fs::remove_dir_all(&folder).expect("it is there");
        assert_eq!(Later::of(&folder), Later::default());
    }
}
