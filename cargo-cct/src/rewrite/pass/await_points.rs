//! Each `.await` becomes an await point, where the task can be held back.
//!
//! ```text
//! lock().await?     lock().__cct_await(|| ()).await?
//! ```
//!
//! `. await` means nothing else wherever it stands, so tokens are enough, and macros' arguments are code
//! like any other. The method is there for everything that can be awaited; the closure is named after the
//! async body in which it stands.

use proc_macro2::{Spacing, TokenTree};

use crate::rewrite::syntax::{Tree, sequences};
use crate::rewrite::{Edit, Edition, Source};

const POINT: &str = ".__cct_await(|| ())";

/// Puts a point in front of each `.await`.
pub(super) fn run(source: &Source<'_>) -> Vec<Edit> {
    // A field or method like any other.
    if source.edition == Edition::Rust2015 || !source.may_have(&["await"]) {
        return Vec::new();
    }
    let mut edits = Vec::new();
    sequences(&source.trees, &mut |sequence| {
        for at in 1..sequence.len() {
            if is_dot(&sequence[..at]) && sequence[at].is_word("await") {
                edits.push(Edit::insert(sequence[at - 1].range().start, POINT));
            }
        }
    });
    edits
}

/// Tells whether what ends here ends with a dot, and not with two.
fn is_dot(before: &[Tree]) -> bool {
    let joined = |tree: &Tree| match tree {
        Tree::Leaf(TokenTree::Punct(sign)) => {
            sign.as_char() == '.' && sign.spacing() == Spacing::Joint
        }
        _ => false,
    };
    match before {
        [.., first, dot] => dot.is_sign('.') && !joined(first),
        [dot] => dot.is_sign('.'),
        [] => false,
    }
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::rewrite::pass::made_by;

    const fn same(text: &str) -> (&str, &str) {
        (text, text)
    }

    #[test]
    fn each_await_is_a_point() {
        for (text, expected) in [
            ("a().await?;", "a().__cct_await(|| ()).await?;"),
            (
                "a.await.b().await",
                "a.__cct_await(|| ()).await.b().__cct_await(|| ()).await",
            ),
            (
                "a\n  . /* b */ await",
                "a\n  .__cct_await(|| ()). /* b */ await",
            ),
            ("&x[0].await", "&x[0].__cct_await(|| ()).await"),
            ("1.await", "1.__cct_await(|| ()).await"),
        ] {
            assert_eq!(made_by(run, text), expected);
        }
    }

    #[test]
    fn so_it_is_in_macros() {
        for (text, expected) in [
            (
                "select! { x = a => x.await, _ = b.await => {} }",
                "select! { x = a => x.__cct_await(|| ()).await, _ = b.__cct_await(|| ()).await => {} }",
            ),
            (
                "macro_rules! m { ($x:expr) => { $x.await } }",
                "macro_rules! m { ($x:expr) => { $x.__cct_await(|| ()).await } }",
            ),
        ] {
            assert_eq!(made_by(run, text), expected);
        }
    }

    #[test]
    fn what_is_no_code_stays() {
        for (text, expected) in [
            same("#[doc = a.await] /// a.await\nfn f() {}"),
            same("quote! { a.await } stringify!(a.await)"),
            same("macro_rules! m { ($x:ident.await) => { $x } }"),
            same("a..await; await; await.a; r#await; a.r#await; \"a.await\""),
        ] {
            assert_eq!(made_by(run, text), expected);
        }
    }
}
