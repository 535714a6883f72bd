//! A file as passes see it.

use std::cell::OnceCell;
use std::ops::Range;
use std::path::Path;

use proc_macro2::{Span, TokenStream};

use super::named::Named;
use super::syntax::{Names, Tree, trees};

/// The edition that a crate is written in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Edition {
    /// 2015, in which `async` and `await` are names like any other.
    Rust2015,
    /// 2018.
    Rust2018,
    /// 2021.
    Rust2021,
    /// 2024, or one that is later than this tool.
    Rust2024,
}

impl Edition {
    /// Reads what rustc is told with `--edition`; without it the edition is 2015.
    pub(crate) fn parse(year: Option<&str>) -> Edition {
        match year {
            None | Some("2015") => Edition::Rust2015,
            Some("2018") => Edition::Rust2018,
            Some("2021") => Edition::Rust2021,
            Some(_) => Edition::Rust2024,
        }
    }

    /// The edition that rustc would be told.
    pub(crate) fn year(self) -> &'static str {
        match self {
            Edition::Rust2015 => "2015",
            Edition::Rust2018 => "2018",
            Edition::Rust2021 => "2021",
            Edition::Rust2024 => "2024",
        }
    }
}

/// One file, with its tokens.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    /// All of it.
    pub text: &'a str,
    /// Its own path, absolute.
    pub path: &'a Path,
    /// How its words are meant.
    pub edition: Edition,
    /// Its tokens. Spans are places in `text`, by `Source::range`.
    pub tokens: TokenStream,
    /// The same, taken apart.
    pub trees: Vec<Tree>,
    /// Functions that settings name.
    pub named: &'a Named,
    /// See `Source::names`.
    names: OnceCell<Names>,
}

impl<'a> Source<'a> {
    /// Reads a file; none when it is not made of Rust's tokens, or is nested deeper than people write.
    pub(crate) fn parse(text: &'a str, path: &'a Path, edition: Edition) -> Option<Source<'a>> {
        let tokens: TokenStream = code(text).parse().ok()?;
        Some(Source {
            text,
            path,
            edition,
            trees: trees(tokens.clone())?,
            tokens,
            named: Named::NONE,
            names: OnceCell::new(),
        })
    }

    /// The same file where settings name functions.
    pub(super) fn with(self, named: &'a Named) -> Source<'a> {
        Source { named, ..self }
    }

    /// Tells whether one of these words is in it, if only as part of another: where none is, nobody need look
    /// at each token.
    pub(crate) fn may_have(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.text.contains(word))
    }

    /// The meanings of functions' names in it, looked for once.
    pub(super) fn names(&self) -> &Names {
        self.names
            .get_or_init(|| Names::find(&self.trees, &self.named.names()))
    }

    /// The bytes of `text` that a token or group covers.
    pub(crate) fn range(span: Span) -> Range<usize> {
        span.byte_range()
    }
}

/// The text for those who look for tokens, each in its place.
///
/// A line of documentation would be six of them, which makes half of the tokens of many a crate. It becomes a
/// comment; if it is part of a literal, that is none the shorter.
fn code(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let shell = shebang(text).unwrap_or(0);
    code.extend(std::iter::repeat_n(' ', shell));
    let mut done = shell;
    for (at, _) in text.match_indices("//") {
        let rest = &text.as_bytes()[at + 2..];
        // In a comment of many lines, `///*` would begin another one.
        let is_documentation = matches!(rest, [b'/' | b'!', after, ..] if *after != b'*');
        if is_documentation && at >= done && begins_line(&text[..at]) {
            code.push_str(&text[done..at + 2]);
            code.push(' ');
            done = at + 3;
        }
    }
    code.push_str(&text[done..]);
    code
}

/// Tells whether nothing but blanks stands on the line that ends here.
fn begins_line(before: &str) -> bool {
    let last = before
        .bytes()
        .rev()
        .find(|byte| !matches!(byte, b' ' | b'\t'));
    last.is_none_or(|byte| byte == b'\n')
}

/// The length of a first line for the shell; `#![` begins an attribute instead.
fn shebang(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("#!")?;
    let attribute = rest.trim_start().starts_with('[');
    (!attribute).then(|| text.find(['\r', '\n']).unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(text: &str) -> Vec<&str> {
        let source = Source::parse(text, Path::new("/a.rs"), Edition::Rust2021).expect("tokens");
        let spans = source.tokens.into_iter().map(|token| token.span());
        spans.map(|span| &text[Source::range(span)]).collect()
    }

    #[test]
    fn tokens_know_their_bytes() {
        assert_eq!(ranges("é = 'é' ;(é)"), ["é", "=", "'é'", ";", "(é)"]);
        assert_eq!(ranges("\u{feff}a b"), ["a", "b"]);
    }

    #[test]
    fn a_line_for_the_shell_is_no_code() {
        assert_eq!(ranges("#!/usr/bin/é\nfn"), ["fn"]);
        assert_eq!(ranges("#![a]"), ["#", "!", "[a]"]);
    }

    #[test]
    fn documentation_is_no_code() {
        assert_eq!(
            ranges("//! a\n/// b\n\t//// c\nd /// e"),
            ["d", "/// e", "/// e"]
        );
        assert_eq!(ranges("\"\n/// a\" b"), ["\"\n/// a\"", "b"]);
    }

    #[test]
    fn what_is_no_rust_is_left() {
        assert!(Source::parse("{ \"", Path::new("/a.rs"), Edition::Rust2021).is_none());
    }
}
