//! Joins the facts of all crates that an executable links: what they may do that no run can see.
//!
//! Each note names the crates that its own was given, so the graph is walked by the notes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use cct::claim::Exception;

use super::facts::SourceFacts;
use super::marker::{Kind, Marker};
use super::{quoted, raw_calls};

/// The facts of the crates of a build.
#[derive(Debug)]
pub(super) struct Linked {
    /// Each crate's facts, by its file.
    known: BTreeMap<PathBuf, Crate>,
    /// Libraries and procedural macros of the build itself; what they quote may be in any crate that uses
    /// one.
    host: Vec<PathBuf>,
    /// The sum of them, once somebody has asked for it.
    quoted: Option<SourceFacts>,
}

/// A crate.
#[derive(Clone, Debug)]
struct Crate {
    facts: SourceFacts,
    externs: Vec<PathBuf>,
}

impl Linked {
    /// Of a build with these libraries of its own.
    pub(super) fn new(host: Vec<PathBuf>) -> Linked {
        Linked {
            known: BTreeMap::new(),
            host,
            quoted: None,
        }
    }

    /// Returns what the crates in an executable may do.
    pub(super) fn of(&mut self, executable: &Path) -> SourceFacts {
        let mut seen = BTreeSet::new();
        let mut open = vec![executable.to_owned()];
        let mut all = SourceFacts::NONE;
        while let Some(file) = open.pop() {
            if seen.insert(file.clone()) {
                let krate = self.crate_at(&file);
                all = all.and(krate.facts);
                open.extend(krate.externs.iter().cloned());
            }
        }
        all
    }

    fn crate_at(&mut self, file: &Path) -> &Crate {
        if !self.known.contains_key(file) {
            let krate = self.look_up(file);
            self.known.insert(file.to_owned(), krate);
        }
        &self.known[file]
    }

    fn look_up(&mut self, file: &Path) -> Crate {
        let is_shared = file.extension().is_some_and(|extension| extension == "so");
        // A library of the target that is linked at run time has its note under its other name.
        let note = Marker::read(file).or_else(|| Marker::read(&file.with_extension("rlib")));
        match note {
            Some(marker) => of_note(marker),
            None => Crate {
                facts: if is_shared {
                    self.quoted()
                } else {
                    SourceFacts::UNKNOWN
                },
                externs: Vec::new(),
            },
        }
    }

    /// Returns what procedural macros may put into the crates that use them. The crates that each is made
    /// with are not known, so it is all of them.
    fn quoted(&mut self) -> SourceFacts {
        *self.quoted.get_or_insert_with(|| {
            let all = self.host.iter().map(|library| quoted::of_library(library));
            all.fold(SourceFacts::NONE, SourceFacts::and)
        })
    }
}

fn of_note(marker: Marker) -> Crate {
    let (name, version) = &marker.package;
    let mut facts = marker.facts;
    if raw_calls::out_of_sight(name, version).is_some() {
        facts.left_out.add(Exception::RawSystemCalls);
    }
    Crate {
        facts,
        externs: match marker.kind {
            // Hollow: the sysroot's is linked instead.
            Kind::Engine | Kind::Shims => Vec::new(),
            Kind::Harness | Kind::Program | Kind::Library => marker.externs,
        },
    }
}
