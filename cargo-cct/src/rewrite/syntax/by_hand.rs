//! Functions called `spawn` that spawn nothing: the test polls what they return, by hand.
//!
//! A test that counts polls, or asks whether a future is pending, must see it exactly as it is natively.

use cct::known::BY_HAND;

use super::code;
use super::tree::Tree;

/// The names by which a file reaches them.
#[derive(Debug)]
pub(in crate::rewrite) struct PolledByHand {
    names: Vec<String>,
}

impl PolledByHand {
    /// Looks through the imports of a file.
    pub(in crate::rewrite) fn find(trees: &[Tree]) -> PolledByHand {
        let names = BY_HAND.map(|(name, _)| name.to_owned()).to_vec();
        let mut found = PolledByHand { names };
        code::sequences(trees, &mut |sequence| {
            for at in 0..sequence.len() {
                if sequence[at].is_word("use") {
                    found.import(&sequence[at + 1..]);
                }
            }
        });
        found
    }

    /// Takes the names of one import, up to its semicolon, if it is of one of the crates.
    fn import(&mut self, tokens: &[Tree]) {
        let end = tokens.iter().position(|tree| tree.is_sign(';'));
        let tokens = &tokens[..end.unwrap_or(0)];
        let Some(first) = tokens.iter().find(|tree| !tree.is_sign(':')) else {
            return;
        };
        let Some((_, all)) = BY_HAND.iter().find(|(name, _)| first.is_word(name)) else {
            return;
        };
        code::sequences(tokens, &mut |sequence| {
            for tree in sequence {
                if tree.is_sign('*') {
                    self.names.extend(all.map(str::to_owned));
                }
                self.names.extend(tree.name().map(ToString::to_string));
            }
        });
    }

    /// Tells whether the call whose name ends `before` may be of one of their functions. Methods are not:
    /// they have none of that name.
    pub(in crate::rewrite) fn is_called(&self, before: &[Tree]) -> bool {
        start_of_path(before).is_some_and(|first| {
            let mut names = self.names.iter();
            names.any(|name| first.is_word(name))
        })
    }
}

/// The first name of the path that ends here; none if it is a method's.
fn start_of_path(before: &[Tree]) -> Option<&Tree> {
    match before {
        [rest @ .., first, second, _] if first.is_sign(':') && second.is_sign(':') => {
            if rest.last().is_some_and(Tree::is_name) {
                start_of_path(rest)
            } else {
                before.last()
            }
        }
        [.., dot, _] if dot.is_sign('.') => None,
        _ => before.last(),
    }
}

#[cfg(test)]
mod tests {
    use crate::rewrite::tests::with_tasks;

    #[test]
    fn what_is_polled_by_hand_stays() {
        for text in [
            "use tokio_test::task; fn f() { task::spawn(a()) }",
            "use tokio_test::{assert_pending, task::{self, spawn}}; fn f() { spawn(a()) }",
            "use ::tokio_test::task as t; fn f() { t::spawn(a()) }",
            "use tokio_test::*; fn f() { task::spawn(a()) }",
            "tokio_test::task::spawn(a())",
        ] {
            assert_eq!(with_tasks(text), text);
        }
    }

    #[test]
    fn what_is_driven_beside_it_is_not() {
        for (text, expected) in [
            (
                "use tokio_test::task; fn f() { tokio::spawn(a()); rt.spawn(a()); }",
                "use tokio_test::task; \
                 fn f() { tokio::spawn(__cct_task!(a())); rt.spawn(__cct_task!(a())); }",
            ),
            (
                "use tokio::task; task::spawn(a())",
                "use tokio::task; task::spawn(__cct_task!(a()))",
            ),
            (
                "tokio_test::block_on(a())",
                "tokio_test::block_on(__cct_root!(a()))",
            ),
        ] {
            assert_eq!(with_tasks(text), expected);
        }
    }
}
