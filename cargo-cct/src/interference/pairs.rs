//! From footprints to pairs of tests, the most suspicious first.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use cct::footprint::{Footprint, STATIC};

/// Two tests that share what one of them changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Pair {
    /// The tests, in their order.
    pub tests: [String; 2],
    /// The things.
    pub shares: Vec<Share>,
}

/// A thing that two tests share.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Share {
    /// Its kind: `variable`, `file`, ….
    pub kind: String,
    /// Its name; empty if it is the only one of its kind.
    pub name: String,
    /// Which of the two change it.
    pub changed_by: [bool; 2],
}

impl Share {
    /// True for what other processes share as well, so that a process for each test is no remedy.
    pub(crate) fn is_of_machine(&self) -> bool {
        matches!(self.kind.as_str(), FILE | ENTRIES | "port")
    }

    /// How suspicious it is. Statics have locks and atomics, as a rule, and a file may be made by both.
    fn weight(&self) -> u32 {
        match self.kind.as_str() {
            "variable" | "current directory" | "port" => 8,
            "umask" | "signal action" | "panic hook" | "locale" => 6,
            FILE | ENTRIES => 4,
            STATIC => 2,
            "env" => 1,
            // Buffers of the C library.
            _ => 5,
        }
    }
}

/// All things of a kind.
const ALL: &str = "*";
const VARIABLE: &str = "variable";
const FILE: &str = "file";
/// The list of what is in a folder.
const ENTRIES: &str = "entries of";

/// The tests that use a thing, by number, and whether they change it.
type Users = BTreeMap<usize, bool>;

/// The pairs of these tests, the most suspicious first: by what they share, and by how few others do.
pub(crate) fn pairs(footprints: &[Footprint]) -> Vec<Pair> {
    let things = things(footprints);
    let mut found: BTreeMap<(usize, usize), (BTreeSet<Share>, u32)> = BTreeMap::new();
    for ((kind, name), users) in &things {
        for (&changer, _) in users.iter().filter(|(_, changes)| **changes) {
            for (&user, &changes) in users.iter().filter(|(user, _)| **user != changer) {
                if changes && user < changer {
                    continue;
                }
                // Tests that only make files there do not look at the list.
                let looks = |test: usize| {
                    let mut uses = footprints[test].uses.iter();
                    uses.any(|it| it.kind == *kind && it.name == *name)
                };
                if *kind == ENTRIES && !looks(changer) && !looks(user) {
                    continue;
                }
                let (one, other) = (changer.min(user), changer.max(user));
                let share = Share {
                    kind: (*kind).to_owned(),
                    name: (*name).to_owned(),
                    changed_by: [users[&one], users[&other]],
                };
                let weight = share.weight() * 1000 / users.len() as u32;
                let (shares, sum) = found.entry((one, other)).or_default();
                if shares.insert(share) {
                    *sum += weight;
                }
            }
        }
    }
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by_key(|(tests, (_, weight))| (Reverse(*weight), *tests));
    let pair = |((one, other), (shares, _)): ((usize, usize), (BTreeSet<Share>, u32))| Pair {
        tests: [one, other].map(|number| footprints[number].test.clone()),
        shares: shares.into_iter().collect(),
    };
    found.into_iter().map(pair).collect()
}

/// The things, with all who use them.
fn things(footprints: &[Footprint]) -> BTreeMap<(&str, &str), Users> {
    let mut things: BTreeMap<(&str, &str), Users> = BTreeMap::new();
    for (number, footprint) in footprints.iter().enumerate() {
        for it in &footprint.uses {
            let users = things.entry((&it.kind, &it.name)).or_default();
            *users.entry(number).or_default() |= it.changes;
        }
    }
    // A reader of all variables reads each.
    let of_all = things.remove(&(VARIABLE, ALL)).unwrap_or_default();
    for ((kind, _), users) in &mut things {
        if *kind == VARIABLE {
            for &reader in of_all.keys() {
                users.entry(reader).or_default();
            }
        }
    }
    let changers = |users: &Users| {
        let changers = users.iter().filter(|(_, changes)| **changes);
        changers.map(|(&user, _)| user).collect::<Vec<_>>()
    };
    // A file that is made or removed changes the entries of its folder.
    let files = things.iter().filter(|((kind, _), _)| *kind == FILE);
    let made: Vec<(&str, Vec<usize>)> = files
        .filter_map(|((_, path), users)| Some((path.rsplit_once('/')?.0, changers(users))))
        .collect();
    for (folder, changers) in made {
        if let Some(users) = things.get_mut(&(ENTRIES, folder)) {
            for changer in changers {
                users.insert(changer, true);
            }
        }
    }
    // A change of a folder, its removal say, changes what others have in it.
    let files = things.iter().filter(|((kind, _), _)| *kind == FILE);
    let changed: Vec<(&str, Vec<usize>)> = files
        .map(|((_, folder), users)| (*folder, changers(users)))
        .collect();
    for (folder, changers) in changed {
        let begin = format!("{folder}/");
        for ((kind, name), users) in &mut things {
            if *kind == FILE && name.starts_with(&begin) {
                users.extend(changers.iter().map(|&changer| (changer, true)));
            }
        }
    }
    things
}

#[cfg(test)]
mod tests {
    use cct::footprint::Use;

    use super::*;

    fn footprint(test: &str, uses: &[(&str, &str, bool)]) -> Footprint {
        let it = |&(kind, name, changes): &(&str, &str, bool)| Use {
            kind: kind.to_owned(),
            name: name.to_owned(),
            changes,
        };
        Footprint {
            test: test.to_owned(),
            uses: uses.iter().map(it).collect(),
            failed: None,
        }
    }

    fn found(footprints: &[Footprint]) -> Vec<(String, String)> {
        let pairs = pairs(footprints).into_iter();
        let names = |share: &Share| format!("{} {}", share.kind, share.name);
        let told = pairs.map(|pair| {
            let shares: Vec<String> = pair.shares.iter().map(names).collect();
            (pair.tests.concat(), shares.join(", "))
        });
        told.collect()
    }

    #[test]
    fn what_nobody_changes_is_no_reason() {
        let tests = [
            footprint("a", &[("variable", "HOME", false), ("file", "/x", false)]),
            footprint("b", &[("variable", "HOME", false), ("file", "/x", false)]),
            footprint("c", &[("variable", "PATH", true)]),
        ];
        assert_eq!(found(&tests), []);
    }

    #[test]
    fn a_pair_comes_once_and_the_most_suspicious_first() {
        let tests = [
            footprint("a", &[("static", "k::N", true), ("variable", "X", true)]),
            footprint("b", &[("static", "k::N", true)]),
            footprint("c", &[("variable", "X", true)]),
        ];
        let expected = [("ac", "variable X"), ("ab", "static k::N")];
        let owned = expected.map(|(one, other)| (one.to_owned(), other.to_owned()));
        assert_eq!(found(&tests), owned);
    }

    #[test]
    fn who_reads_all_variables_reads_each() {
        let tests = [
            footprint("a", &[("variable", "*", false)]),
            footprint("b", &[("variable", "X", true)]),
        ];
        assert_eq!(found(&tests), [("ab".to_owned(), "variable X".to_owned())]);
    }

    /// Two who only make files there do not disturb each other.
    #[test]
    fn who_makes_a_file_changes_the_entries_of_its_folder() {
        let tests = [
            footprint("a", &[("file", "/t", false), ("entries of", "/t", false)]),
            footprint("b", &[("file", "/t/x", true)]),
            footprint("c", &[("file", "/t/y", true)]),
            footprint("d", &[("file", "/t/y/z", true)]),
        ];
        let of = |pair: &str| (pair.to_owned(), "entries of /t".to_owned());
        let removes = ("cd".to_owned(), "file /t/y/z".to_owned());
        let expected = [removes, of("ab"), of("ac")];
        assert_eq!(found(&tests), expected);
    }

    #[test]
    fn who_changes_a_folder_changes_what_is_in_it() {
        let tests = [
            footprint("a", &[("file", "/t/x", true)]),
            footprint("b", &[("file", "/t/x/y", false)]),
            footprint("c", &[("file", "/t/xy", false)]),
        ];
        assert_eq!(found(&tests), [("ab".to_owned(), "file /t/x/y".to_owned())]);
    }
}
