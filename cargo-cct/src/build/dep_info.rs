//! The `.d` files by which cargo tells whether to build again.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::layer::Remap;

/// The additions and changes to a file that rustc wrote.
#[derive(Debug)]
pub(super) struct DepInfo<'a> {
    /// Prefixes of paths, the most special last.
    pub remaps: &'a [Remap],
    /// Files that the crate depends on, too.
    pub files: &'a [&'a Path],
    /// Variables that the crate depends on, too, with their values.
    pub variables: &'a [(String, Option<String>)],
}

impl DepInfo<'_> {
    /// Changes a file, if there is one.
    pub(super) fn apply(&self, file: &Path) -> io::Result<()> {
        if !file.exists() {
            return Ok(());
        }
        fs::write(file, self.applied(&fs::read_to_string(file)?))
    }

    fn applied(&self, text: &str) -> String {
        let mut done = false;
        let mut out = String::with_capacity(text.len() + 256);
        for line in text.lines() {
            out.push_str(&self.mapped(line));
            if !done && !line.starts_with('#') && line.contains(": ") {
                // Cargo reads the first rule alone.
                done = true;
                for file in self.files {
                    out.push(' ');
                    out.push_str(&escaped(file));
                }
            }
            out.push('\n');
        }
        for (name, value) in self.variables {
            out.push_str("\n# env-dep:");
            out.push_str(&plain(name));
            if let Some(value) = value {
                out.push('=');
                out.push_str(&plain(value));
            }
        }
        out.push('\n');
        out
    }

    fn mapped(&self, line: &str) -> String {
        if line.starts_with('#') {
            return line.to_owned();
        }
        let mut out = String::with_capacity(line.len());
        let mut rest = line;
        while !rest.is_empty() {
            let (path, after) = rest.split_at(word(rest));
            out.push_str(&self.mapped_path(path));
            rest = after;
        }
        out
    }

    fn mapped_path(&self, path: &str) -> String {
        let mut remaps = self.remaps.iter().rev();
        let found = remaps.find_map(|remap| {
            let rest = path.strip_prefix(&slashed(&remap.from))?;
            Some(slashed(&remap.to) + rest)
        });
        found.unwrap_or_else(|| path.to_owned())
    }
}

/// The files that a crate was made of, the first rule's; none if nobody knows.
pub(super) fn sources(file: &Path) -> Option<Vec<PathBuf>> {
    sources_of(&fs::read_to_string(file).ok()?)
}

fn sources_of(text: &str) -> Option<Vec<PathBuf>> {
    let mut rules = text.lines().filter(|line| !line.starts_with('#'));
    let (_, mut rest) = rules.next()?.split_once(": ")?;
    let mut files = Vec::new();
    while !rest.is_empty() {
        let (path, after) = rest.split_at(word(rest));
        files.push(PathBuf::from(path.trim_end().replace("\\ ", " ")));
        rest = after;
    }
    Some(files)
}

/// The length of the first word with the blank after it; a blank in a name has a backslash before it.
fn word(text: &str) -> usize {
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        if c == ' ' && before != '\\' {
            return at + 1;
        }
        before = c;
    }
    text.len()
}

/// A prefix, as it is followed by the rest of a path.
fn slashed(path: &Path) -> String {
    match escaped(path) {
        path if path.is_empty() || path.ends_with('/') => path,
        path => path + "/",
    }
}

/// A path as rustc writes it there.
fn escaped(path: &Path) -> String {
    path.to_string_lossy().replace(' ', "\\ ")
}

/// The name or value of a variable as rustc writes it there.
fn plain(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('\n', "\\n")
        .replace('\r', "\\r")
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::{prop_assert_eq, proptest};

    use super::*;
    use crate::fuzz;

    #[test]
    fn what_we_depend_on_joins_the_first_rule() {
        let info = DepInfo {
            remaps: &[],
            files: &[Path::new("/c c/lib/stamp")],
            variables: &[
                ("CCT_A".to_owned(), Some("/c c/lib".to_owned())),
                ("CCT_B".to_owned(), None),
            ],
        };
        let text = info.applied("out/a.d: src/a.rs\n\nout/liba.rlib: src/a.rs\n");
        assert!(
            text.starts_with("out/a.d: src/a.rs /c\\ c/lib/stamp\n"),
            "{text}"
        );
        assert!(
            text.ends_with("\n# env-dep:CCT_A=/c c/lib\n# env-dep:CCT_B\n"),
            "{text}"
        );
    }

    #[test]
    fn sources_are_read_back() {
        let file = std::env::temp_dir().join(format!("cct-sources-{}.d", std::process::id()));
        fs::write(
            &file,
            "o/a.d: src/a.rs /w\\ w/b.rs\n\no/liba.rlib: src/a.rs\n",
        )
        .expect("writable");
        let found = sources(&file).expect("a rule");
        assert_eq!(found, ["src/a.rs", "/w w/b.rs"].map(PathBuf::from));
        fs::remove_file(&file).expect("removable");
        assert_eq!(sources(&file), None);
    }

    #[test]
    fn paths_of_a_tree_become_the_users() {
        let remap = |from: &str, to: &str| Remap {
            from: from.into(),
            to: to.into(),
        };
        let info = DepInfo {
            remaps: &[remap("/s h", "/"), remap("/s h/w w", "")],
            files: &[],
            variables: &[],
        };
        let before = "/o/a.d: /s\\ h/w\\ w/src/a.rs /s\\ h/x.rs /a\\ /s\\ h/w\\ w/\n\n\
                      /s\\ h/w\\ w/src/a.rs:\n# env-dep:A=/s h/w w/x\n";
        let after = "/o/a.d: src/a.rs /x.rs /a\\ /s\\ h/w\\ w/\n\n\
                     src/a.rs:\n# env-dep:A=/s h/w w/x\n\n";
        assert_eq!(info.applied(before), after);
    }

    proptest! {
        #![proptest_config(fuzz::config())]

        #[test]
        fn text_in_disorder_is_read_and_changed(text in fuzz::damaged(
            "o/a.d: src/a.rs /w\\ w/b.rs\n\no/liba.rlib: src/a.rs\n# env-dep:A=b\n",
            vec![": ", "\\ ", "\\", "#", "/s\\ h/", "\n"],
        )) {
            let remaps = [Remap {
                from: "/s h".into(),
                to: "/".into(),
            }];
            let info = DepInfo {
                remaps: &remaps,
                files: &[Path::new("/stamp")],
                variables: &[],
            };
            let applied = info.applied(&text);
            prop_assert_eq!(applied.contains(" /stamp"), text.contains(" /stamp") || has_rule(&text));
            drop(sources_of(&applied));
        }

        #[test]
        fn names_of_files_are_read_as_they_are_written(names in vec("[a-z ./é]{1,9}", 1..4)) {
            let name = |name: &String| format!("/{}", name.trim()).into();
            let names: Vec<PathBuf> = names.iter().map(name).collect();
            let words: Vec<String> = names.iter().map(|name| escaped(name)).collect();
            prop_assert_eq!(sources_of(&format!("a.d: {}\n", words.join(" "))), Some(names));
        }
    }

    fn has_rule(text: &str) -> bool {
        text.lines()
            .any(|line| !line.starts_with('#') && line.contains(": "))
    }
}
