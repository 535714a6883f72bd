//! Source that is included as text is the user's: `include_str!("other.rs")` means the original.
//!
//! All that is not Rust is linked into the shadow tree as it is, and needs no edit.

use std::path::Path;

use proc_macro2::{Literal, TokenTree};

use crate::rewrite::syntax::Tree;
use crate::rewrite::{Edit, Source};

/// Replaces relative paths of Rust files in `include_str!` and `include_bytes!` by absolute ones.
pub(super) fn run(source: &Source<'_>) -> Vec<Edit> {
    let mut edits = Vec::new();
    let folder = source.path.parent().unwrap_or(Path::new("/"));
    find(&source.trees, folder, &mut edits);
    edits
}

fn find(trees: &[Tree], folder: &Path, edits: &mut Vec<Edit>) {
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            Tree::Group(_, inside) if includes_text(&trees[..at]) => {
                if let Some(Tree::Leaf(TokenTree::Literal(literal))) = inside.first() {
                    edits.extend(absolute(literal, folder));
                }
            }
            Tree::Group(_, inside) => find(inside, folder, edits),
            Tree::Leaf(_) => {}
        }
    }
}

fn includes_text(before: &[Tree]) -> bool {
    let includes = |name: &Tree| name.is_one_of(&["include_str", "include_bytes"]);
    matches!(before, [.., name, mark] if mark.is_sign('!') && includes(name))
}

/// A literal with escapes is left: paths have none.
fn absolute(literal: &Literal, folder: &Path) -> Option<Edit> {
    let text = literal.to_string();
    let path = Path::new(text.strip_prefix('"')?.strip_suffix('"')?);
    let is_rust = path.extension().is_some_and(|end| end == "rs");
    if !is_rust || path.is_absolute() || text.contains('\\') {
        return None;
    }
    let path = format!("{:?}", folder.join(path).to_str()?);
    Some(Edit::replace(Source::range(literal.span()), path))
}

#[cfg(test)]
mod tests {
    use crate::rewrite::{Edition, Named, Passes, rewrite};
    use std::path::Path;

    fn rewritten(text: &str) -> Option<String> {
        let path = Path::new("/p/src/lib.rs");
        rewrite(
            text,
            path,
            Edition::Rust2021,
            Passes::parse("await")?,
            Named::NONE,
        )
    }

    #[test]
    fn rust_as_text_is_the_original() {
        assert_eq!(
            rewritten("#[doc = include_str!(\"../a b.rs\")] fn f() { include_bytes!{\"x.rs\"} }"),
            Some(
                "#[doc = include_str!(\"/p/src/../a b.rs\")] \
                 fn f() { include_bytes!{\"/p/src/x.rs\"} }"
                    .to_owned()
            )
        );
    }

    #[test]
    fn all_else_is_left() {
        for text in [
            "include_str!(\"a.md\")",
            "include!(\"a.rs\")",
            "include_str!(\"/a.rs\")",
        ] {
            assert_eq!(rewritten(text), None, "{text}");
        }
    }
}
