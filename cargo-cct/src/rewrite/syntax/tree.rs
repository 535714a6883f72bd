//! A file's tokens as trees that passes can look at again and again.
//!
//! `proc_macro2` hands tokens out by value only, a copy each time; three passes over a large crate would
//! copy little else.

use std::fmt;
use std::ops::Range;

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};

/// A token, or a group with what is in it.
#[derive(Debug)]
pub(crate) enum Tree {
    /// A name, a sign or a literal.
    Leaf(TokenTree),
    /// Something in brackets.
    Group(Group, Vec<Tree>),
}

/// So many groups are in each other at most: whoever looks into them needs stack for each.
const DEEPEST: u32 = 200;

/// Takes a stream apart; none if it is nested deeper than people write.
pub(in crate::rewrite) fn trees(tokens: TokenStream) -> Option<Vec<Tree>> {
    trees_above(tokens, DEEPEST)
}

fn trees_above(tokens: TokenStream, deepest: u32) -> Option<Vec<Tree>> {
    let tree = |token| match token {
        TokenTree::Group(group) => {
            let inside = trees_above(group.stream(), deepest.checked_sub(1)?)?;
            Some(Tree::Group(group, inside))
        }
        leaf => Some(Tree::Leaf(leaf)),
    };
    tokens.into_iter().map(tree).collect()
}

impl Tree {
    /// Tells whether it is this name.
    pub(in crate::rewrite) fn is_word(&self, word: &str) -> bool {
        self.name().is_some_and(|name| name == word)
    }

    /// Tells whether it is one of these names.
    pub(in crate::rewrite) fn is_one_of(&self, words: &[&str]) -> bool {
        let is = |name| words.iter().any(|word| name == word);
        self.name().is_some_and(is)
    }

    /// The name that it is.
    pub(in crate::rewrite) fn name(&self) -> Option<&Ident> {
        match self {
            Tree::Leaf(TokenTree::Ident(ident)) => Some(ident),
            _ => None,
        }
    }

    /// Tells whether it is a name at all.
    pub(in crate::rewrite) fn is_name(&self) -> bool {
        self.name().is_some()
    }

    /// Tells whether it is this sign.
    pub(in crate::rewrite) fn is_sign(&self, sign: char) -> bool {
        matches!(self, Tree::Leaf(TokenTree::Punct(punct)) if punct.as_char() == sign)
    }

    /// Its content, if it is a group in such brackets.
    pub(in crate::rewrite) fn inside(&self, brackets: Delimiter) -> Option<(&Group, &[Tree])> {
        match self {
            Tree::Group(group, inside) if group.delimiter() == brackets => Some((group, inside)),
            _ => None,
        }
    }

    /// The bytes that it covers.
    pub(in crate::rewrite) fn range(&self) -> Range<usize> {
        match self {
            Tree::Leaf(leaf) => leaf.span().byte_range(),
            Tree::Group(group, _) => group.span().byte_range(),
        }
    }
}

impl fmt::Display for Tree {
    /// As tokens are shown, in brackets if it is a group.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tree::Leaf(leaf) => leaf.fmt(f),
            Tree::Group(group, _) => group.fmt(f),
        }
    }
}
