//! Notes that the wrapper leaves beside what rustc made, for whoever runs, links or builds it later.
//!
//! They live and die with their file; nothing else remembers how it was built.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use cct::claim::Exception;

use super::code::Code;
use super::facts::SourceFacts;
use crate::plain_file;
use crate::rewrite::Passes;

/// The content of a note about a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Marker {
    /// The kind of file.
    pub kind: Kind,
    /// The treatment of its source.
    pub treatment: Treatment,
    /// Its package, as cargo calls it: name and version.
    pub package: (String, String),
    /// Its source's facts.
    pub facts: SourceFacts,
    /// Items of std that its source names and this tool does not know.
    pub later: Vec<String>,
    /// The libraries and procedural macros that it was given.
    pub externs: Vec<PathBuf>,
}

/// The kinds of files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// An executable with std's test harness, under control.
    Harness,
    /// An executable with a `main` of its own, under the facade.
    Program,
    /// A library, under the facade.
    Library,
    /// The engine as a dependency of the user's, hollow; the sysroot's takes its place.
    Engine,
    /// The shims, likewise.
    Shims,
}

/// The source layer's treatment of a crate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Treatment {
    /// Nothing: it was not chosen.
    AsWritten,
    /// All that was asked for.
    Rewritten(Passes),
    /// Less than that: what all passes together make of it did not compile.
    Reduced {
        /// The passes that were applied.
        passes: Passes,
        /// Names what did not compile.
        key: String,
    },
}

impl Kind {
    const ALL: [(Kind, &str); 5] = [
        (Kind::Harness, "harness"),
        (Kind::Program, "program"),
        (Kind::Library, "library"),
        (Kind::Engine, "engine"),
        (Kind::Shims, "shims"),
    ];
}

impl Marker {
    /// Leaves a note beside `file`.
    pub(crate) fn write(&self, file: &Path) -> io::Result<()> {
        plain_file::put(&path(file), |place| fs::write(place, self.text()))
    }

    /// Reads the note beside `file`.
    pub(crate) fn read(file: &Path) -> Option<Marker> {
        Marker::parse(&plain_file::read_to_string(&path(file)).ok()?)
    }

    /// The note as it is written.
    pub(crate) fn text(&self) -> String {
        let mut kinds = Kind::ALL.iter();
        let kind = kinds.find(|(kind, _)| *kind == self.kind);
        let kind = kind.map_or("", |(_, word)| word);
        let treatment = match &self.treatment {
            Treatment::AsWritten => "as written".to_owned(),
            Treatment::Rewritten(passes) => format!("rewritten {}", passes.names()),
            Treatment::Reduced { passes, key } => format!("reduced {key} {}", passes.names()),
        };
        let (name, version) = &self.package;
        let facts = names(self.facts).join(",");
        let later = self.later.join(" ");
        let mut text = format!("{kind}\n{treatment}\n{name} {version}\n{facts}\n{later}\n");
        for file in &self.externs {
            text.push_str(&file.to_string_lossy());
            text.push('\n');
        }
        text
    }

    /// Reads what [`Marker::text`] returns.
    pub(crate) fn parse(text: &str) -> Option<Marker> {
        let mut lines = text.lines();
        let word = lines.next()?;
        let (kind, _) = Kind::ALL.iter().find(|(_, known)| *known == word)?;
        let treatment = lines.next()?;
        let treatment = match treatment.split_once(' ')? {
            ("as", "written") => Treatment::AsWritten,
            ("rewritten", names) => Treatment::Rewritten(Passes::parse(names)?),
            ("reduced", rest) => {
                let (key, names) = rest.split_once(' ')?;
                Treatment::Reduced {
                    passes: Passes::parse(names)?,
                    key: key.to_owned(),
                }
            }
            _ => return None,
        };
        let (name, version) = lines.next()?.split_once(' ')?;
        Some(Marker {
            kind: *kind,
            treatment,
            package: (name.to_owned(), version.to_owned()),
            facts: facts(lines.next()?)?,
            later: (lines.next()?.split_whitespace())
                .map(str::to_owned)
                .collect(),
            externs: lines.map(PathBuf::from).collect(),
        })
    }
}

/// The name of a source that looks at counts, beside those of exceptions.
const LOOKS: &str = "looks at counts";

/// The name of a crate of which these accesses to memory are seen.
const fn seen(code: Code) -> &'static str {
    match code {
        Code::Atomics => "atomics are seen",
        Code::All => "all memory is seen",
    }
}

/// The names of facts.
pub(super) fn names(facts: SourceFacts) -> Vec<&'static str> {
    let looks = Some(LOOKS).filter(|_| facts.looks_at_counts);
    let seen = facts.code.map(seen);
    facts.left_out.names().chain(looks).chain(seen).collect()
}

/// Reads such names with commas between them.
pub(super) fn facts(names: &str) -> Option<SourceFacts> {
    let names = names.split(',').filter(|name| !name.is_empty());
    let mut facts = SourceFacts::NONE;
    for name in names {
        if name == LOOKS {
            facts.looks_at_counts = true;
        } else if let Some(code) = Code::EACH.into_iter().find(|&code| seen(code) == name) {
            facts.code = Some(code);
        } else {
            let mut all = Exception::ALL.iter().copied();
            facts
                .left_out
                .add(all.find(|exception| exception.name() == name)?);
        }
    }
    Some(facts)
}

/// A library's two files share one note.
fn path(file: &Path) -> PathBuf {
    let is_library = file
        .extension()
        .is_some_and(|extension| extension == "rlib" || extension == "rmeta");
    if is_library {
        return file.with_extension("cct");
    }
    let mut path = OsString::from(file);
    path.push(".cct");
    path.into()
}

#[cfg(test)]
mod tests {
    use proptest::{prop_assert_eq, proptest};

    use super::*;
    use crate::fuzz;

    #[test]
    fn a_library_and_its_metadata_share_a_note() {
        assert_eq!(
            path(Path::new("/a/libx-1.rlib")),
            path(Path::new("/a/libx-1.rmeta"))
        );
        assert_eq!(path(Path::new("/a/x-1")), Path::new("/a/x-1.cct"));
    }

    #[test]
    fn notes_are_read_back() {
        for treatment in [
            Treatment::AsWritten,
            Treatment::Rewritten(Passes::ALL),
            Treatment::Reduced {
                passes: Passes::NONE,
                key: "1f".to_owned(),
            },
        ] {
            let marker = Marker {
                kind: Kind::Library,
                treatment,
                package: ("a".to_owned(), "1.0.0".to_owned()),
                facts: SourceFacts {
                    left_out: Exception::ALL.iter().copied().collect(),
                    looks_at_counts: true,
                    code: Some(Code::All),
                },
                later: vec!["std::sync::A".to_owned(), "std::sync::B".to_owned()],
                externs: vec![PathBuf::from("/d/libb.rmeta"), PathBuf::from("/d/c d.so")],
            };
            assert_eq!(Marker::parse(&marker.text()), Some(marker));
        }
    }

    const NOTE: &str = "library\nreduced 1f tasks\na 1.0.0\ntime-outs,looks at counts,all memory is seen\n\
                        std::A std::B\n/d/b.so\n";

    proptest! {
        #![proptest_config(fuzz::config())]

        #[test]
        fn notes_in_disorder_are_read_or_refused(text in fuzz::damaged(NOTE, vec![
            "harness", "as written", "rewritten ", "all", "none", "\n", ",", "clocks",
        ])) {
            if let Some(marker) = Marker::parse(&text) {
                prop_assert_eq!(Marker::parse(&marker.text()), Some(marker));
            }
        }
    }
}
