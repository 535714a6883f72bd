//! The class of a finding, by which two are one bug: the kind, the message without values, and the places.
//!
//! A place is known again by its function and the text of its line, so that code may move, to another file
//! even. Schedules do not count: there are many that lead to one bug.

use std::collections::BTreeSet;
use std::path::Path;

use cct::verdict::{Bug, BugKind, Wait, without_numbers};
use serde::{Deserialize, Serialize};

use super::place::{Place, Sources};

/// All that the findings of one bug have in common, besides their test.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Class {
    /// A word for the kind; empty in records from before there were classes.
    pub kind: String,
    /// The message without what may be a value; none if others tell it in other words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Where it failed, or where those wait that cannot run.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub places: BTreeSet<Place>,
}

impl Class {
    /// That of a bug, whose files are looked for from this folder.
    pub(crate) fn of(bug: &Bug, root: &Path) -> Class {
        let mut sources = Sources::new(root);
        let sites = sites(bug).into_iter();
        let places: BTreeSet<Place> = sites.map(|site| sources.place(site)).collect();
        let is_told = match bug.kind {
            // The message names workers, and tells what some happened to do; that of a race tells nothing.
            BugKind::Deadlock
            | BugKind::LockCycle
            | BugKind::Livelock
            | BugKind::Hang
            | BugKind::OutOfMemory
            | BugKind::Race
            | BugKind::Violation => false,
            // From outside a crash looks different than from inside.
            kind => places.is_empty() || !is_crash(kind),
        };
        let message = if places.is_empty() {
            without_numbers(first_line(&bug.message))
        } else {
            shape(&bug.message)
        };
        Class {
            kind: kind(bug.kind),
            message: is_told.then_some(message),
            places,
        }
    }

    /// True in records from before there were classes.
    pub(crate) fn is_unknown(&self) -> bool {
        self.kind.is_empty()
    }
}

/// The sites that tell a bug from others of its kind.
fn sites(bug: &Bug) -> Vec<&cct::trace::Site> {
    let is_about_waits = matches!(
        bug.kind,
        BugKind::Deadlock | BugKind::LockCycle | BugKind::Livelock
    );
    if bug.kind == BugKind::Hang {
        // Where in its loop the code was found is chance.
        return Vec::new();
    }
    if let Some(race) = &bug.race {
        // Which of the two came first is chance.
        let accesses = race.accesses().into_iter();
        return accesses.filter_map(|access| access.site.as_ref()).collect();
    }
    if !is_about_waits || bug.waits.is_empty() {
        return bug.site.iter().collect();
    }
    // How many came to wait behind a circle is chance.
    let has_cycle = bug.waits.iter().any(|wait| wait.in_cycle);
    let counts = |wait: &&Wait| wait.in_cycle || !has_cycle;
    let waits = bug.waits.iter().filter(counts);
    waits
        .map(|wait| wait.caller.as_ref().unwrap_or(&wait.site))
        .collect()
}

fn is_crash(kind: BugKind) -> bool {
    matches!(
        kind,
        BugKind::Signal | BugKind::Abort | BugKind::StackOverflow | BugKind::BadMemory
    )
}

/// A circle is the same whether others can still run or not, and so is a crash however it is noticed.
fn kind(kind: BugKind) -> String {
    match kind {
        BugKind::LockCycle => self::kind(BugKind::Deadlock),
        _ if is_crash(kind) => "crash".to_owned(),
        _ => serde_json::to_value(kind)
            .ok()
            .and_then(|word| Some(word.as_str()?.to_owned()))
            .unwrap_or_else(|| format!("{kind:?}")),
    }
}

/// A message without what may be a value: what comes after a colon, in quotes or brackets, and numbers.
fn shape(message: &str) -> String {
    let line = first_line(message);
    let head = line.split_once(": ").map_or(line, |(head, _)| head);
    let (mut out, mut open) = (String::new(), Vec::new());
    for c in without_numbers(head).chars() {
        match (c, open.last()) {
            (_, Some(&close)) if c == close => {
                open.pop();
            }
            ('"', None) => open.push('"'),
            ('[', _) => open.push(']'),
            ('{', _) => open.push('}'),
            (_, None) => out.push(c),
            _ => continue,
        }
        if open.len() == 1 && !out.ends_with('…') {
            out.push('…');
        }
    }
    out.trim().to_owned()
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use cct::trace::Site;

    use super::*;

    #[test]
    fn messages_are_compared_without_values() {
        for (message, expected) in [
            (
                "assertion `left == right` failed\n  left: 1\n right: 2",
                "assertion `left == right` failed",
            ),
            ("assertion failed: a == 2", "assertion failed"),
            (
                "job 17 of \"bob\" got [1, [2]] twice",
                "job # of … got … twice",
            ),
            (
                "called `Result::unwrap()` on an `Err` value: Poisoned",
                "called `Result::unwrap()` on an `Err` value",
            ),
            ("", ""),
            ("it's unbalanced [", "it's unbalanced …"),
        ] {
            assert_eq!(shape(message), expected);
        }
    }

    fn site(line: u32) -> Site {
        Site {
            file: "nowhere.rs".to_owned(),
            line,
            column: 1,
        }
    }

    fn wait(line: u32, in_cycle: bool) -> Wait {
        Wait {
            worker: line,
            operation: 0,
            address: 0,
            object: None,
            site: site(line),
            holder: None,
            spins: false,
            in_cycle,
            task: None,
            caller: None,
        }
    }

    fn deadlock(kind: BugKind, waits: &[(u32, bool)]) -> Class {
        let waits = waits.iter().map(|&(line, in_cycle)| wait(line, in_cycle));
        let bug = Bug {
            waits: waits.collect(),
            ..Bug::new(kind, format!("{kind:?}"), None, None)
        };
        Class::of(&bug, Path::new("/nowhere"))
    }

    #[test]
    fn a_circle_is_known_by_those_in_it() {
        let one = deadlock(BugKind::Deadlock, &[(1, true), (2, true), (3, false)]);
        let other = deadlock(BugKind::LockCycle, &[(2, true), (1, true), (4, false)]);
        assert_eq!(one, other);
        assert_ne!(one, deadlock(BugKind::Deadlock, &[(1, true), (3, true)]));
        let waits = deadlock(BugKind::Deadlock, &[(1, false), (1, false), (3, false)]);
        assert_eq!(
            waits,
            deadlock(BugKind::Deadlock, &[(3, false), (1, false)])
        );
    }

    #[test]
    fn values_do_not_make_another_bug_and_places_do() {
        let class = |message: &str, line| {
            let bug = Bug::new(BugKind::Panic, message.to_owned(), Some(site(line)), None);
            Class::of(&bug, Path::new("/nowhere"))
        };
        assert_eq!(class("lost: 1", 3), class("lost: 2", 3));
        assert_ne!(class("lost", 3), class("lost", 4));
        assert_ne!(class("lost", 3), class("found", 3));
    }

    #[test]
    fn a_crash_is_one_however_it_is_noticed() {
        let class = |kind, message: &str| {
            let bug = Bug::new(kind, message.to_owned(), Some(site(3)), None);
            Class::of(&bug, Path::new("/nowhere"))
        };
        let inside = class(BugKind::StackOverflow, "worker 1 overflowed its stack");
        assert_eq!(inside, class(BugKind::Signal, "killed by signal 11"));
    }
}
