//! The violations of a run, each once.

use std::collections::{BTreeMap, BTreeSet};

use cct::trace::{Call, Site};
use cct::tsvd::told::{Severity, Side, Violation};

use super::place::{Located, Locator};
use crate::failure::Id;

/// One of the two accesses.
#[derive(Clone, Debug)]
pub(crate) struct FoundSide {
    /// As the test process told it.
    pub told: Side,
    /// Where it is.
    pub located: Located,
    /// The calls that led there, the innermost first.
    pub calls: Vec<Call>,
}

/// A violation, as it was seen first, and what it was seen like since.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// Its name, which follows from the two places.
    pub id: Id,
    /// The executable.
    pub binary: String,
    /// The group of functions; empty for memory.
    pub group: String,
    /// How it is wrong.
    pub severity: Severity,
    /// The access that was held, and the one that came.
    pub sides: [FoundSide; 2],
    /// The tests in which it was seen.
    pub tests: BTreeSet<String>,
    /// By how many pairs of stacks.
    pub stacks: usize,
    /// The run in which it was seen first, from 1.
    pub run: u32,
}

/// All of them, in the order in which they were seen.
#[derive(Debug, Default)]
pub(crate) struct Violations {
    found: Vec<Found>,
    numbers: BTreeMap<Id, usize>,
}

impl Violations {
    /// Adds one. Returns it if it is none of those that were seen.
    pub(crate) fn add(
        &mut self,
        binary: &str,
        run: u32,
        violation: Violation,
        locator: &mut Locator<'_>,
    ) -> Option<&Found> {
        let Violation {
            group,
            severity,
            held,
            came,
            ..
        } = violation;
        let sides = [held, came].map(|told| {
            let (located, calls) = locator.locate_in(&told.place, &told.calls);
            FoundSide {
                told,
                located,
                calls,
            }
        });
        let id = id_of(binary, &group, &sides);
        let tests: BTreeSet<String> = sides
            .iter()
            .map(|side| side.told.test.clone())
            .filter(|test| !test.is_empty())
            .collect();
        if let Some(&number) = self.numbers.get(&id) {
            let found = &mut self.found[number];
            found.stacks += 1;
            found.tests.extend(tests);
            return None;
        }
        self.numbers.insert(id.clone(), self.found.len());
        self.found.push(Found {
            id,
            binary: binary.to_owned(),
            group,
            severity,
            sides,
            tests,
            stacks: 1,
            run,
        });
        self.found.last()
    }

    /// All of them.
    pub(crate) fn all(&self) -> &[Found] {
        &self.found
    }
}

/// The two places, in either order, are the bug.
fn id_of(binary: &str, group: &str, sides: &[FoundSide; 2]) -> Id {
    let text = |side: &FoundSide| {
        let site = side.located.site.as_ref();
        let offset = side.told.place.offset;
        let place = site.map_or_else(|| offset.to_string(), Site::to_string);
        format!("{place} {}", side.told.api)
    };
    let mut texts = sides.each_ref().map(text);
    texts.sort();
    let [one, other] = &texts;
    Id::of(&[
        binary.as_bytes(),
        group.as_bytes(),
        one.as_bytes(),
        other.as_bytes(),
    ])
}
