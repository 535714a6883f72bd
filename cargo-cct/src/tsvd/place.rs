//! Places in the source, of accesses that a test process knows by addresses.

use std::collections::BTreeMap;

use cct::trace::{Call, Site};
use cct::tsvd::told::Place;
use serde::{Deserialize, Serialize};

use crate::build::cargo::Executable;
use crate::report::Origin;
use crate::run::Lines;

/// A place, as people know it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Located {
    /// The line; none where there is no debug information.
    pub site: Option<Site>,
    /// The function that is there.
    pub function: String,
    /// The function of std that it calls there, if it does.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub calls: String,
}

/// Finds the places of an executable.
pub(crate) struct Locator<'a> {
    lines: Lines<'a>,
    known: BTreeMap<Place, Located>,
}

impl<'a> Locator<'a> {
    pub(crate) fn of(executable: &'a Executable) -> Locator<'a> {
        Locator {
            lines: Lines::of(executable),
            known: BTreeMap::new(),
        }
    }

    /// Finds one: the innermost line at it that is not std's.
    pub(crate) fn locate(&mut self, place: &Place) -> Located {
        if let Some(known) = self.known.get(place) {
            return known.clone();
        }
        let located = match &place.site {
            Some(site) => Located {
                site: Some(site.clone()),
                ..Located::default()
            },
            None if place.offset > 0 => located(&self.lines.calls(&[place.offset - 1])),
            None => Located::default(),
        };
        self.known.insert(place.clone(), located.clone());
        located
    }

    /// The calls that led to an access at this place, without those of this tool, and where it is: in the
    /// innermost call of the user's code, or else the innermost that is not std's.
    pub(crate) fn locate_in(&mut self, place: &Place, frames: &[u64]) -> (Located, Vec<Call>) {
        let at = place.offset.checked_sub(1);
        let begin = at.and_then(|at| frames.iter().position(|&frame| frame == at));
        let mut calls = self.lines.calls(&frames[begin.unwrap_or(0)..]);
        if begin.is_none() {
            let is_ours = |call: &Call| match &call.site {
                Some(site) => Origin::of(site) == Origin::Std,
                None => true,
            };
            let own = calls.iter().position(|call| !is_ours(call));
            calls.drain(..own.unwrap_or(calls.len()));
        }
        let mut located = located(&calls);
        if let Some(site) = &place.site {
            located.site = Some(site.clone());
        }
        (located, calls)
    }
}

/// The innermost call that is not std's, and what it calls there.
fn located(calls: &[Call]) -> Located {
    let is_std = |call: &Call| match &call.site {
        Some(site) => Origin::of(site) == Origin::Std,
        None => false,
    };
    let own = calls.iter().position(|call| !is_std(call)).unwrap_or(0);
    let Some(call) = calls.get(own) else {
        return Located::default();
    };
    let called = own
        .checked_sub(1)
        .map(|inner| short(&calls[inner].function));
    Located {
        site: call.site.clone(),
        function: call.function.clone(),
        calls: called.unwrap_or_default(),
    }
}

/// `alloc::vec::Vec<T,A>::push` as `Vec::push`: what can be said in a line.
fn short(function: &str) -> String {
    let mut depth = 0_u32;
    let mut plain = String::new();
    let mut before = ' ';
    for letter in function.chars() {
        match letter {
            '<' => depth += 1,
            // The arrow of a function's type closes nothing.
            '>' if before != '-' => depth = depth.saturating_sub(1),
            _ if depth == 0 => plain.push(letter),
            _ => {}
        }
        before = letter;
    }
    let words: Vec<&str> = plain.split("::").filter(|word| !word.is_empty()).collect();
    match words[..] {
        [.., of, name] => format!("{of}::{name}"),
        _ => function.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn functions_of_std_are_shortened() {
        for (function, expected) in [
            ("alloc::vec::Vec<T,A>::push", "Vec::push"),
            ("core::cell::Cell<fn() -> u8>::set", "Cell::set"),
            (
                "std::collections::hash::map::HashMap<K,V,S>::insert",
                "HashMap::insert",
            ),
            ("core::ptr::write", "ptr::write"),
            (
                "<alloc::rc::Rc<T> as core::clone::Clone>::clone",
                "<alloc::rc::Rc<T> as core::clone::Clone>::clone",
            ),
            ("memcpy", "memcpy"),
        ] {
            assert_eq!(short(function), expected);
        }
    }
}
