//! Assertions that other passes edit keep their text.
//!
//! ```text
//! assert!(a.await)     assert!(a.__cct_await(|| ()).await, "{}", "assertion failed: a.await")
//! ```
//!
//! Without a message, an assertion fails with its condition as it is written, which tests expect and
//! people read.

use std::ops::Range;

use proc_macro2::Group;
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::{Expr, Token};

use crate::rewrite::syntax::{Tree, one_line, sequences};
use crate::rewrite::{Edit, Source};

const ASSERTIONS: [&str; 2] = ["assert", "debug_assert"];

/// Gives assertions in which there are edits, and no message, the message that they would have had.
pub(super) fn run(source: &Source<'_>, edits: &[Edit]) -> Vec<Edit> {
    if edits.is_empty() || !source.may_have(&ASSERTIONS) {
        return Vec::new();
    }
    let mut messages = Vec::new();
    sequences(&source.trees, &mut |sequence| {
        for window in sequence.windows(3) {
            let [name, mark, Tree::Group(group, _)] = window else {
                continue;
            };
            if name.is_one_of(&ASSERTIONS) && mark.is_sign('!') {
                let inside = inside(group);
                let is_in =
                    |edit: &Edit| inside.start <= edit.range.start && edit.range.end <= inside.end;
                if edits.iter().any(is_in) {
                    messages.extend(message(source.text, group));
                }
            }
        }
    });
    messages
}

/// The bytes between an assertion's brackets.
fn inside(assertion: &Group) -> Range<usize> {
    Source::range(assertion.span_open()).end..Source::range(assertion.span_close()).start
}

/// The message to add to an assertion; none if it has one.
fn message(text: &str, assertion: &Group) -> Option<Edit> {
    let arguments = Punctuated::<Expr, Token![,]>::parse_terminated;
    let arguments = arguments.parse2(assertion.stream()).ok()?;
    if arguments.len() != 1 {
        return None;
    }
    let inside = inside(assertion);
    let condition = one_line(text[inside.clone()].trim().trim_end_matches(','));
    let comma = if arguments.trailing_punct() { "" } else { "," };
    let message = format!(
        "{comma} \"{{}}\", {:?}",
        format!("assertion failed: {condition}")
    );
    Some(Edit::insert(inside.end, message))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::rewrite::{Edition, Named, Passes, rewrite};

    fn rewritten(text: &str) -> Option<String> {
        rewrite(
            text,
            Path::new("/a.rs"),
            Edition::Rust2024,
            Passes::ALL,
            Named::NONE,
        )
    }

    #[test]
    fn what_is_edited_fails_as_it_did() {
        for (text, expected) in [
            (
                "assert!(a.await)",
                "assert!(a.__cct_await(|| ()).await, \"{}\", \"assertion failed: a.await\")",
            ),
            (
                "assert!(\n  block_on(f(\"b\"))\n    .is_ok(),\n)",
                "assert!(\n  block_on(__cct_root!(f(\"b\")))\n    .is_ok(),\n \
                 \"{}\", \"assertion failed: block_on(f(\\\"b\\\")).is_ok()\")",
            ),
            (
                "assert!(p.run(f()))",
                "assert!(p.run(__cct_handed!(f())).__cct_returned(), \
                 \"{}\", \"assertion failed: p.run(f())\")",
            ),
        ] {
            assert_eq!(rewritten(text).as_deref(), Some(expected));
        }
    }

    #[test]
    fn all_else_stays() {
        for (text, expected) in [
            ("assert!(a)", None),
            (
                "assert!(a.await, \"b\")",
                Some("assert!(a.__cct_await(|| ()).await, \"b\")"),
            ),
            (
                "assert_eq!(a.await, b)",
                Some("assert_eq!(a.__cct_await(|| ()).await, b)"),
            ),
        ] {
            assert_eq!(rewritten(text).as_deref(), expected);
        }
    }
}
