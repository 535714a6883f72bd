//! Answers to questions about names of types, each found out once.

use std::ptr;

/// A power of two.
const PLACES: usize = 64;

/// The questions of one kind that were asked lately, about two names each, with their answers.
///
/// A name is known by its place in memory, where it stays for the rest of the process; so an answer once
/// found is true in later iterations, too.
#[derive(Debug)]
pub(crate) struct Answers([Option<Answer>; PLACES]);

#[derive(Clone, Copy, Debug)]
struct Answer {
    first: &'static str,
    second: &'static str,
    is_yes: bool,
}

impl Default for Answers {
    fn default() -> Answers {
        Answers([None; PLACES])
    }
}

impl Answers {
    /// The answer about these two: as known, or as `find` says.
    #[inline]
    pub(crate) fn of(
        &mut self,
        first: &'static str,
        second: &'static str,
        find: impl FnOnce(&'static str, &'static str) -> bool,
    ) -> bool {
        let (low, high) = (first.as_ptr().addr(), second.as_ptr().addr());
        let place = &mut self.0[(low ^ (high >> 3)) % PLACES];
        match place {
            Some(known) if ptr::eq(known.first, first) && ptr::eq(known.second, second) => {
                known.is_yes
            }
            _ => {
                let is_yes = find(first, second);
                *place = Some(Answer {
                    first,
                    second,
                    is_yes,
                });
                is_yes
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_one_name_are_different_names() {
        let mut answers = Answers::default();
        let name = "a name of some length";
        for _ in 0..2 {
            for end in 0..=name.len() {
                let is_short = |first: &str, _: &str| first.len() < 5;
                assert_eq!(answers.of(&name[..end], name, is_short), end < 5);
            }
        }
    }

    #[test]
    fn what_is_known_is_not_asked_again() {
        let mut answers = Answers::default();
        assert!(answers.of("first", "second", |_, _| true));
        assert!(answers.of("first", "second", |_, _| unreachable!("it is known")));
    }
}
