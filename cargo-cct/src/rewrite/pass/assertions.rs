//! Assertions that other passes edit keep their text.
//!
//! ```text
//! assert!(a.await)     assert!(a.__cct_await(|| ()).await, "{}", "assertion failed: a.await")
//! ```
//!
//! Without a message, an assertion fails with its condition as it is written, which tests expect and
//! people read.

use proc_macro2::Group;
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::{Expr, Token};

use super::one_line::one_line;
use super::{await_points, code, own_clock, tasks};
use crate::rewrite::tree::Tree;
use crate::rewrite::{Edit, Source};

const ASSERTIONS: [&str; 2] = ["assert", "debug_assert"];

/// Gives assertions without a message the one that they would have had.
pub(super) fn run(source: &Source<'_>) -> Vec<Edit> {
    let is_edited = source.may_have(&["await"])
        || tasks::may_have_calls(source)
        || own_clock::may_have_calls(source);
    if !is_edited || !source.may_have(&ASSERTIONS) {
        return Vec::new();
    }
    let names = tasks::Names::of(source);
    let mut edits = Vec::new();
    code::sequences(&source.trees, &mut |sequence| {
        for window in sequence.windows(3) {
            let [name, mark, Tree::Group(group, condition)] = window else {
                continue;
            };
            let is_edited = || {
                !await_points::find(condition).is_empty()
                    || !tasks::find(condition, names).is_empty()
                    || !own_clock::find(condition).is_empty()
            };
            if name.is_one_of(&ASSERTIONS) && mark.is_sign('!') && is_edited() {
                edits.extend(message(source.text, group));
            }
        }
    });
    edits
}

/// The message to add to an assertion; none if it has one.
fn message(text: &str, assertion: &Group) -> Option<Edit> {
    let arguments = Punctuated::<Expr, Token![,]>::parse_terminated;
    let arguments = arguments.parse2(assertion.stream()).ok()?;
    if arguments.len() != 1 {
        return None;
    }
    let inside =
        Source::range(assertion.span_open()).end..Source::range(assertion.span_close()).start;
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
    use super::run;
    use crate::rewrite::pass::made_by;

    #[test]
    fn what_is_edited_fails_as_it_did() {
        for (text, expected) in [
            (
                "assert!(a.await)",
                r#"assert!(a.await, "{}", "assertion failed: a.await")"#,
            ),
            (
                "assert!(\n  block_on(f(\"b\"))\n    .is_ok(),\n)",
                "assert!(\n  block_on(f(\"b\"))\n    .is_ok(),\n \
                 \"{}\", \"assertion failed: block_on(f(\\\"b\\\")).is_ok()\")",
            ),
        ] {
            assert_eq!(made_by(run, text), expected);
        }
    }

    #[test]
    fn all_else_stays() {
        for text in [
            "assert!(a)",
            "assert!(a.await, \"b\")",
            "assert_eq!(a.await, b)",
        ] {
            assert_eq!(made_by(run, text), text);
        }
    }
}
