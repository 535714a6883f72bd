//! The coverage of machines: a line of each type, JSON, and pictures.
//!
//! A picture is made twice: for Graphviz ([`dot`]), and as SVG ([`svg`]) with a layout of its own
//! ([`layout`]), so that nothing has to be installed.

mod dot;
mod drawing;
mod json;
mod layout;
mod line;
mod svg;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use cct::covered::{Coverage, Covered};

use crate::run::{TestName, TestRun};

pub(super) use json::of_type as json_of_type;
pub(super) use line::line;

/// The coverage of machines in a run, by executable and test.
#[derive(Clone, Debug, Default)]
pub(crate) struct Machines(BTreeMap<String, BTreeMap<String, Coverage>>);

/// The files of one executable: their names and contents.
type Files = Vec<(String, String)>;

impl Machines {
    /// Adds what a test has covered, or a slice of it.
    pub(crate) fn add(&mut self, run: &TestRun) {
        if !run.covered.machines.is_empty() {
            let tests = self.0.entry(run.name.binary.clone()).or_default();
            let covered = tests.entry(run.name.test.clone()).or_default();
            covered.add(&run.covered);
        }
    }

    /// The coverage of a test so far.
    pub(crate) fn of(&self, name: &TestName) -> Option<&Coverage> {
        self.0.get(&name.binary)?.get(&name.test)
    }

    /// The coverage of each executable's tests together.
    pub(super) fn merged(&self) -> impl Iterator<Item = (&str, Coverage)> {
        self.0.iter().map(|(binary, tests)| {
            let mut all = Coverage::default();
            for one in tests.values() {
                all.add(one);
            }
            (&**binary, all)
        })
    }

    /// The files of each executable.
    pub(crate) fn files(&self) -> Vec<(String, Files)> {
        let files = self.merged().map(|(binary, all)| {
            let tests = &self.0[binary];
            let mut files = vec![("coverage.json".to_owned(), json::file(binary, &all, tests))];
            for (name, covered) in names(&all.machines).into_iter().zip(&all.machines) {
                files.push((format!("{name}.dot"), dot::dot(covered)));
                files.push((format!("{name}.svg"), svg::svg(covered)));
            }
            (binary.to_owned(), files)
        });
        files.collect()
    }
}

/// Names of types for files: the type's own, unless another has the same.
fn names(all: &[Covered]) -> Vec<String> {
    let is_alone = |covered: &Covered| all.iter().filter(|it| it.name == covered.name).count() == 1;
    let mut names: Vec<String> = Vec::new();
    for covered in all {
        let name = if is_alone(covered) {
            &covered.name
        } else {
            &covered.path
        };
        let name = name.replace("::", ".");
        let fits = |c: char| c.is_alphanumeric() || "._-".contains(c);
        let name: String = name
            .chars()
            .map(|c| if fits(c) { c } else { '_' })
            .collect();
        let taken = names.iter().filter(|it| **it == name).count();
        let number = if taken == 0 {
            String::new()
        } else {
            format!("-{}", taken + 1)
        };
        names.push(format!("{name}{number}"));
    }
    names
}
